"""The last alert of a session: the same words go to the same place once a day.

Kept in the session's row (``lastHeartbeatText``, ``lastHeartbeatSentAt``,
``lastHeartbeatTo``), in the heartbeat state while there is no row (``heartbeat.md`` 9).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openclaw_cli.delivery import recipients
from openclaw_cli.heartbeat import state
from openclaw_cli.state import clock

if TYPE_CHECKING:
    from openclaw_cli.agent.session import Place
    from openclaw_cli.delivery.targets import Target

REPEAT_MS = clock.DAY_MS
AT = "lastHeartbeatSentAt"


def is_repeat(place: Place, text: str, target: Target) -> bool:
    """Whether the same words went to the same recipient less than a day ago."""
    last = _last(place)
    at = last.get(AT)
    if not isinstance(at, int | float) or not 0 <= place.now_ms - at < REPEAT_MS:
        return False
    where = last.get("lastHeartbeatTo")
    same_place = not isinstance(where, str) or where == _name_of(target)
    return same_place and str(last.get("lastHeartbeatText") or "").strip() == text.strip()


def remember(place: Place, text: str, target: Target) -> None:
    """Remember an alert that was handed over."""
    told = {
        "lastHeartbeatText": text,
        AT: place.now_ms,
        "lastHeartbeatTo": _name_of(target),
    }
    if place.row() is not None:
        place.change(lambda row, _draft: None if row is None else row | told)
        return
    state.change(
        place.paths,
        lambda known: (
            state.agent_state(known, place.agent_id)
            .setdefault("lastAlerts", {})
            .update({place.key: told})
        ),
    )


def _last(place: Place) -> dict[str, Any]:
    row = place.row()
    if row is not None and AT in row:
        return row
    kept = state.peek(state.read(place.paths), place.agent_id).get("lastAlerts")
    own = kept.get(place.key) if isinstance(kept, dict) else None
    return own if isinstance(own, dict) else {}


def _name_of(target: Target) -> str:
    channel = target.channel or ""
    return f"{channel}:{recipients.strip_channel(channel, target.to or '')}"
