"""Every document that ``--json`` prints keeps the promise of ``docs/json.md``.

Each command runs on an empty home, on the sample month and beside a model, in an order
in which a person could do it; every document, also that of a failure, is checked against
the schema of its command.
"""

from __future__ import annotations

import importlib.util
import json
import shlex
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import contract
import pytest
from builders import Tree
from conftest import NOW, Result
from jsonschema import Draft202012Validator
from model_server import ModelServer

Run = Callable[..., Result]
MONTH_PY = Path(__file__).parents[2] / "examples" / "month.py"
KEY = "agent:main:telegram:direct:4711"
CANDIDATE = "memory:memory/2026-11-05.md:1:1"

# What a person may do in a home where nothing was done before. Many of them fail.
EMPTY = """
status; status --deep; doctor; report; changes; usage; usage --by day; setup --dry-run
sessions; sessions list --all-agents; sessions show main; sessions who; sessions archives
sessions copies main
sessions cleanup --dry-run; sessions cleanup; sessions cleanup --enforce --verbose
sessions delete nobody; sessions reset nobody; sessions restore nobody; sessions rebuild
sessions compact main; security audit; gateway call sessions.list; gateway call nothing
memory status; memory status --fix; memory index; memory search word; memory get MEMORY.md
memory promote; memory promote --apply; memory promote-explain word; memory rem-harness
memory rem-harness --grounded; memory rem-backfill --rollback
dreaming; dreaming help; dreaming status; dreaming sweep; dreaming sweep --force
dreaming on --dry-run; dreaming off; dreaming reconcile; dreaming diary; dreaming diary --raw
dreaming scene; dreaming backfill-diary; dreaming reset-diary; dreaming dedupe-diary
dreaming reset-grounded; dreaming repair
dreaming shadow-trial run --candidate x --prompt y; dreaming shadow-trial record nofile
commitments; commitments list --all; commitments due; commitments show x; commitments history
commitments dismiss x; commitments snooze x --for 2d; commitments edit x --text y
commitments export; commitments extract
heartbeat status; heartbeat last; system heartbeat last; heartbeat run --dry-run; heartbeat run
heartbeat last; heartbeat disable; heartbeat enable; system event hello
system event hello --dry-run
cron list; cron status; cron get x; cron show x; cron run x; cron runs --id x; cron rm x
cron edit x --name y; cron run-due
jobs list; jobs log; jobs run cleanup; jobs run-due --dry-run; jobs print --cron
jobs print --systemd; jobs run nothing
outbox; outbox show x; outbox retry x; outbox done x; channels; channels test telegram
config file; config get session; config validate; config schema; config unset session
models status; models test; completion bash; help; help sessions cleanup; help nothing
agent -m hello; agent --agent main -m hello
setup; config validate; config get session; config set session.dmScope '"nobody"'
"""

# The sample month, from a look around to the sweep and what can be done afterwards.
MONTH = f"""
status; doctor; report --since 30d; sessions --verbose; sessions show {KEY} --messages 3
sessions who --dm-scope main; sessions copies telegram:direct:4711
sessions list --kind direct --older-than 1h --larger-than 1b
sessions cleanup --dry-run --verbose; sessions cleanup
sessions compact {KEY} --max-lines 3 --dry-run; sessions compact {KEY} --max-lines 3
sessions reset {KEY}; sessions archives --search spruce; changes; sessions restore {KEY} --replace
sessions delete {KEY} --dry-run; sessions delete {KEY}; sessions restore {KEY}
security audit; gateway call status; gateway call sessions.list; gateway call last-heartbeat
memory status; memory status --deep; memory status --fix --dry-run; memory index --force
memory search 'when do spruce orders close' --explain; memory search nothinglikeit --explain
memory get memory/2026-11-05.md; memory promote --min-score 0; memory promote-explain spruce
memory promote --apply --dry-run --limit 1; memory promote --apply --limit 1
memory rem-harness; memory rem-harness --grounded
memory rem-backfill --path .openclaw/workspace/memory --stage-short-term
dreaming sweep --dry-run; dreaming sweep; dreaming sweep --if-due; dreaming status; dreaming diary
dreaming scene; dreaming dedupe-diary; memory rem-backfill --rollback --rollback-short-term
dreaming backfill-diary; dreaming diary --limit 2; dreaming reset-diary --dry-run
dreaming reset-diary; dreaming reset-grounded; dreaming repair; dreaming reconcile; dreaming off
dreaming on; memory promote --include-promoted; status; report
commitments; commitments due; commitments show cm_cello; commitments snooze cm_taxes --for 2d
commitments edit cm_fumes --text Better?; commitments dismiss cm_cello nobody
commitments history; commitments list --all; commitments export --all; commitments extract
heartbeat status; heartbeat run --dry-run; heartbeat run; heartbeat last; heartbeat run --dry-run
cron add --name tea --at 20m --system-event Tea; cron create --name bench --every 2h --message Hi
cron list --all; cron show bench; cron edit {{bench}} --name desk; cron disable {{bench}}
cron enable {{bench}}; cron get {{bench}}; cron run {{bench}}; cron runs --id {{bench}}
cron run {{tea}} --dry-run; cron edit {{tea}} --name cup --dry-run; cron disable {{tea}} --dry-run
cron run-due --dry-run; cron run-due; cron rm {{tea}}; cron remove {{bench}}; cron delete {{bench}}
cron status
jobs run cleanup; jobs log; jobs list; jobs run-due; jobs install --cron --dry-run
jobs install --cron; jobs list; jobs uninstall --cron
channels test telegram --to 4711; outbox; outbox show {{sent}}; outbox done {{sent}}
outbox retry {{sent}}; channels list; config set cli.budget.maxTokensPerDay 1000
config unset cli.budget; usage; doctor --fix
setup; models status; completion zsh; help cron add
"""

