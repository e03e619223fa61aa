"""Gateway methods that change sessions (``sessions.md`` 13).

Each is the command of the same name under the protocol's own words; rows are changed under
the store's lock, with the maintenance of ordinary writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from openclaw_cli.errors import Busy, NotAllowed, OpenClawError, UnknownName
from openclaw_cli.sessions import cleanup as cleaning
from openclaw_cli.sessions import discovery, entry, keys, lookup, removal, selection, truncation
from openclaw_cli.sessions.entry import Row
from openclaw_cli.sessions.model_in_use import ModelResolver
from openclaw_cli.sessions.routing import KeyRules
from openclaw_cli.sessions.work import Work

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths

DEFAULT_MAX_LINES = 400

_CHOICES = {
    "sendPolicy": ("allow", "deny"),
    "groupActivation": ("mention", "always"),
    "responseUsage": ("on", "off", "tokens", "full"),
    "verboseLevel": ("on", "off", "full"),
    "reasoningLevel": ("on", "off", "stream"),
    "elevatedLevel": ("on", "off", "ask", "full"),
    "traceLevel": ("on", "off"),
}
_STAMPS = {"archived": "archivedAt", "pinned": "pinnedAt"}


def create(config: Config, paths: Paths, params: dict[str, Any], now_ms: int) -> dict[str, Any]:
    """``sessions.create``: mint a row; a key that exists already is refused."""
    agent = params.get("agentId")
    new_id = str(uuid4())
    asked = params.get("key", "").strip()
    target = (
        selection.target_for(config, paths, asked, agent=agent)
        if asked
        else discovery.targets(config, paths, agent=agent)[0]
    )
    text = keys.require(asked) if asked else f"explicit:{new_id}"
    rules = KeyRules.from_config(config)
    key = lookup.canonical(text, rules, agent_id=target.agent_id)
    patch: Row = {"label": params["label"]} if "label" in params else {}
    patch |= _model_fields(config, params["model"]) if "model" in params else {}
    if "parentSessionKey" in params:
        parent = selection.select(config, paths, params["parentSessionKey"])
        patch["parentSessionKey"] = parent.key

    def change(rows: dict[str, Any]) -> Row:
        taken = lookup.find(rows, key, rules, agent_id=target.agent_id)
        if taken is not None:
            raise OpenClawError(f'there is a session "{taken}" already', code="session-exists")
        _require_free_label(rows, key, patch.get("label"))
        rows[key] = entry.merged(None, patch, now_ms=now_ms, new_id=new_id)
        return dict(rows[key])

    work = Work(config, paths, "sessions.create", now_ms)
    row = work.change_rows(target, key, change)
    return {"ok": True, "key": key, "sessionId": row["sessionId"], "entry": row}


def patch(config: Config, paths: Paths, params: dict[str, Any], now_ms: int) -> dict[str, Any]:
    """``sessions.patch``: set or (null) clear switches of one row."""
    selected = selection.select(config, paths, params["key"], agent=params.get("agentId"))
    wanted = {name: v for name, v in params.items() if name not in ("key", "agentId")}
    changes = _row_changes(config, wanted, now_ms)

    def change(rows: dict[str, Any]) -> Row:
        row = rows.get(selected.key)
        if not isinstance(row, dict):
            raise OpenClawError(f'session "{selected.key}" is gone', code="unknown-session")
        if "label" in changes:
            _require_free_label(rows, selected.key, changes["label"])
        rows[selected.key] = entry.merged(
            row, changes, now_ms=now_ms, new_id=str(uuid4()), touch=False
        )
        return dict(rows[selected.key])

    target = selected.target
    work = Work(config, paths, "sessions.patch", now_ms)
    row = work.change_rows(target, selected.key, change)
    model = ModelResolver(config).in_use(row, keys.agent_of(selected.key, target.agent_id))
    return {
        "ok": True,
        "path": str(target.store_path),
        "key": selected.key,
        "entry": row,
        "resolved": {"modelProvider": model.provider, "model": model.name},
    }


def reset(config: Config, paths: Paths, params: dict[str, Any], now_ms: int) -> dict[str, Any]:
    """``sessions.reset``: a new session id; the old transcript becomes an archive.

    ``reason`` (``new`` or ``reset``) makes no difference here.
    """
    result = _remove(config, paths, params["key"], removal.RESET, now_ms)
    selected = selection.select(config, paths, result["key"])
    return {"ok": True, "key": selected.key, "entry": selected.row, "archived": result["archived"]}


def delete(config: Config, paths: Paths, params: dict[str, Any], now_ms: int) -> dict[str, Any]:
    """``sessions.delete``: the row goes, the transcript becomes an archive.

    ``deleteTranscript`` false still archives: a transcript without a row would be lost to
    everybody but the sweep.
    """
    result = _remove(config, paths, params["key"], removal.DELETE, now_ms)
    return {"ok": True, "key": result["key"], "deleted": True, "archived": result["archived"]}


def compact(config: Config, paths: Paths, params: dict[str, Any], now_ms: int) -> dict[str, Any]:
    """``sessions.compact``: cut the transcript to its last lines (400 by default)."""
    selected = selection.select(config, paths, params["key"], agent=params.get("agentId"))
    work = Work(config, paths, "sessions.compact", now_ms)
    return truncation.truncate(selected, params.get("maxLines", DEFAULT_MAX_LINES), work)


def cleanup(config: Config, paths: Paths, params: dict[str, Any], now_ms: int) -> Any:
    """``sessions.cleanup``: the retention policy once."""
    targets = discovery.targets(
        config,
        paths,
        agent=params.get("agent") or params.get("agentId"),
        all_agents=params.get("allAgents", False),
    )
    options = cleaning.Options(
        dry_run=params.get("dryRun", False),
        enforce=params.get("enforce", False),
        fix_missing=params.get("fixMissing", False),
        fix_dm_scope=params.get("fixDmScope", False),
        active_key=params.get("activeKey"),
    )
    return cleaning.run(config, paths, targets, options, now_ms=now_ms).document


def _remove(config: Config, paths: Paths, key: str, operation: str, now_ms: int) -> dict[str, Any]:
    """Delete or reset one session; its result, or the error that its status means."""
    done = removal.Removal(config, paths, operation, now_ms).run([key])
    result: dict[str, Any] = done["results"][0]
    if result["ok"]:
        return result
    message = result.get("error") or f'session "{result["key"]}" is {result["status"]}'
    if result["status"] == "unknown":
        raise UnknownName(message, code="unknown-session")
    if result["status"] == "busy":
        raise Busy(message, hint="a turn of it is running; try again when it has ended")
    raise NotAllowed(message, code=result["status"])


def _row_changes(config: Config, wanted: dict[str, Any], now_ms: int) -> Row:
    """The row fields that the parameters of a patch mean; None clears."""
    changes: Row = {}
    for name, value in wanted.items():
        if name == "model":
            changes |= _model_fields(config, value)
        elif name in _STAMPS:
            changes[_STAMPS[name]] = now_ms if value else None
        elif value is not None and name in _CHOICES and value not in _CHOICES[name]:
            raise OpenClawError(
                f"invalid sessions.patch params: '{name}' must be one of "
                f"{', '.join(_CHOICES[name])} or null",
                code="INVALID_REQUEST",
            )
        else:
            changes[name] = (value.strip() or None) if isinstance(value, str) else value
    return changes


def _model_fields(config: Config, text: str | None) -> Row:
    """The fields that pin a model for its owner, or (None) take the pin away."""
    if text is None or not text.strip():
        return dict.fromkeys(("providerOverride", "modelOverride", "modelOverrideSource"))
    from openclaw_cli.model import refs

    found = refs.parse_ref(config, text)
    return {
        "providerOverride": found.provider,
        "modelOverride": found.model,
        "modelOverrideSource": "user",
    }


def _require_free_label(rows: dict[str, Any], key: str, label: object) -> None:
    """A label is unique in its store."""
    if not isinstance(label, str):
        return
    for other, row in rows.items():
        if other != key and isinstance(row, dict) and row.get("label") == label:
            raise NotAllowed(f'label "{label}" is in use by {other}', code="label-in-use")
