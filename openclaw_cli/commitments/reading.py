"""Which exchanges of which sessions the extraction pass has still to look at.

Reads session stores, transcripts and cursors; writes nothing. Whom an exchange was with
comes from the session's key and row. Where several people share a session and nothing
tells which of them spoke, the exchange is passed over: a follow-up must never reach
somebody else (``commitments.md`` 11).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.commitments import cursors, exchanges
from openclaw_cli.commitments.candidates import Item
from openclaw_cli.commitments.exchanges import Exchange
from openclaw_cli.commitments.record import EXPIRY_GRACE_MS
from openclaw_cli.commitments.settings import MIN_AGE_MS
from openclaw_cli.config import agents
from openclaw_cli.delivery import targets
from openclaw_cli.delivery.targets import Route
from openclaw_cli.sessions import discovery, entry, keys, store, transcript
from openclaw_cli.state import lock
from openclaw_cli.state.ids import base36
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths

NO_CHANNEL, RECIPIENT_UNKNOWN, TOO_OLD = "no-channel", "recipient-unknown", "too-old"
GIVEN_UP = "given-up"
MAX_FAILURES = 3


class Turn(NamedTuple):
    """An exchange with its session; ``item`` is None where ``skip`` says why."""

    agent_id: str
    session_key: str
    transcript: str
    exchange: Exchange
    item: Item | None
    skip: str | None
    failures: int


@dataclass
class Session:
    """One session with something new: its turns, and the cursor once all are handled."""

    key: str
    turns: list[Turn] = field(default_factory=list)
    cursor: dict[str, Any] | None = None
    route: list[str | None] | None = None
    is_new: bool = False


@dataclass
class Reader:
    """Reads what is new. ``known`` is the cursors document of this pass."""

    config: Config
    paths: Paths
    known: Mapping[str, Any]
    now_ms: int
    zone_name: str
    min_age_ms: int = MIN_AGE_MS
    route: Route | None = None  # of the turn that has just ended, when the caller knows it
    busy: list[str] = field(default_factory=list)

    def sessions(self, agent_id: str, only: str | None = None) -> Iterator[Session]:
        """The sessions of an agent (or only one) in which something has to be done."""
        path = discovery.store_path(self.config, self.paths, agent_id)
        target = discovery.Target(agent_id, path)
        default = agents.default_agent_id(self.config)
        is_shared = path == discovery.store_path(self.config, self.paths, default)
        for key, row in store.load(path).rows.items():
            if only is not None and keys.normalize(key) != keys.normalize(only):
                continue
            owner = keys.agent_of(key, default if is_shared else agent_id)
            if owner != agent_id or not entry.is_usable(row):
                continue
            if not exchanges.is_conversation(key, row):
                continue
            found = self._session(agent_id, key, row, target)
            if found is not None:
                yield found

    def _session(
        self, agent_id: str, key: str, row: dict[str, Any], target: discovery.Target
    ) -> Session | None:
        path = discovery.find_transcript(row, target, self.paths).path
        if path is None or not path.is_file():
            return None
        name = keys.for_agent(agent_id, key)
        known = self.known["sessions"].get(name)
        is_new = not isinstance(known, dict)
        if not isinstance(known, dict):
            if self.route is None and not self._began_since_last_pass(agent_id, path):
                cursor = cursors.at_end(path, self.now_ms)
                return Session(name, cursor=cursor, route=_route_key(row), is_new=True)
            known = {"transcript": str(path), "messageId": None, "atMs": 0}
        size = path.stat().st_size
        if known.get("transcript") == str(path) and known.get("size") == size:
            return None
        if lock.is_held(path.with_name(path.name + ".lock")):
            self.busy.append(name)  # a turn is going on; its last lines are still to come
            return None
        session = Session(name, route=_route_key(row))
        for part, after in _parts(known, path):
            self._read(session, (agent_id, row), part, after)
        if is_new and self.route is not None:
            session.turns = session.turns[-1:]  # the turn that has just ended, not its past
        if session.cursor is not None and not session.cursor.pop("waiting"):
            session.cursor["size"] = size  # nothing to read until the file grows
        return session

    def _read(
        self,
        session: Session,
        owner: tuple[str, dict[str, Any]],
        path: Path,
        after: tuple[str | None, int],
    ) -> None:
        found = exchanges.find(
            transcript.read(path).entries,
            after,
            now_ms=self.now_ms,
            min_age_ms=self.min_age_ms,
            prompts=self._prompts(owner[0]),
        )
        known = self.known["sessions"].get(session.key) or {}
        for exchange in found.exchanges:
            failures = 0
            if known.get("failedId") == exchange.user_id:
                failures = int(known.get("failures") or 0)
            session.turns.append(
                self._turn(session.key, owner, str(path), exchange, failures=failures)
            )
        end_id = found.end_id or after[0]
        session.cursor = {
            "transcript": str(path),
            "messageId": end_id,
            "atMs": found.exchanges[-1].at_ms if found.exchanges else after[1],
            "waiting": found.waiting,
        }

    def _turn(
        self,
        key: str,
        owner: tuple[str, dict[str, Any]],
        path: str,
        exchange: Exchange,
        *,
        failures: int,
    ) -> Turn:
        agent_id, row = owner
        scope, skip = self._scope(agent_id, key, row, exchange)
        if skip is None and self.now_ms - exchange.at_ms > EXPIRY_GRACE_MS:
            skip = TOO_OLD
        if skip is None and failures >= MAX_FAILURES:
            skip = GIVEN_UP
        item = None
        if skip is None:
            item = Item(
                f"message:{base36(exchange.at_ms)}:{os.urandom(8).hex()}",
                scope,
                exchange.at_ms,
                self.zone_name,
                exchange.user_text,
                exchange.assistant_text,
            )
        return Turn(agent_id, key, path, exchange, item, skip, failures)

    def _scope(
        self, agent_id: str, key: str, row: dict[str, Any], exchange: Exchange
    ) -> tuple[dict[str, str], str | None]:
        """The row fields that say whom an exchange was with, or why that is not known."""
        route = self.route if self.route is not None and exchange.is_last else _route(row)
        if not route.channel:
            return {}, NO_CHANNEL
        fixed = keys.chat_type(key) is not None or exchange.is_last
        if not fixed and self._may_be_shared(key, route):
            return {}, RECIPIENT_UNKNOWN
        known = {
            "agentId": agent_id,
            "sessionKey": key,
            "channel": route.channel,
            "accountId": route.account_id,
            "to": route.to,
            "threadId": route.thread_id,
            "senderId": exchange.sender_id or _sender(row, route),
            "sourceMessageId": exchange.message_id,
        }
        return {name: value for name, value in known.items() if value}, None

    def _may_be_shared(self, key: str, route: Route) -> bool:
        """Whether earlier lines of a common session may be another person's."""
        known = self.known["sessions"].get(key) or {}
        before = known.get("route")
        moved = before is not None and before != [route.channel, route.to, route.account_id]
        return moved or self._several_people

    @cached_property
    def _several_people(self) -> bool:
        """Whether the channels admit more than one sender."""
        from openclaw_cli.sessions import senders

        admitted: set[tuple[str, str]] = set()
        for account in senders.accounts(self.config):
            allowed = senders.allowed(account, self.paths)
            if allowed.wildcard:
                return True
            admitted |= {(account.channel, peer) for peer in allowed.ids}
        return len(admitted) > 1

    def _began_since_last_pass(self, agent_id: str, path: Path) -> bool:
        """A session that began after the previous pass has no past to be left alone."""
        last = self.known["lastPassMs"].get(agent_id)
        started = transcript.started_at(path)
        return isinstance(last, int) and started is not None and started > last

    def _prompts(self, agent_id: str) -> Sequence[str]:
        prompt = agents.agent_block(self.config, agent_id, "heartbeat").get("prompt")
        return [prompt] if isinstance(prompt, str) and prompt.strip() else []