# What needs a model; it answers "Fine." to everything that is not scripted.
BESIDE_A_MODEL = f"""
models status --probe; models test; agent --session-key {KEY} -m Hello --deliver
agent --session-key {KEY} -m /status; heartbeat run --force; heartbeat last
system heartbeat disable; system heartbeat enable; commitments extract; sessions compact {KEY}
dreaming sweep; dreaming diary; memory promote --shadow-trials; usage --by purpose; report
dreaming shadow-trial run --candidate {CANDIDATE} --prompt Order
dreaming shadow-trial record trial.json; sessions; status --deep; outbox list; jobs run heartbeat
"""


def commands_of(text: str) -> list[list[str]]:
    lines = [line for line in text.replace("\n", ";").split(";") if line.strip()]
    return [shlex.split(line) for line in lines]


@pytest.fixture(scope="module")
def example() -> ModuleType:
    """``examples/month.py``."""
    spec = importlib.util.spec_from_file_location("month", MONTH_PY)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def month(example: ModuleType, home: Path, openclaw_inproc: Run) -> Path:
    """The sample month in ``home``, with some of its searches."""
    now = datetime.fromisoformat(NOW)
    example.write_tree(home, now)
    for days, _hour, query in example.SEARCHES[:12]:
        at = (now - timedelta(days=days)).isoformat().replace("+00:00", "Z")
        assert openclaw_inproc("memory", "search", query, now=at).exit == 0
    return home


def check_all(run: Run, text: str) -> None:
    """Run these commands one after the other; ids are filled in as they are met."""
    met: dict[str, str] = {}
    found: list[str] = []
    for words in commands_of(text):
        argv = [*(word.format(**met) if "{" in word else word for word in words), "--json"]
        done = run(*argv)
        where = f"$ openclaw {' '.join(argv)} [{done.exit}] "
        found += [where + line for line in contract.violations(argv, out=done.out, err=done.err)]
        if done.exit not in (0, 1, 2) or '"code":"internal"' in done.err:
            found.append(where + done.err[-300:])
        _remember(met, argv, done)
    assert not found, "\n".join(found)


def _remember(met: dict[str, str], argv: list[str], done: Result) -> None:
    if argv[:2] in (["cron", "add"], ["cron", "create"]) and done.exit == 0:
        document = done.json()
        met[document["name"]] = document["id"]
    elif argv[0] == "outbox" and done.out and done.json().get("deliveries"):
        met.setdefault("sent", done.json()["deliveries"][0]["id"])


def test_on_an_empty_home(openclaw_inproc: Run) -> None:
    check_all(openclaw_inproc, EMPTY)


def test_on_the_sample_month(month: Path, openclaw_inproc: Run) -> None:
    check_all(openclaw_inproc, MONTH)


