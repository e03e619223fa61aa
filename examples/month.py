"""A month of one person's agent, laid out in a folder, and tonight's sweep over it.

    python examples/month.py FOLDER              write the tree, live through the searches, sweep
    python examples/month.py FOLDER --no-sweep   the same, and leave the sweep to you

The person is invented: Ilse Brandt repairs string instruments in a small workshop. Her
agent wrote a note a day and searched its memory when she asked something; nothing was
promoted yet. Works offline and without a key. Days count back from today, so that the
month always ends last night; OPENCLAW_NOW (ISO 8601) makes it end on another day.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

PROGRAM = Path(sys.executable).with_name("openclaw")
SESSION_ID = "3f0d6c1e-5f0a-4a57-9b8e-0c4f7f2a9d11"
SESSION_KEY = "agent:main:telegram:direct:4711"
HOUR_MS = 3_600_000

# Days before today -> the note of that day.
NOTES: dict[int, str] = {
    30: """
        # Workshop
        - Ilse answers calls only after 10:00; before that she sets up the bench.
        - Cleaned the band saw, the blade is still good.
        - [ ] order hide glue
        """,
    28: """
        # Suppliers
        - Spruce tops come from Holzhandel Riepl in Mittenwald, contact Veit, order by Thursday.
        - Weather: sleet all day.
        """,
    26: """
        - Frau Adeyemi's cello needs humidity of at least 45 %, otherwise the old crack opens.
        - Lunch at the canteen, too salty.
        """,
    25: """
        # Household
        - The workshop alarm has to be armed at the side door, the front panel is broken.
        - [x] paid the parking ticket
        """,
    23: """
        - Veit from Holzhandel Riepl delivers spruce on Mondays, orders close Thursday noon.
        - Standup: status green, 4 repairs open, 2 waiting for strings.
        """,
    21: """
        # Preferences
        - Ilse prefers quotes in writing, with labour and material on separate lines.
        - Train was 20 minutes late this morning.
        """,
    19: """
        - Invoices go out on the 1st of each month, payment target is 14 days.
        - Backup job finished: 212 files, 0 errors.
        """,
    17: """
        - Hide glue from Kremer, bag of 1 kg; never the fast-setting one for tops.
        - Called Jonas twice, no answer today.
        """,
    15: """
        - Holzhandel Riepl moved the order deadline: spruce orders close on Wednesday evening now.
        - Frau Adeyemi picked up the cello, hygrometer in the case shows 47 %.
        """,
    13: """
        - Ilse is allergic to shellac fumes and wears the mask with the brown filter.
        - Radio is broken again.
        """,
    11: """
        - Quotes: Ilse wants labour and material listed separately, always in writing.
        - Wrote to the landlord about the front panel of the alarm.
        """,
    9: """
        - The apprentice Thilo works Tuesday to Friday; school is on Monday.
        - 3 violins set up, 1 bow rehaired.
        """,
    7: """
        - For varnishing Ilse wears the brown-filter mask, shellac fumes make her ill.
        - Tea is out of stock.
        """,
    5: """
        - Monthly invoices are sent on the 1st; customers have 14 days to pay.
        - [ ] call the tax adviser
        """,
    3: """
        - Arm the alarm at the side door; the landlord will replace the front panel in spring.
        - Delivery of strings expected tomorrow.
        """,
    1: """
        - Thilo is at school on Mondays, in the workshop Tuesday to Friday.
        - Quiet day, swept the floor.
        """,
}

# Days before today, hour (UTC) -> what the agent looked up because it was asked.
SEARCHES: list[tuple[int, int, str]] = [
    (27, 9, "when can I order spruce tops"), (24, 10, "Holzhandel Riepl contact"),
    (22, 9, "spruce order deadline"), (14, 9, "spruce orders close Wednesday"),
    (12, 16, "Riepl order deadline spruce"), (8, 9, "deadline for ordering spruce"),
    (2, 9, "when do spruce orders close"), (25, 11, "cello humidity Adeyemi"),
    (20, 15, "what humidity does Frau Adeyemi's cello need"), (16, 10, "Adeyemi cello crack"),
    (14, 14, "cello hygrometer humidity"), (6, 9, "humidity for the Adeyemi cello"),
    (20, 9, "how does Ilse want quotes"), (18, 9, "quotes labour material separate"),
    (10, 9, "quotes in writing"), (8, 15, "format of a quote labour and material"),
    (2, 15, "Ilse quotes preference"), (18, 16, "when do invoices go out"),
    (12, 9, "payment target invoices"), (6, 16, "invoices 14 days"),
    (4, 9, "invoice day of the month"), (2, 10, "payment target days invoices"),
    (24, 18, "where to arm the alarm"), (16, 18, "alarm side door"),
    (10, 18, "arm alarm front panel broken"), (4, 18, "workshop alarm side door"),
    (2, 18, "how to arm the alarm"), (12, 11, "shellac allergy mask"),
    (6, 11, "which mask for shellac fumes"), (5, 11, "brown filter mask"),
    (3, 11, "Ilse shellac fumes"), (1, 11, "mask for varnishing shellac"),
    (8, 8, "when does Thilo work"), (1, 8, "Thilo school Monday"),
    (28, 9, "when may I call Ilse"), (9, 9, "Ilse calls after 10"),
]  # fmt: skip

# Days before today, role, text: a chat over Telegram.
CHAT: list[tuple[int, str, str]] = [
    (15, "user", "Riepl called: spruce orders now close on Wednesday evening, please remember."),
    (15, "assistant", "Noted: spruce orders close on Wednesday evening."),
    (7, "user", "Which mask do I need today?"),
    (7, "assistant", "The one with the brown filter, because of the shellac fumes."),
    (2, "user", "My mail is ilse@example.org, password: violin-Secret-77, do not store that."),
    (2, "assistant", "I will not keep it."),
]

# Id, hours until it is due, kind, sensitivity, why, what to say: noticed in the chat.
FOLLOW_UPS: list[tuple[str, int, str, str, str, str]] = [
    ("cm_cello", -2, "event_check_in", "routine",
     "Frau Adeyemi tries the cello at a rehearsal.", "How did the cello do at the rehearsal?"),
    ("cm_fumes", 26, "care_check_in", "care",
     "Ilse coughed after varnishing.", "Is the cough from the fumes better?"),
    ("cm_taxes", 74, "deadline_check", "routine",
     "Ilse wants to call the tax adviser.", "Did you reach the tax adviser?"),
]  # fmt: skip


def write_tree(home: Path, now: datetime) -> None:
    """Lay out configuration, notes, one chat and its follow-ups below ``home``."""
    state = home / ".openclaw"
    notes = state / "workspace" / "memory"
    notes.mkdir(parents=True)
    dreaming = {"enabled": True, "timezone": "Europe/Berlin"}
    defaults = {
        "userTimezone": "Europe/Berlin",
        "memorySearch": {"provider": "none"},
        "heartbeat": {"every": "1h", "target": "last"},
    }
    config = {
        "agents": {"defaults": defaults},
        "session": {"dmScope": "per-channel-peer"},
        "commitments": {"enabled": True},
        "plugins": {"entries": {"memory-core": {"config": {"dreaming": dreaming}}}},
    }  # fmt: skip
    _write_private(state / "openclaw.json", json.dumps(config, indent=2) + "\n")
    for days, text in NOTES.items():
        lines = [line.strip() for line in text.strip().splitlines()]
        day = now - timedelta(days=days)
        path = notes / f"{day:%Y-%m-%d}.md"
        path.write_text("\n".join(lines) + "\n")
        os.utime(path, (day.timestamp(), day.timestamp()))
    _write_chat(state / "agents" / "main" / "sessions", now)
    _write_follow_ups(state / "commitments", now)
    for folder in (state, *state.rglob("*/")):
        folder.chmod(0o700)


def _write_chat(folder: Path, now: datetime) -> None:
    folder.mkdir(parents=True)
    session_id = SESSION_ID
    first = now - timedelta(days=CHAT[0][0])
    rows: list[dict[str, object]] = [
        {"type": "session", "version": 3, "id": session_id, "timestamp": _iso(first), "cwd": "/"}
    ]
    for number, (days, role, text) in enumerate(CHAT, 1):
        at = now - timedelta(days=days) + timedelta(minutes=number)
        rows.append(
            {"type": "message", "id": f"{number:08x}",
             "parentId": f"{number - 1:08x}" if number > 1 else None, "timestamp": _iso(at),
             "message": {"role": role, "content": [{"type": "text", "text": text}],
                         "timestamp": int(at.timestamp() * 1000)}}
        )  # fmt: skip
    text = "".join(json.dumps(row) + "\n" for row in rows)
    _write_private(folder / f"{session_id}.jsonl", text)
    at_ms = int((now - timedelta(days=2)).timestamp() * 1000)
    place = {"channel": "telegram", "to": "4711"}
    row = {"sessionId": session_id, "updatedAt": at_ms, "chatType": "direct",
           "channel": "telegram", "deliveryContext": place}  # fmt: skip
    _write_private(folder / "sessions.json", json.dumps({SESSION_KEY: row}, indent=2))


def _write_follow_ups(folder: Path, now: datetime) -> None:
    folder.mkdir()
    now_ms = int(now.timestamp() * 1000)
    noticed_ms = now_ms - 2 * 24 * HOUR_MS
    rows = [
        {"id": row_id, "agentId": "main", "sessionKey": SESSION_KEY, "channel": "telegram",
         "to": "4711", "kind": kind, "sensitivity": sensitivity,
         "source": "inferred_user_context", "status": "pending", "reason": reason,
         "suggestedText": text, "dedupeKey": row_id, "confidence": 0.9,
         "dueWindow": {"earliestMs": now_ms + hours * HOUR_MS,
                       "latestMs": now_ms + (hours + 12) * HOUR_MS, "timezone": "Europe/Berlin"},
         "createdAtMs": noticed_ms, "updatedAtMs": noticed_ms, "attempts": 0}
        for row_id, hours, kind, sensitivity, reason, text in FOLLOW_UPS
    ]  # fmt: skip
    store = {"version": 1, "commitments": rows}
    _write_private(folder / "commitments.json", json.dumps(store, indent=2) + "\n")


def _write_private(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o600)


def _iso(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def openclaw(home: Path, *argv: str, now: datetime | None = None, show: bool = False) -> None:
    """Run the program on the tree below ``home``, at ``now`` where given."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OPENCLAW_", "OPENAI_"))}
    env["HOME"] = str(home)
    if now is not None:
        env["OPENCLAW_NOW"] = _iso(now)
    if show:
        print(f"\n$ openclaw {' '.join(argv)}", flush=True)
    subprocess.run(
        [PROGRAM, *argv], env=env, cwd=home, check=True, stdout=None if show else subprocess.DEVNULL
    )


def main() -> None:
    """Write the month into the folder named on the command line and sweep it."""
    words = [word for word in sys.argv[1:] if word != "--no-sweep"]
    home = Path(words[0] if words else "sample").resolve()
    if (home / ".openclaw").exists():
        shutil.rmtree(home / ".openclaw")
    home.mkdir(parents=True, exist_ok=True)
    frozen = os.environ.get("OPENCLAW_NOW")
    now = datetime.fromisoformat(frozen) if frozen else datetime.now(UTC).replace(microsecond=0)
    write_tree(home, now)
    print(f"A month of notes and a chat are in {home}; reliving {len(SEARCHES)} searches ...")
    for days, hour, query in sorted(SEARCHES, key=lambda s: (-s[0], s[1])):
        at = (now - timedelta(days=days)).replace(hour=hour, minute=0, second=0)
        openclaw(home, "memory", "search", query, now=at)
    if "--no-sweep" not in sys.argv:
        at_end = now if frozen else None
        openclaw(home, "sessions", "cleanup", "--dry-run", now=at_end, show=True)
        openclaw(home, "dreaming", "sweep", now=at_end, show=True)
    print(f"\nLook around: HOME={home} {PROGRAM} status")


if __name__ == "__main__":
    main()
