"""The direction of imports: layers point down, never up, never sideways but as listed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import openclaw_cli

ROOT = Path(openclaw_cli.__file__).parent
LEVELS = [
    {"errors"},
    {"state"},
    {"config"},
    {"model", "delivery"},
    {"memory", "sessions"},
    {"dreaming", "commitments", "schedule"},
    {"agent", "heartbeat", "jobs"},
    {"doctor"},
    {"cli"},
]
# Within one level: who needs whom, and why.
SIDEWAYS = {
    ("dreaming", "schedule"),  # when the sweep is due: cron expressions
    ("commitments", "schedule"),  # times as people write them
    ("heartbeat", "agent"),  # a heartbeat is a turn
    ("jobs", "agent"),  # a scheduled agent turn is a turn
    ("jobs", "heartbeat"),  # the tick runs the heartbeat
    ("agent", "heartbeat"),  # the acknowledgement token is no answer
    ("memory", "sessions"),  # session transcripts as a memory source
}
LEVEL_OF = {name: level for level, names in enumerate(LEVELS) for name in names}
ONLY_IN = {
    "click": ("cli/",),
    "rich": ("cli/",),
    "openai": ("model/client.py",),
    "apprise": ("delivery/send.py",),
}


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            if node.module == "openclaw_cli":
                yield from (f"openclaw_cli.{alias.name}" for alias in node.names)


def _area(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == "openclaw_cli" and len(parts) > 1 else None


def test_layers_point_down() -> None:
    wrong = []
    for path in ROOT.rglob("*.py"):
        here = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if here not in LEVEL_OF:
            continue
        for module in _imports(path):
            there = _area(module)
            if there is None or there == here or there not in LEVEL_OF:
                continue
            if LEVEL_OF[there] > LEVEL_OF[here] or (
                LEVEL_OF[there] == LEVEL_OF[here] and (here, there) not in SIDEWAYS
            ):
                wrong.append(f"{path.relative_to(ROOT)} imports {module}")
    assert wrong == []


def _needs(path: Path, modules: set[str]) -> set[str]:
    """The modules that a file imports when it runs, at its top or later; not for types only."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            whole = {f"{node.module}.{alias.name}" for alias in node.names} & modules
            found |= whole or {node.module} & modules
    return found


def test_no_two_modules_need_each_other() -> None:
    paths = {
        "openclaw_cli." + ".".join(path.relative_to(ROOT).with_suffix("").parts): path
        for path in ROOT.rglob("*.py")
        if path.name != "__init__.py"
    }
    graph = {name: _needs(path, set(paths)) for name, path in paths.items()}
    assert len(list(TopologicalSorter(graph).static_order())) == len(paths)


def test_heavy_libraries_stay_in_their_place() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {module}"
        for path in ROOT.rglob("*.py")
        for module in _imports(path)
        for library, places in ONLY_IN.items()
        if module.split(".")[0] == library
        and not path.relative_to(ROOT).as_posix().startswith(places)
    ]
    assert wrong == []


def test_sys_exit_stands_in_one_place() -> None:
    wrong = [
        str(path.relative_to(ROOT))
        for path in ROOT.rglob("*.py")
        if "sys.exit(" in path.read_text() and path.relative_to(ROOT).as_posix() != "cli/main.py"
    ]
    assert wrong == []


def test_named_tuples_are_those_that_cost_little_to_define() -> None:
    wrong = [
        str(path.relative_to(ROOT))
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        and node.module == "typing"
        and any(alias.name == "NamedTuple" for alias in node.names)
        and path.relative_to(ROOT).as_posix() != "state/tuples.py"
    ]
    assert wrong == []
