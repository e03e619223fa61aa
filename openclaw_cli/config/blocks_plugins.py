"""Strict blocks of plugins: ``dreaming`` of memory-core, and the settings only we have.

``dreaming.md`` 1; ours are written ``cli.`` in the documentation and live in
``plugins.entries.openclaw-cli.config`` (``design.md`` 3).
"""

from __future__ import annotations

from openclaw_cli.config.schema import (
    BOOL,
    COUNT,
    CRON,
    LIST_OF_TEXT,
    POSITIVE,
    RATIO,
    SECRET,
    TEXT,
    ZONE,
    Kind,
    map_of,
    one_of,
    strict,
)

_EXECUTION = strict(model=TEXT)

DREAMING = strict(
    enabled=BOOL,
    frequency=CRON,
    timezone=ZONE,
    model=TEXT,
    verboseLogging=BOOL,
    storage=strict(mode=one_of("inline", "separate", "both"), separateReports=BOOL),
    execution=strict(defaults=_EXECUTION),
    phases=strict(
        light=strict(
            enabled=BOOL,
            lookbackDays=COUNT,
            limit=COUNT,
            dedupeSimilarity=RATIO,
            execution=_EXECUTION,
        ),
        rem=strict(
            enabled=BOOL,
            lookbackDays=COUNT,
            limit=COUNT,
            minPatternStrength=RATIO,
            execution=_EXECUTION,
        ),
        deep=strict(
            enabled=BOOL,
            limit=COUNT,
            minScore=RATIO,
            minRecallCount=COUNT,
            minUniqueQueries=COUNT,
            recencyHalfLifeDays=COUNT,
            maxAgeDays=POSITIVE,
            maxPromotedSnippetTokens=POSITIVE,
            execution=_EXECUTION,
        ),
    ),
)

_JOB = strict(enabled=BOOL)

OWN = strict(
    budget=strict(maxTokensPerDay=COUNT),
    jobs=strict(
        heartbeat=_JOB,
        sweep=_JOB,
        cleanup=strict(enabled=BOOL, schedule=CRON),
        extract=_JOB,
        cron=_JOB,
    ),
    channels=map_of(strict(url=SECRET, command=LIST_OF_TEXT, timeoutSeconds=POSITIVE)),
    sessions=strict(keepLast=map_of(POSITIVE)),
)

PLUGIN_BLOCKS: dict[str, Kind] = {"dreaming": DREAMING}
