"""Strict blocks of an agent: heartbeat, memory search, compaction, context pruning.

``heartbeat.md`` 1, ``memory.md`` 2.1, ``sessions.md`` 8 and 9. They stand in
``agents.defaults`` and in the entries of ``agents.list``.
"""

from __future__ import annotations

from openclaw_cli.config.schema import (
    BOOL,
    CLOCK,
    CLOCK_START,
    COUNT,
    LIST_OF_TEXT,
    POSITIVE,
    RATIO,
    SECRET,
    SIZE,
    SOME_OBJECT,
    TEXT,
    Kind,
    duration,
    either,
    integer,
    list_of,
    map_of,
    number,
    one_of,
    strict,
)

HEARTBEAT = strict(
    every=duration("m"),
    activeHours=strict(start=CLOCK_START, end=CLOCK, timezone=TEXT),
    target=TEXT,
    to=TEXT,
    accountId=TEXT,
    directPolicy=one_of("allow", "block"),
    prompt=TEXT,
    ackMaxChars=COUNT,
    model=TEXT,
    session=TEXT,
    lightContext=BOOL,
    isolatedSession=BOOL,
    skipWhenBusy=BOOL,
    includeReasoning=BOOL,
    timeoutSeconds=POSITIVE,
    suppressToolErrorWarnings=BOOL,
    includeSystemPromptSection=BOOL,
)

CHANNEL_HEARTBEAT = strict(showOk=BOOL, showAlerts=BOOL, useIndicator=BOOL)

HYBRID = strict(
    enabled=BOOL,
    vectorWeight=RATIO,
    textWeight=RATIO,
    candidateMultiplier=POSITIVE,
    mmr=strict(**{"enabled": BOOL, "lambda": RATIO}),
    temporalDecay=strict(enabled=BOOL, halfLifeDays=POSITIVE),
)

MEMORY_SEARCH = strict(
    enabled=BOOL,
    provider=TEXT,
    model=TEXT,
    fallback=TEXT,
    remote=strict(
        baseUrl=TEXT,
        apiKey=SECRET,
        headers=map_of(TEXT),
        nonBatchConcurrency=POSITIVE,
        batch=SOME_OBJECT,
    ),
    local=strict(modelPath=TEXT, modelCacheDir=TEXT, contextSize=either(POSITIVE, TEXT)),
    inputType=TEXT,
    queryInputType=TEXT,
    documentInputType=TEXT,
    outputDimensionality=POSITIVE,
    sources=list_of(one_of("memory", "sessions")),
    extraPaths=LIST_OF_TEXT,
    qmd=SOME_OBJECT,
    multimodal=SOME_OBJECT,
    experimental=strict(sessionMemory=BOOL),
    chunking=strict(tokens=POSITIVE, overlap=COUNT),
    query=strict(maxResults=POSITIVE, minScore=RATIO, hybrid=HYBRID),
    sync=strict(
        onSessionStart=BOOL,
        onSearch=BOOL,
        watch=BOOL,
        watchDebounceMs=COUNT,
        intervalMinutes=COUNT,
        embeddingBatchTimeoutSeconds=POSITIVE,
        sessions=SOME_OBJECT,
    ),
    cache=strict(enabled=BOOL, maxEntries=POSITIVE),
    store=strict(
        driver=one_of("sqlite"),
        path=TEXT,
        fts=strict(tokenizer=one_of("unicode61", "trigram")),
        vector=strict(enabled=BOOL, extensionPath=TEXT),
    ),
)

MEMORY_FLUSH = strict(
    enabled=BOOL,
    softThresholdTokens=COUNT,
    forceFlushTranscriptBytes=SIZE,
    prompt=TEXT,
    systemPrompt=TEXT,
    model=TEXT,
)

COMPACTION = strict(
    mode=one_of("default", "safeguard"),
    provider=TEXT,
    reserveTokens=COUNT,
    reserveTokensFloor=COUNT,
    keepRecentTokens=POSITIVE,
    maxHistoryShare=number(0.1, 0.9),
    recentTurnsPreserve=integer(0, 12),
    qualityGuard=strict(enabled=BOOL, maxRetries=COUNT),
    identifierPolicy=one_of("strict", "off", "custom"),
    identifierInstructions=TEXT,
    customInstructions=TEXT,
    model=TEXT,
    thinkingLevel=TEXT,
    timeoutSeconds=POSITIVE,
    midTurnPrecheck=SOME_OBJECT,
    postIndexSync=one_of("off", "async", "await"),
    postCompactionSections=LIST_OF_TEXT,
    notifyUser=BOOL,
    truncateAfterCompaction=BOOL,
    maxActiveTranscriptBytes=SIZE,
    memoryFlush=MEMORY_FLUSH,
)

CONTEXT_PRUNING = strict(
    mode=one_of("off", "cache-ttl"),
    ttl=duration("m"),
    keepLastAssistants=COUNT,
    softTrimRatio=RATIO,
    hardClearRatio=RATIO,
    minPrunableToolChars=COUNT,
    softTrim=strict(maxChars=COUNT, headChars=COUNT, tailChars=COUNT),
    hardClear=strict(enabled=BOOL, placeholder=TEXT),
    tools=strict(allow=LIST_OF_TEXT, deny=LIST_OF_TEXT),
)

AGENT_BLOCKS: dict[str, Kind] = {
    "heartbeat": HEARTBEAT,
    "memorySearch": MEMORY_SEARCH,
    "compaction": COMPACTION,
    "contextPruning": CONTEXT_PRUNING,
}