def _route_key(row: Mapping[str, Any]) -> list[str | None]:
    """What a cursor remembers of a session's route, to notice that it changed."""
    route = _route(row)
    return [route.channel, route.to, route.account_id]


def _parts(known: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, tuple[str | None, int]]]:
    """The files to read and where to start: the rest of an earlier transcript comes first."""
    line_id, at_ms = known.get("messageId"), known.get("atMs")
    after = (
        line_id if isinstance(line_id, str) else None,
        int(at_ms) if isinstance(at_ms, int | float) else 0,
    )
    before = known.get("transcript")
    if isinstance(before, str) and before != str(path):
        earlier = _archived(Path(before))
        if earlier is not None:
            yield earlier, after
        yield path, (None, 0)
    else:
        yield path, after


def _archived(path: Path) -> Path | None:
    """A transcript where it is now: in its place, or archived by a reset."""
    if path.is_file():
        return path
    archives = sorted(path.parent.glob(f"{path.name}.reset.*")) if path.parent.is_dir() else []
    return archives[-1] if archives else None


def _route(row: Mapping[str, Any]) -> Route:
    """The route of a session's replies; its origin where none is stored."""
    route = targets.last_route(row)
    if route.channel:
        return route
    origin = row.get("origin")
    if not isinstance(origin, dict):
        return route
    channel = origin.get("provider") or origin.get("surface")
    if not isinstance(channel, str) or not channel.strip():
        return route
    to = origin.get("to") or origin.get("from")
    account = origin.get("accountId")
    return route._replace(
        channel=channel.strip().lower(),
        to=to.strip() if isinstance(to, str) and to.strip() else None,
        account_id=account if isinstance(account, str) else None,
    )


def _sender(row: Mapping[str, Any], route: Route) -> str | None:
    """The person of a direct chat, as the origin names them."""
    from openclaw_cli.delivery.recipients import strip_channel

    origin = row.get("origin")
    sender = origin.get("from") if isinstance(origin, dict) else None
    if route.chat_type not in ("direct", "dm") or not isinstance(sender, str) or not sender.strip():
        return None
    return strip_channel(route.channel or "", sender)
