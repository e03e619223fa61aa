"""Strict blocks at the root: ``session``, ``commitments`` and ``cron``.

Keys that the studied releases of the reference know count as known here, also those that
this program does not use (``sessions.md`` 7, ``sessions-maintenance.md`` 1,
``commitments.md`` 1, ``scheduled-tasks.md`` 5).
"""

from __future__ import annotations

from openclaw_cli.config.schema import (
    BOOL,
    COUNT,
    FALSE,
    LIST_OF_TEXT,
    POSITIVE,
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
    one_of,
    strict,
)

RESET = strict(mode=one_of("daily", "idle"), atHour=integer(0, 23), idleMinutes=POSITIVE)

SEND_RULE = strict(
    action=one_of("allow", "deny"),
    match=strict(
        channel=TEXT,
        chatType=one_of("direct", "group", "channel", "dm"),
        keyPrefix=TEXT,
        rawKeyPrefix=TEXT,
    ),
)

MAINTENANCE = strict(
    mode=one_of("warn", "enforce"),
    pruneAfter=duration("d"),
    pruneDays=POSITIVE,
    maxEntries=POSITIVE,
    rotateBytes=SIZE,
    resetArchiveRetention=either(duration("d"), FALSE),
    maxDiskBytes=SIZE,
    highWaterBytes=SIZE,
)

SESSION = strict(
    scope=one_of("per-sender", "global"),
    dmScope=one_of("main", "per-peer", "per-channel-peer", "per-account-channel-peer"),
    identityLinks=map_of(LIST_OF_TEXT),
    mainKey=TEXT,
    store=TEXT,
    resetTriggers=LIST_OF_TEXT,
    idleMinutes=POSITIVE,
    reset=RESET,
    resetByType=strict(direct=RESET, dm=RESET, group=RESET, thread=RESET),
    resetByChannel=map_of(RESET),
    sendPolicy=strict(default=one_of("allow", "deny"), rules=list_of(SEND_RULE)),
    maintenance=MAINTENANCE,
    parentForkMaxTokens=COUNT,
    typingIntervalSeconds=POSITIVE,
    typingMode=one_of("never", "instant", "thinking", "message"),
    threadBindings=SOME_OBJECT,
    agentToAgent=strict(maxPingPongTurns=integer(0, 20)),
    writeLock=SOME_OBJECT,
)

COMMITMENTS = strict(enabled=BOOL, maxPerDay=POSITIVE)

RETRY_REASON = one_of("rate_limit", "overloaded", "network", "timeout", "server_error")

CRON_BLOCK = strict(
    enabled=BOOL,
    store=TEXT,
    maxConcurrentRuns=POSITIVE,
    retry=strict(
        maxAttempts=integer(0, 10), backoffMs=list_of(COUNT), retryOn=list_of(RETRY_REASON)
    ),
    sessionRetention=either(duration("h"), FALSE),
    runLog=strict(maxBytes=SIZE, keepLines=POSITIVE),
    failureAlert=strict(
        enabled=BOOL,
        after=POSITIVE,
        cooldownMs=COUNT,
        includeSkipped=BOOL,
        mode=one_of("announce", "webhook"),
        accountId=TEXT,
    ),
    failureDestination=strict(
        channel=TEXT, to=TEXT, accountId=TEXT, mode=one_of("announce", "webhook")
    ),
    webhook=TEXT,
    webhookToken=SECRET,
    triggers=SOME_OBJECT,
)

ROOT_BLOCKS: dict[str, Kind] = {
    "session": SESSION,
    "commitments": COMMITMENTS,
    "cron": CRON_BLOCK,
}
