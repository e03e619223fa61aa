"""What a heartbeat of one agent would do now, and why not (``heartbeat.md`` 2-4, 7).

Reads only. ``run`` acts on what is found here, ``status`` shows it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.config import agents
from openclaw_cli.delivery import channels, outbox, targets
from openclaw_cli.errors import UnreadableFile
from openclaw_cli.heartbeat import due, events, settings, state
from openclaw_cli.sessions import discovery, keys, lookup, store
from openclaw_cli.sessions.routing import KeyRules
from openclaw_cli.state import clock, files, lock

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.delivery.targets import Target
    from openclaw_cli.heartbeat import checklist as checklists
    from openclaw_cli.sessions.entry import Row

DISABLED, QUIET, NOT_DUE = "disabled", "quiet-hours", "not-due"
IN_FLIGHT, CRON_BUSY, LANES_BUSY = "requests-in-flight", "cron-in-progress", "lanes-busy"
EMPTY_FILE, NO_TASKS, ALERTS_OFF = "empty-heartbeat-file", "no-tasks-due", "alerts-disabled"
SEND_POLICY = "send-policy"
BUDGET, NO_MODEL = "budget", settings.NO_MODEL
MIN_SPACING = "min-spacing"
FINAL_REPLY_GRACE_MS = 30_000
MIN_SPACING_MS = 30_000
_PLACE = ("target", "to", "accountId")


@dataclass
class Wish:
    """How a run was asked for.

    ``force`` passes over due time, spacing and active hours. The others keep to the active
    hours: ``at_once`` does not wait for its time; ``from_cron`` comes from a scheduled task,
    which is itself running, and answers where the session last was; ``session_key`` is the
    session that something happened in, which is run at most every half minute.
    """

    force: bool = False
    at_once: bool = False
    from_cron: bool = False
    session_key: str | None = None


@dataclass
class Look:
    """One agent as it stands.

    ``reason`` is why nothing would run, None when it would, ``is_noted`` whether that is an
    event; ``target`` where an alert would go. ``tasks`` are the due ones; ``task_state``
    when each last ran (epoch ms). ``store_path`` keeps the row of ``session_key``.
    """

    config: Config
    agent_id: str
    now_ms: int
    settings: settings.Settings
    session_key: str
    store_path: Path
    row: Row | None
    target: Target
    next_due_ms: int | None
    last_run_ms: int | None
    reason: str | None = None
    is_noted: bool = False
    checklist: checklists.Checklist | None = None
    tasks: list[checklists.Task] = field(default_factory=list)
    task_state: dict[str, Any] = field(default_factory=dict)
    events: list[events.Event] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def workspace(self) -> Path:
        """The agent's workspace."""
        return agents.workspace_dir(self.config, self.config.paths, self.agent_id)

    @property
    def heartbeat_file(self) -> Path:
        """Where the agent's HEARTBEAT.md is, or would be."""
        return self.workspace / "HEARTBEAT.md"

    @property
    def is_isolated(self) -> bool:
        """Whether each run gets a session of its own."""
        return self.settings.block.get("isolatedSession") is True

    @property
    def visibility(self) -> channels.Visibility:
        """What may show on the channel that the answer goes to."""
        channel = self.target.channel if self.target.problem is None else None
        return channels.visibility(self.config, channel, self.target.account_id)


def at(config: Config, agent_id: str, wish: Wish, *, now_ms: int) -> Look:
    """Look at one agent (a configured id)."""
    paths = config.paths
    known = state.read(paths)
    found = settings.of_agent(config, agent_id)
    rules = KeyRules.from_config(config)
    usual = session_key(config, agent_id, found.block.get("session"), rules)
    key = usual if wish.session_key is None else wish.session_key
    row = _row(config, agent_id, key, rules)
    last = state.last_run_started_ms(known, agent_id)
    target = (_reminders_target if wish.from_cron else _target)(config, found.block, key, row)
    look = Look(
        config=config,
        agent_id=agent_id,
        now_ms=now_ms,
        settings=found,
        session_key=key,
        store_path=_store_path(config, agent_id, key),
        row=row,
        target=target,
        next_due_ms=next_due_ms(config, found, last, now_ms),
        last_run_ms=last,
        events=events.waiting(paths, key),
    )
    # What woke the agent is to be dealt with, not the checklist.
    if not wish.from_cron and key == usual:
        look.checklist = _checklist(look)
    look.task_state = _task_state(known, agent_id, row)
    if look.checklist is not None and look.checklist.tasks:
        from openclaw_cli.heartbeat.checklist import due_tasks

        look.tasks = due_tasks(look.checklist.tasks, look.task_state, now_ms)
    look.warnings = _warnings(look, known)
    look.reason = _blocked(look, known, wish)
    if look.reason is None:
        look.reason = _busy(look, wish)
        look.is_noted = look.reason is not None
    if look.reason is None and _final_reply_is_pending(look):
        look.reason = IN_FLIGHT
    return look


