"""The extraction pass over real trees, with a scripted model (``commitments.md`` 4, 5, 11)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from builders import Tree
from conftest import Result
from followups import KEY, NOW_MS, PATH, document, row
from model_server import ModelServer

from openclaw_cli.commitments import extraction_pass
from openclaw_cli.config.load import load
from openclaw_cli.delivery.targets import Route
from openclaw_cli.state.clock import iso
from openclaw_cli.state.paths import Paths

pytestmark = pytest.mark.system

Run = Callable[..., Result]
CURSORS = ".openclaw/commitments/cursors.json"
SESSIONS = ".openclaw/agents/main/sessions"


@pytest.fixture
def world(tree: Tree, model_server: ModelServer) -> Tree:
    """A tree with the feature on, a model, and one direct session with one exchange."""
    tree.config(commitments={"enabled": True}, **model_server.config())
    tree.sessions({KEY: session("s1")})
    talk(tree, "s1", ("user", "Hello"), ("assistant", "Hi!"))
    return tree


def session(session_id: str, **more: Any) -> dict[str, Any]:
    context = {"channel": "telegram", "to": "telegram:123", "accountId": "default"}
    made = {
        "sessionId": session_id, "updatedAt": NOW_MS - 1000, "chatType": "direct",
        "deliveryContext": context,
        "origin": {"provider": "telegram", "from": "telegram:123", "to": "telegram:123"},
    }  # fmt: skip
    return made | more


def talk(
    tree: Tree, session_id: str, *turns: tuple[str, str], ago_s: int = 600, start: int = 0,
    append: bool = False, began_ms: int = NOW_MS - 900_000,
) -> None:  # fmt: skip
    path = tree.home / SESSIONS / f"{session_id}.jsonl"
    rows: list[Any] = []
    if not append:
        rows.append({"type": "session", "version": 3, "id": session_id,
                     "timestamp": iso(began_ms), "cwd": "/"})  # fmt: skip
    parent = f"l{start - 1}" if start else None
    for number, (role, text) in enumerate(turns, start):
        at_ms = NOW_MS - ago_s * 1000 + number * 1000
        rows.append(
            {"type": "message", "id": f"l{number}", "parentId": parent, "timestamp": iso(at_ms),
             "message": {"role": role, "content": text, "timestamp": at_ms}}
        )  # fmt: skip
        parent = f"l{number}"
    before = path.read_text() if append else ""
    tree.file(
        f"{SESSIONS}/{session_id}.jsonl", before + "".join(json.dumps(r) + "\n" for r in rows)
    )


def answer(*keys: str, **changes: Any) -> Callable[[str], str]:
    """An answer with one candidate per key, all for the first item of the prompt."""

    def text(prompt: str) -> str:
        block = prompt.partition("\n```json\n")[2].rpartition("\n```")[0]
        item_id = json.loads(block)[0]["itemId"]
        made = [
            {"itemId": item_id, "kind": "event_check_in", "sensitivity": "routine",
             "reason": "r", "suggestedText": "How did it go?", "confidence": 0.9,
             "dedupeKey": key, "dueWindow": {"earliest": "2026-11-21T15:00:00Z"}, **changes}
            for key in keys
        ]  # fmt: skip
        return json.dumps({"candidates": made})

    return text


def script(server: ModelServer, *answers: Any) -> None:
    """Answer each request by what it asked."""
    waiting = list(answers)
    original = server.take

    def take() -> Any:
        if not waiting:
            return original()
        made = waiting.pop(0)
        prompt = server.requests[-1].body["messages"][-1]["content"]
        server.reply(made(prompt) if callable(made) else made)
        return original()

    server.take = take  # type: ignore[method-assign]


def rows(tree: Tree) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tree.read(PATH)["commitments"]
    return found


def meet(run: Run) -> None:
    """The first pass, which starts every session at its end."""
    first = run("commitments", "extract", "--json").json()
    assert (first["turns"], first["newSessions"]) == (0, 1)


def test_a_session_met_for_the_first_time_starts_at_its_end(
    world: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    meet(openclaw_inproc)
    assert model_server.requests == []
    cursor = world.read(CURSORS)["sessions"][KEY]
    assert cursor["messageId"] == "l1"
    assert cursor["transcript"].endswith("s1.jsonl")
    assert (world.home / CURSORS).stat().st_mode & 0o777 == 0o600
    assert openclaw_inproc("commitments", "extract", "--json").json()["turns"] == 0


def test_a_new_exchange_becomes_a_row_with_the_scope_of_its_session(
    world: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    meet(openclaw_inproc)
    talk(world, "s1", ("user", "Interview tomorrow!"), ("assistant", "Luck!"), start=2, append=True)
    script(model_server, answer("interview:2026-11-21"))
    report = openclaw_inproc("commitments", "extract", "--json").json()
    assert (report["turns"], report["candidates"], report["created"]) == (1, 1, 1)
    assert report["usage"] == {"calls": 1, "inputTokens": 11, "outputTokens": 7}
    (made,) = rows(world)
    assert {k: made[k] for k in ("agentId", "sessionKey", "channel", "to", "accountId",
                                 "senderId", "sourceMessageId", "status")} == {
        "agentId": "main", "sessionKey": KEY, "channel": "telegram", "to": "telegram:123",
        "accountId": "default", "senderId": "123", "sourceMessageId": "l2", "status": "pending",
    }  # fmt: skip
    request = model_server.requests[0].body
    assert "tools" not in request
    assert "Interview tomorrow!" in request["messages"][-1]["content"]
    assert "Hello" not in request["messages"][-1]["content"]
    assert openclaw_inproc("commitments", "extract", "--json").json()["turns"] == 0
    assert len(model_server.requests) == 1
    text = (world.home / SESSIONS / "s1.jsonl").read_text()
    assert "candidates" not in text  # nothing of the hidden run is left in the conversation
    assert not (world.state / "commitments/extractor-sessions").exists()
    usage = world.lines(".openclaw/logs/usage.jsonl")
    assert [line["purpose"] for line in usage] == ["extraction"]


def test_a_dry_run_asks_no_model_and_writes_nothing(
    world: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    meet(openclaw_inproc)
    talk(world, "s1", ("user", "a"), ("assistant", "b"), start=2, append=True)
    before = world.read(CURSORS)
    done = openclaw_inproc("commitments", "extract", "--dry-run", "--exit-code", "--json")
    assert (done.exit, done.json()["turns"]) == (3, 1)
    assert model_server.requests == []
    assert world.read(CURSORS) == before
    assert not (world.home / PATH).exists()


def test_switched_off_nothing_is_read(
    world: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    world.config(commitments={"enabled": False}, **model_server.config())
    report = openclaw_inproc("commitments", "extract", "--json").json()
    assert report["reasons"] == {"main": "feature-off"}
    assert not (world.home / CURSORS).exists()


def test_a_session_that_began_after_the_last_pass_is_read_from_its_start(
    world: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    meet(openclaw_inproc)
    other = "agent:main:telegram:direct:77"
    world.sessions({KEY: session("s1"), other: session("s2")})
    talk(world, "s2", ("user", "New here"), ("assistant", "Welcome"), ago_s=-60,
         began_ms=NOW_MS + 50_000)  # fmt: skip
    script(model_server, answer("start:1"))
    report = openclaw_inproc("commitments", "extract", "--json", now=iso(NOW_MS + 120_000)).json()
    assert (report["turns"], report["created"]) == (1, 1)


def test_a_reset_session_goes_on_with_what_was_left_and_with_the_new_transcript(
    world: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    meet(openclaw_inproc)
    talk(world, "s1", ("user", "last words"), ("assistant", "noted"), start=2, append=True)
    folder = world.home / SESSIONS
    (folder / "s1.jsonl").rename(folder / "s1.jsonl.reset.2026-11-20T02-59-00.000Z")
    world.sessions({KEY: session("s2")})
    talk(world, "s2", ("user", "first words"), ("assistant", "hello again"), ago_s=300)
    model_server.default = '{"candidates": []}'
    report = openclaw_inproc("commitments", "extract", "--json").json()
    assert report["turns"] == 2
    prompt = model_server.prompts()[0]
    assert prompt.index("last words") < prompt.index("first words")
    assert world.read(CURSORS)["sessions"][KEY]["messageId"] == "l1"


def test_a_session_whose_turn_goes_on_waits(
    world: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    from openclaw_cli.state import lock

    meet(openclaw_inproc)
    talk(world, "s1", ("user", "a"), ("assistant", "b"), start=2, append=True)
    held = world.home / SESSIONS / "s1.jsonl.lock"
    with lock.run_lock(held):
        report = openclaw_inproc("commitments", "extract", "--json").json()
    assert (report["turns"], report["skipped"]) == (0, {"busy": 1})
    model_server.default = "{}"
    assert openclaw_inproc("commitments", "extract", "--json").json()["turns"] == 1


def test_without_a_model_the_pass_says_so_and_loses_nothing(
    world: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    meet(openclaw_inproc)
    talk(world, "s1", ("user", "a"), ("assistant", "b"), start=2, append=True)
    world.config(commitments={"enabled": True})
    done = openclaw_inproc("commitments", "extract", "--json")
    assert (done.exit, done.json()["reasons"]) == (0, {"main": "no-model"})
    world.config(commitments={"enabled": True}, **model_server.config())
    model_server.default = "{}"
    assert openclaw_inproc("commitments", "extract", "--json").json()["turns"] == 1


def test_a_spent_budget_stops_the_pass(
    world: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    meet(openclaw_inproc)
    talk(world, "s1", ("user", "a"), ("assistant", "b"), start=2, append=True)
    own = {"entries": {"openclaw-cli": {"config": {"budget": {"maxTokensPerDay": 50}}}}}
    world.config(commitments={"enabled": True}, plugins=own, **model_server.config())
    spent = {"ts": iso(NOW_MS - 1000), "purpose": "diary", "inputTokens": 40, "outputTokens": 10}
    world.jsonl(".openclaw/logs/usage.jsonl", [spent])
    done = openclaw_inproc("commitments", "extract", "--json")
    assert (done.exit, done.json()["reasons"]) == (0, {"main": "budget"})
    assert model_server.requests == []


def test_an_account_failure_opens_a_cooldown_of_a_quarter_of_an_hour(
    world: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    meet(openclaw_inproc)
    talk(world, "s1", ("user", "a"), ("assistant", "b"), start=2, append=True)
    model_server.fail(401, "bad key")
    done = openclaw_inproc("commitments", "extract", "--json")
    assert (done.exit, done.json()["reasons"]) == (1, {"main": "auth"})
    calls = len(model_server.requests)
    model_server.default = "{}"
    soon = openclaw_inproc("commitments", "extract", "--json", now=iso(NOW_MS + 899_999))
    assert (soon.json()["reasons"], len(model_server.requests)) == ({"main": "cooldown"}, calls)
    later = openclaw_inproc("commitments", "extract", "--json", now=iso(NOW_MS + 900_000))
    assert later.json()["turns"] == 1


def test_a_turn_that_fails_three_times_is_passed_over(
    world: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    meet(openclaw_inproc)
    talk(world, "s1", ("user", "a"), ("assistant", "b"), ("user", "c"), ("assistant", "d"),
         start=2, append=True)  # fmt: skip
    for _ in range(3):
        model_server.fail(400, "cannot read this")
        assert openclaw_inproc("commitments", "extract", "--json").exit == 1
    model_server.default = "{}"
    done = openclaw_inproc("commitments", "extract", "--json")
    report = done.json()
    assert (done.exit, report["turns"], report["skipped"]) == (0, 1, {"given-up": 1})
    assert "passed over" in done.err
    prompts = model_server.prompts()
    assert '"c"' in prompts[0]  # the first call had both
    assert all('"c"' not in text for text in prompts[1:3])  # then the failed one went alone
    assert '"a"' not in prompts[3]


def test_one_batch_holds_eight_turns_of_one_agent(
    tree: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    model = model_server.config()
    model["agents"]["list"] = [{"id": "main"}, {"id": "work"}]
    tree.config(commitments={"enabled": True}, **model)
    work_key = "agent:work:telegram:direct:5"
    tree.sessions({KEY: session("s1")})
    tree.sessions({work_key: session("w1")}, agent="work")
    talk(tree, "s1", ("user", "x"), ("assistant", "y"))
    tree.transcript("w1", [("user", "x"), ("assistant", "y")], agent="work")
    openclaw_inproc("commitments", "extract")
    turns = [(role, f"{role}{n}") for n in range(9) for role in ("user", "assistant")]
    talk(tree, "s1", *turns, start=2, append=True)
    model_server.default = "{}"
    report = openclaw_inproc("commitments", "extract", "--json").json()
    assert (report["turns"], report["usage"]["calls"]) == (9, 2)
    assert all("x" not in json.loads(p.partition("```json\n")[2].rpartition("\n```")[0])[0].values()
               for p in model_server.prompts())  # fmt: skip


def test_who_said_it_is_not_guessed_where_several_people_share_a_session(
    world: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    model = model_server.config()
    telegram = {"allowFrom": ["1", "2"]}
    world.config(commitments={"enabled": True}, channels={"telegram": telegram}, **model)
    world.sessions({"agent:main:main": session("s1")})
    openclaw_inproc("commitments", "extract")
    talk(world, "s1", ("user", "anna"), ("assistant", "b"), ("user", "ben"), ("assistant", "d"),
         start=2, append=True)  # fmt: skip
    model_server.default = "{}"
    report = openclaw_inproc("commitments", "extract", "--json").json()
    assert (report["turns"], report["skipped"]) == (1, {"recipient-unknown": 1})
    assert "anna" not in model_server.prompts()[0]
    assert "ben" in model_server.prompts()[0]


def test_old_exchanges_are_not_dug_up(
    world: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    meet(openclaw_inproc)
    talk(world, "s1", ("user", "a"), ("assistant", "b"), start=2, append=True)
    late = iso(NOW_MS + 73 * 3_600_000)
    report = openclaw_inproc("commitments", "extract", "--json", now=late).json()
    assert (report["turns"], report["skipped"]) == (0, {"too-old": 1})
    assert model_server.requests == []


def test_a_foreign_store_stops_the_pass_before_it_costs_anything(
    world: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    meet(openclaw_inproc)
    talk(world, "s1", ("user", "a"), ("assistant", "b"), start=2, append=True)
    path = world.json(PATH, {"version": 2, "commitments": []})
    before = path.read_bytes()
    assert openclaw_inproc("commitments", "extract").exit == 1
    assert (path.read_bytes(), model_server.requests) == (before, [])


def test_the_cursor_moves_only_after_the_store_is_written(
    world: Tree, openclaw_inproc: Run, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    meet(openclaw_inproc)
    world.json(PATH, document(row("cm_kept")))
    talk(world, "s1", ("user", "a"), ("assistant", "b"), start=2, append=True)
    script(model_server, answer("k:1"), answer("k:1"))
    with monkeypatch.context() as patch:

        def crash(*_args: object, **_how: object) -> None:
            raise KeyboardInterrupt

        patch.setattr("openclaw_cli.commitments.cursors.change", crash)
        assert openclaw_inproc("commitments", "extract").exit == 130
    assert len(rows(world)) == 2
    report = openclaw_inproc("commitments", "extract", "--json").json()
    assert (report["created"], report["merged"]) == (0, 1)
    assert len(rows(world)) == 2


def test_a_second_pass_at_the_same_time_is_busy(world: Tree, openclaw: Run) -> None:
    from openclaw_cli.state import lock

    with lock.run_lock(Paths.from_env().job("extract.lock")):
        assert openclaw("commitments", "extract").exit == 75


def test_the_pass_after_a_turn_takes_the_turns_own_route_at_once(
    world: Tree, openclaw_inproc: Run, model_server: ModelServer
) -> None:
    key = "agent:main:main"
    world.sessions({key: session("s1")})
    meet(openclaw_inproc)
    talk(world, "s1", ("user", "a"), ("assistant", "b"), start=2, append=True, ago_s=2)
    script(model_server, answer("k:1"))
    paths = Paths.from_env()
    scope = extraction_pass.Scope(
        ["main"], lambda _agent: 1_800_000, session_key=key,
        route=Route("discord", "user:9", "work", None, "direct"), min_age_ms=0,
    )  # fmt: skip
    report = extraction_pass.run(load(paths), paths, scope, now_ms=NOW_MS + 2000)
    assert len(report.created) == 1
    (made,) = rows(world)
    assert (made["channel"], made["to"], made["accountId"]) == ("discord", "user:9", "work")


def test_the_first_turn_of_a_session_counts_for_the_pass_after_it(
    world: Tree, model_server: ModelServer
) -> None:
    talk(world, "s1", ("user", "Interview tomorrow"), ("assistant", "Luck"), start=2, append=True)
    script(model_server, answer("k:1"))
    paths = Paths.from_env()
    route = Route("telegram", "telegram:123", "default", None, "direct")
    scope = extraction_pass.Scope(
        ["main"], lambda _agent: 1_800_000, session_key=KEY, route=route, min_age_ms=0
    )
    report = extraction_pass.run(load(paths), paths, scope, now_ms=NOW_MS)
    assert (report.turns, len(report.created)) == (1, 1)
    assert "Hello" not in model_server.prompts()[0]