def test_beside_a_model(
    month: Path, tree: Tree, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    model_server.default = "Fine."
    config = tree.read(".openclaw/openclaw.json")
    answers = model_server.config()
    config["agents"]["defaults"]["model"] = answers["agents"]["defaults"]["model"]
    config["models"] = answers["models"]
    tree.config(**config)
    fields = ["candidate", "trialPrompt", "baselineOutcome", "candidateOutcome", "reason"]
    tree.json("trial.json", dict.fromkeys(fields, "words") | {"verdict": "helpful"})
    check_all(openclaw_inproc, BESIDE_A_MODEL)


def test_with_two_agents_and_a_damaged_store(tree: Tree, openclaw_inproc: Run) -> None:
    tree.config(agents={"list": [{"id": "main"}, {"id": "work"}]})
    tree.sessions({"agent:main:main": {"sessionId": "m", "updatedAt": 1_795_000_000_000}})
    tree.file(".openclaw/agents/work/sessions/sessions.json", "{ torn")
    tree.file(".openclaw/commitments/commitments.json", "[]")
    tree.file(".openclaw/workspace/memory/.dreams/short-term-recall.json", "no json")
    lines = """
    sessions --all-agents; sessions cleanup --all-agents --dry-run; sessions cleanup --all-agents
    sessions --agent work; sessions cleanup --agent work; sessions archives --all-agents; status
    sessions who; doctor; doctor --fix --dry-run; report; memory status; memory promote
    memory index; commitments; commitments due; dreaming status; dreaming sweep --force
    heartbeat status; gateway call sessions.list; jobs run cleanup; security audit
    """
    check_all(openclaw_inproc, lines)


def test_with_a_configuration_that_is_not_valid(tree: Tree, openclaw_inproc: Run) -> None:
    tree.config(session={"dmScop": "main"})
    lines = "config validate; sessions; doctor; status; memory status; jobs run-due; config file"
    check_all(openclaw_inproc, lines)


def test_with_everything_switched_off(tree: Tree, openclaw_inproc: Run) -> None:
    heartbeat = {"every": "0m"}
    tree.config(agents={"defaults": {"memorySearch": {"enabled": False}, "heartbeat": heartbeat}})
    lines = """
    memory search word; memory index; memory status; memory promote; heartbeat status
    heartbeat run; heartbeat run --dry-run; commitments due; dreaming sweep; jobs list; jobs run-due
    status; doctor; report
    """
    check_all(openclaw_inproc, lines)


# The schemas themselves


def test_every_command_with_json_has_a_schema_and_is_run_here() -> None:
    there = {
        name
        for name, command in contract.commands()
        if any("--json" in param.opts for param in command.params) and name not in BARE
    }
    assert there == set(contract.INDEX)
    scenarios = commands_of(EMPTY) + commands_of(MONTH) + commands_of(BESIDE_A_MODEL)
    ran = {contract.command_of(words) for words in scenarios}
    assert sorted(there - ran) == []


BARE = {"memory"}  # alone it shows its help, and --json is wrong usage


def test_schemas_are_schemas_and_each_is_used() -> None:
    files = {path.name for path in contract.SCHEMAS.glob("*.json")}
    assert set(contract.INDEX.values()) == files - {"index.json", "definitions.json", "error.json"}
    for name in files - {"index.json"}:
        schema = json.loads((contract.SCHEMAS / name).read_text())
        Draft202012Validator.check_schema(schema)
        assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$schema"]
        assert schema["title"]
        for part in _objects(schema):
            assert set(part.get("required", ())) <= set(part.get("properties", ())), name
            assert part.get("additionalProperties") is not False, name


def _objects(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        return [value, *(part for inner in value.values() for part in _objects(inner))]
    if isinstance(value, list):
        return [part for inner in value for part in _objects(inner)]
    return []


def test_a_document_that_breaks_the_promise_is_found() -> None:
    argv = ["sessions", "archives", "--json"]
    good = {"count": 0, "archives": []}
    assert contract.violations(argv, out=json.dumps(good), err="") == []
    assert contract.violations(argv, out='{"count": "0"}', err="")
    assert contract.violations(argv, out="[]", err="")
    assert contract.violations(argv, out="Archives: 0", err="")
    assert contract.violations(argv, out="", err="openclaw: no\n")
    error = '{"error": {"code": "usage", "message": "no"}}'
    assert contract.violations(argv, out="", err=f"openclaw: no\n{error}\n") == []
