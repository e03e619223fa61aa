"""Families of English words by which grounded extraction judges a line (``dreaming.md`` 8.3).

Each family is one pattern, whole words, upper and lower case alike.
"""

from __future__ import annotations

import re

_AGENTS = r"codex|claude code|cursor|copilot|aider|opencode|gemini cli"


def _family(words: str, *, whole: bool = True) -> re.Pattern[str]:
    pattern = rf"(?<!\w)(?:{words})(?!\w)" if whole else words
    return re.compile(pattern, re.IGNORECASE)


BLOCKED = _family(
    r"reminders?|tasks? for today|to-?dos?|pickups?|action items?|next steps?|open questions?|"
    r"stats|setup tasks?|contacts?(?: list)?|visitors?(?: list)?|heartbeat checks?|"
    r"(?:coverage|status) (?:report|summary|overview|check|snapshot)s?"
)
GENERIC = _family(
    r"setup|(?:session )?notes|summary|major accomplishments|infrastructure|"
    r"process improvements?"
)
MEMORY = _family(
    r"always use|prefers?|preferences?|standing rule|rule(?=:)|use [^.;]{0,60}calendar|durable|"
    r"remember"
)
BUILD = _family(
    r"set up|setup|created|built|rewrote|implemented|installed|configured|added|updated|"
    r"exported|documented"
)
INCIDENT = _family(
    r"fail|failed|failing|error|issue|problem|auth|expired|broken|unable|missing|required|"
    r"root cause|consecutive failures"
)
LOGISTICS = _family(
    r"visitor|arrive|arrival|flight|calendar|reservation|schedule|coordinate|travel|pickup"
)
TASK = _family(
    r"reminder|task|to-?do|action item|next step|need to|follow up|respond to|call|check"
)
ROUTING = _family(
    rf"categorized?|route|routing|workflow|processor|read later|auto-implement|{_AGENTS}"
)
RULE = _family(r"learned(?=:)|rule(?=:)|always \w+")
EXTERNAL = _family(
    r"memory|tracker|notion|obsidian|evernote|notes? captured|committed to memory|"
    r"updated \S*\.md|documented|comparison table"
)
RETRY = _family(
    r"repeat|repeated|repeatedly|again|retry|root cause|(?:third|fourth|fifth)(?: attempt)?|"
    r"consecutive failures"
)
PERSON_PATTERN = _family(
    r"relationship|who(?=:)|patterns?(?=:)|failure modes(?=:)|best stance(?=:)|space|"
    r"boundaries|timing"
)
SITUATIONAL = _family(
    r"hotel|address|phone|reservation|check-?in|check-?out|flight|arrival|departure|terminal|"
    r"price shown|invoices?|pending items|screenshot"
)
PERSISTENT = _family(
    r"always|preference|prefers?|standing rule|best stance|failure modes|key patterns|"
    r"relationship|who(?=:)|keep track of|people in [^.;]{0,30}life|partner|spouse|wife|husband"
)
TRANSIENT = _family(
    r"today|this session|in progress|installed|booked|confirmed|pending|status(?=:)|open items|"
    r"next steps|issue(?=:)|diagnostics|screenshot|source file|thread|ticket|price shown|fixes|"
    r"audit|bought|order"
)
TITLE_FOR = _family(
    r"preferences? learned|preference|people update|relationship|standing|patterns?|identity|"
    r"memory"
)
TITLE_AGAINST = _family(
    r"setup|fix|fixes|audit|booked|call|today|session|updates?|file paths|open items|next steps|"
    r"research pipeline|calendar|tickets?"
)
METADATA = _family(
    r"address|phone|email|website|maps|source file|conversation id|order|reservation|price|cost|"
    r"ticket|uuid|url(?=:)|model(?=:)|workspace(?=:)|bindings|account id|config change|path(?=:)"
)
PROJECT = _family(
    r"strategy|audit|discussion|research|topic|candidate|pipeline|data dump|export|draft|weekly|"
    r"analysis|findings"
)
PROCESS = _family(
    r"dossier|registry|cadence|framework|facts/timeline|open loops|next actions|rollups"
)
TOOLING = _family(rf"cli|tools?|tools\.md|agents\.md|subagents?|spawn|tmux|zellij|{_AGENTS}")
TRAVEL = _family(
    r"routing|cabin|business class|trip brief|departure|arrival|hotel|reservation|tickets?|"
    r"show tonight|alternatives|venue timing"
)
PERSON = _family(r"partner|wife|husband|boyfriend|girlfriend|relationship interest|lives in")
EXPLICIT = _family(
    r"explicitly|wants?|does not want|default [^.;]{0,60}should|likes?|dislikes?|"
    r"treat [^.;]{0,60} as|prefers?"
)
MONITOR = _family(
    r"heartbeat|exit code|invalid[ _]grant|token (?:expired|revoked)|warning|alert|alerting|"
    r"low pressure|checkpoint at|note file already existed|header creation|"
    r"local time verified|access failed|silent log|restarted successfully|"
    r"no (?:response|reply)(?: yet)?|blocked|passkey|credential|working correctly|"
    r"catch-up completed"
)
SPECIFIC = re.compile(
    r"\b(?:jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec)\b|€|\$\d|→|\b\d{1,2}:\d\d\b|\+\d{6,}",
    re.IGNORECASE,
)
PEOPLE_TITLE = _family(r"relationships?|people|identity")
OPERATOR_TITLE = _family(r"process improvements?")