def next_due_ms(
    config: Config, found: settings.Settings, last_run_ms: int | None, now_ms: int
) -> int | None:
    """When the agent runs next; zones are loaded only for those who set active hours."""
    if _has_hours(found):
        return due.next_due_ms(found, last_run_ms, now_ms, agents.user_zone(config))
    return due.slot_ms(found, last_run_ms, now_ms)


def _has_hours(found: settings.Settings) -> bool:
    return settings.window_minutes(found.block.get("activeHours")) is not None


def _target(config: Config, block: dict[str, Any], key: str, row: Row | None) -> Target:
    """Where an alert goes; a send policy that denies it is a problem like any other."""
    found = targets.for_heartbeat(block, targets.last_route(row), config)
    if found.problem is not None:
        return found
    return found._replace(problem=SEND_POLICY) if is_denied(config, key, row, found) else found


def _reminders_target(config: Config, block: dict[str, Any], key: str, row: Row | None) -> Target:
    """Where the answer to a scheduled reminder goes: to the last conversation.

    Without one it goes where alerts go; with nobody to tell, the reminder is dealt with
    silently.
    """
    others = {name: value for name, value in block.items() if name not in _PLACE}
    found = _target(config, others | {"target": "last"}, key, row)
    if found.problem != targets.NO_TARGET:
        return found
    usual = _target(config, block, key, row)
    if usual.problem == targets.NO_TARGET:
        return usual._replace(problem=targets.TARGET_NONE)
    return usual


def is_denied(config: Config, key: str, row: Row | None, target: Target) -> bool:
    """Whether the send policy keeps this session's answers from going to ``target``."""
    from openclaw_cli.sessions import send_policy

    decision = send_policy.decide(
        config.get("session", "sendPolicy"),
        key,
        row or {},
        channel=target.channel,
        chat_type=target.chat_type,
    )
    return decision == send_policy.DENY


def session_key(config: Config, agent_id: str, wanted: object, rules: KeyRules) -> str:
    """The session that the turn runs in: the main one unless the settings name another."""
    main = "global" if rules.global_scope else keys.main_key(agent_id, rules.main)
    text = wanted.strip() if isinstance(wanted, str) else ""
    if text.lower() in ("", "main", "global"):
        return main
    if keys.is_malformed(text):
        return main
    key = keys.for_agent(agent_id, keys.normalize(text))
    parsed = keys.parse(key)
    if parsed is None or parsed.agent_id != agent_id or keys.subagent_depth(key):
        return main
    return key


def idle_reason(look: Look) -> str | None:
    """Why HEARTBEAT.md gives an ordinary run nothing to do; None when there is something."""
    if look.events or look.checklist is None:
        return None
    if look.checklist.tasks:
        return None if look.tasks else NO_TASKS
    return EMPTY_FILE if look.checklist.is_empty else None


def unasked_reason(look: Look, row: Row | None) -> str | None:
    """Why no model can be asked now in the session of ``row``, None when one can."""
    from openclaw_cli.model import budget

    if budget.blocks(look.config, "heartbeat", look.now_ms):
        return BUDGET
    is_pinned = bool(row and row.get("modelOverride"))
    return None if is_pinned or settings.has_model(look.config, look.settings) else NO_MODEL


def is_busy(look: Look, key: str) -> bool:
    """Whether another process holds the turn of the session ``key``."""
    row = look.row if key == look.session_key else _row(
        look.config, look.agent_id, key, KeyRules.from_config(look.config)
    )  # fmt: skip
    if row is None:
        return False
    folder = _store_path(look.config, look.agent_id, key).parent
    path = discovery.resolve_transcript(row, folder, state_dir=look.config.paths.state_dir)
    return path is not None and lock.held_by_another(path.with_name(path.name + ".lock"))


def run_lock_path(config: Config, agent_id: str) -> Path:
    """The run lock of an agent's heartbeat."""
    return config.paths.job(f"heartbeat-{agent_id}.lock")


def _blocked(look: Look, known: dict[str, Any], wish: Wish) -> str | None:
    """The first gate that closes, in their order; what only idles is ``idle_reason``'s."""
    if not state.is_switched_on(known) or not look.settings.enabled:
        return DISABLED
    waits = not (wish.force or wish.at_once or wish.from_cron or wish.session_key)
    if waits and not _is_past_due(look):
        return NOT_DUE
    if wish.session_key and not (wish.force or wish.at_once) and _is_too_soon(look):
        return MIN_SPACING
    if not wish.force and not _is_open(look):
        return QUIET
    if lock.held_by_another(run_lock_path(look.config, look.agent_id)):
        return IN_FLIGHT
    return None


def _busy(look: Look, wish: Wish) -> str | None:
    """What has to end before this agent may run: these skips are events."""
    if not wish.from_cron and _task_is_running(look.config):
        return CRON_BUSY
    if look.settings.block.get("skipWhenBusy") is True and _subagents_work(look):
        return LANES_BUSY
    sessions = [look.session_key]
    if look.is_isolated:
        sessions.append(keys.heartbeat_key(look.session_key))
    return IN_FLIGHT if any(is_busy(look, key) for key in sessions) else None


