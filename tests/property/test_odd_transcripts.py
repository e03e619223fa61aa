"""Whatever a transcript or a session store holds, ingestion passes over what it cannot read."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from openclaw_cli.config.load import load
from openclaw_cli.memory import chats
from openclaw_cli.memory.spoken import names_narrative, spoken
from openclaw_cli.state.paths import Paths

KEYS = [
    "type", "message", "role", "content", "text", "timestamp", "provenance", "kind",
    "customType", "data", "runId", "sessionKey", "sessionId", "spawnedBy", "parentSessionKey",
]  # fmt: skip
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**25), 10**25)
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["message", "user", "assistant", "text", "2026-11-19T10:00:00Z",
                       "System: [x] ", "[cron:a] tick", "HEARTBEAT_OK", "agent:main:main"])
)  # fmt: skip
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
    ),
    max_leaves=12,
)
messages = st.fixed_dictionaries(
    {"type": st.just("message"), "message": st.dictionaries(st.sampled_from(KEYS), values)},
    optional={"timestamp": values, "provenance": values, "sessionKey": values},
)


@given(st.lists(values | messages, max_size=5))
@example([{"type": "message", "message": {"role": ["user"], "content": "what was said"}}])
def test_reading_what_was_said_never_fails(records: list[Any]) -> None:
    for said in spoken(enumerate(records, 1)):
        assert said.text
        assert said.role in ("user", "assistant")
    for record in records:
        names_narrative(record)


@settings(max_examples=20)
@given(
    st.dictionaries(
        st.sampled_from(["agent:main:main", "agent:main:cron:j:run:r", "s1", ""]), values
    ),
    st.lists(values | messages, max_size=4),
)
def test_finding_transcripts_never_fails(rows: dict[str, Any], records: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = Paths(Path(folder), Path(folder) / "state")
        sessions = paths.sessions_dir("main")
        sessions.mkdir(parents=True)
        (sessions / "sessions.json").write_text(json.dumps(rows))
        (sessions / "s1.jsonl").write_text("".join(json.dumps(row) + "\n" for row in records))
        found = chats.find(load(paths), paths, ["main"])
        for chat in found.found:
            found.pieces(chat)
