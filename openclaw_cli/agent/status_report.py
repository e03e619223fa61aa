"""``/status``: what a person wants to know about the running conversation (``sessions.md`` 10.1).

Facts that nobody knows drop their line; no model is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from openclaw_cli import __version__
from openclaw_cli.agent import stop
from openclaw_cli.config import agents
from openclaw_cli.model import budget, refs
from openclaw_cli.sessions import entry, listing
from openclaw_cli.sessions.model_in_use import ModelResolver
from openclaw_cli.state import clock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from openclaw_cli.agent.session import Place
    from openclaw_cli.sessions.entry import Row


def text(place: Place, row: Row | None) -> str:
    """The lines of ``/status``."""
    return "\n".join(_lines(place, row or {}))


def context_share(row: Row, window: int) -> str:
    """``1.0k/32k (3%)``, or ``?/32k`` while nobody knows the size."""
    total = entry.total_tokens(row) if entry.is_fresh(row) else None
    stored = entry.number(row.get("contextTokens"))
    size = stored if stored else window
    if total is None:
        return f"?/{listing.thousands(size)}"
    share = listing.percent_used(total, size) or 0
    return f"{listing.thousands(total)}/{listing.thousands(size)} ({share}%)"


def _lines(place: Place, row: Row) -> Iterator[str]:
    config, now_ms = place.config, place.now_ms
    resolver = ModelResolver(config)
    model = resolver.in_use(row, place.agent_id)
    window = int(resolver.window(row, model))
    at = clock.local(now_ms, agents.user_zone(config))
    yield f"🦞 openclaw-cli {__version__}"
    yield f"🕒 {at:%A, %Y-%m-%d %H:%M} ({at.tzinfo}) · Reference UTC: {clock.iso(now_ms)[:16]}Z"
    yield f"🧠 Model: {model if model.name else 'none'}{_key_note(place, model.provider)}"
    yield from _fallbacks(place, row)
    yield from _last_call(place, now_ms)
    if entry.number(row.get("inputTokens")) is not None:
        said = _tokens(entry.number(row.get("outputTokens")) or 0)
        yield f"🧮 Tokens: {_tokens(row['inputTokens'])} in / {said} out"
    if entry.number(row.get("cacheRead")):
        yield f"🗄️ Cache: {listing.thousands(row['cacheRead'])} read"
    compactions = int(entry.number(row.get("compactionCount")) or 0)
    yield f"📚 Context: {context_share(row, window)} · 🧹 Compactions: {compactions}"
    yield f"🧵 Session: {place.key}{_times(row, now_ms)}"
    children = stop.children(place)
    if children:
        yield f"🧑‍🚀 Sub-agents: {len(children)}"
    yield f"⚙️ {_switches(row)}"
    if entry.text(row, "groupActivation"):
        yield f"👥 Activation: {row['groupActivation']}"
    if entry.text(row, "queueMode"):
        yield f"🪢 Queue: {row['queueMode']}"
    yield from _whatsapp(place, now_ms)


def _key_note(place: Place, provider: str | None) -> str:
    if provider is None:
        return ""
    found = refs.auth(place.config, provider)
    return f" · 🔑 {found.state}" + (f" ({found.source})" if found.source else "")


def _fallbacks(place: Place, row: Row) -> Iterator[str]:
    """The models that would be asked next; a pinned model has none."""
    others = refs.default_choice(place.config, place.agent_id).refs[1:]
    if others and not entry.text(row, "modelOverride"):
        yield f"↪️ Fallbacks: {', '.join(map(str, others))}"


def _last_call(place: Place, now_ms: int) -> Iterator[str]:
    """How the agent's last model call ended, from the books."""
    last = None
    for at, line in budget.read(place.paths):
        if line.get("agentId") == place.agent_id:
            last = (at, line)
    if last is not None:
        at, line = last
        age = listing.age_label(now_ms - at)
        yield f"📡 Last call: {line.get('outcome')} {age} ({line.get('model')})"


def _tokens(count: float) -> str:
    return f"{count:.0f}" if count < 1000 else listing.thousands(count)


def _times(row: Row, now_ms: int) -> str:
    parts = []
    started = entry.timestamp(row.get("sessionStartedAt"))
    if started is not None and started <= now_ms:
        parts.append(f"duration {_duration(now_ms - started)}")
    updated = entry.updated_ms(row)
    if updated is not None:
        parts.append(f"updated {listing.age_label(now_ms - updated)}")
    return "".join(f" • {part}" for part in parts)


def _duration(ms: int) -> str:
    for size, unit in ((clock.DAY_MS, "d"), (clock.HOUR_MS, "h"), (clock.MINUTE_MS, "m")):
        if ms >= size:
            return f"{ms // size}{unit}"
    return f"{ms // 1000}s"


def _switches(row: Row) -> str:
    named = {
        "Think": "thinkingLevel", "Verbose": "verboseLevel", "Reasoning": "reasoningLevel",
        "Elevated": "elevatedLevel", "Send": "sendPolicy",
    }  # fmt: skip
    shown = [f"{label}: {row[name]}" for label, name in named.items() if entry.text(row, name)]
    if "fastMode" in row:
        shown.append(f"Fast: {'on' if row['fastMode'] is True else row['fastMode'] or 'off'}")
    return " · ".join(["Execution: direct", *shown])


def _whatsapp(place: Place, now_ms: int) -> Iterator[str]:
    """The age of each linked account, so that a needed relink shows."""
    folder = place.paths.under("credentials", "whatsapp")
    for path in sorted(folder.glob("*/creds.json")):
        try:
            age = now_ms - int(path.stat().st_mtime * 1000)
        except OSError:
            continue
        yield f"📱 WhatsApp {path.parent.name}: credentials refreshed {listing.age_label(age)}"