def _is_past_due(look: Look) -> bool:
    slot = due.slot_ms(look.settings, look.last_run_ms, look.now_ms)
    return slot is None or look.now_ms >= slot


def _is_open(look: Look) -> bool:
    if not _has_hours(look.settings):
        return True
    return settings.is_open(look.settings, look.now_ms, agents.user_zone(look.config))


def _is_too_soon(look: Look) -> bool:
    last = look.last_run_ms
    return last is not None and 0 <= look.now_ms - last < MIN_SPACING_MS


def _task_is_running(config: Config) -> bool:
    from openclaw_cli.schedule import due as tasks_due
    from openclaw_cli.schedule import settings as cron_settings
    from openclaw_cli.schedule import store as tasks

    path = cron_settings.store_path(config, config.paths)
    if not path.exists():
        return False
    now_ms = clock.now_ms()
    return any(
        tasks_due.claim(task, now_ms) == tasks_due.RUNNING for task in tasks.load(path).tasks
    )


def _subagents_work(look: Look) -> bool:
    rows = store.load(discovery.store_path(look.config, look.config.paths, look.agent_id)).rows
    return any(
        isinstance(row, dict) and keys.subagent_depth(key) and is_busy(look, key)
        for key, row in rows.items()
    )


def _final_reply_is_pending(look: Look) -> bool:
    """Whether an answer of this session is on its way out, since less than half a minute."""
    if _says_something(look.row) and _is_recent(look, (look.row or {}).get("updatedAt")):
        return True
    for record in outbox.load(look.config.paths):
        if record.get("sessionKey") != look.session_key or record["status"] != outbox.PENDING:
            continue
        at = record.get("updatedAtMs", record.get("ts"))
        if _is_recent(look, at) and not _is_acknowledgement(record.get("text")):
            return True
    return False


def _says_something(row: Row | None) -> bool:
    """Whether the reference noted an undelivered final reply that is no acknowledgement."""
    if row is None or not row.get("pendingFinalDelivery"):
        return False
    return not _is_acknowledgement(row.get("pendingFinalDeliveryText"))


def _is_acknowledgement(text: object) -> bool:
    if not isinstance(text, str):
        return False
    from openclaw_cli.heartbeat import reply

    return not reply.read(text, ack_max_chars=settings.DEFAULT_ACK_CHARS).is_alert


def _is_recent(look: Look, at: object) -> bool:
    return isinstance(at, int | float) and look.now_ms - at < FINAL_REPLY_GRACE_MS


def _checklist(look: Look) -> checklists.Checklist | None:
    """What HEARTBEAT.md says; None when it is missing or cannot be read."""
    try:
        text = files.read_text(look.heartbeat_file, what="HEARTBEAT.md")
    except UnreadableFile as error:
        look.warnings.append(error.message)
        return None
    if text is None:
        return None
    from openclaw_cli.heartbeat.checklist import parse

    return parse(text)


def _task_state(known: dict[str, Any], agent_id: str, row: Row | None) -> dict[str, Any]:
    """When each task last ran: from the row, and from our file while there was no row."""
    own = state.peek(known, agent_id).get("taskState")
    stored = (row or {}).get("heartbeatTaskState")
    merged: dict[str, Any] = {}
    for source in (own, stored):
        merged |= source if isinstance(source, dict) else {}
    return merged


def _store_path(config: Config, agent_id: str, key: str) -> Path:
    """The store of a session; the one global session is the default agent's."""
    owner = agents.default_agent_id(config) if key == "global" else agent_id
    return discovery.store_path(config, config.paths, owner)


def _row(config: Config, agent_id: str, key: str, rules: KeyRules) -> Row | None:
    rows = store.load(_store_path(config, agent_id, key)).rows
    stored = lookup.find(rows, key, rules, agent_id=agent_id)
    row = rows.get(stored) if stored else None
    return row if isinstance(row, dict) else None


def _warnings(look: Look, known: dict[str, Any]) -> list[str]:
    found = list(look.warnings)
    if not state.is_switched_on(known):
        found.append("all heartbeats are switched off (openclaw heartbeat enable)")
    if not look.settings.enabled:
        return found
    if due.is_zero_width(look.settings):
        found.append("activeHours has zero width (start equals end): no tick will ever run")
    zone = settings.unknown_zone(look.settings)
    if zone is not None:
        found.append(f"activeHours.timezone {zone!r} is no known time zone: the user's is used")
    if look.settings.target == "none":
        found.append(
            "target is none: alerts go nowhere, and due commitments wait "
            "(openclaw config set agents.defaults.heartbeat.target last)"
        )
    elif look.target.problem is not None:
        found.append(f"an alert could not be delivered now: {look.target.problem}")
    for problem in look.checklist.problems if look.checklist else ():
        name = f" {problem.name!r}" if problem.name else ""
        found.append(f"HEARTBEAT.md line {problem.line}: task{name} {problem.reason}")
    return found
