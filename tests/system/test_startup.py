"""Start-up is a feature: what help and version import, and what every command avoids."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

HEAVY = {
    "rich", "openai", "croniter", "tomlkit", "asyncio", "importlib.metadata", "sqlite3",
    "apprise", "orjson", "tzlocal", "zoneinfo", "subprocess", "urllib.request", "pydantic",
}  # fmt: skip


def _imported(*argv: str) -> set[str]:
    code = (
        "import sys; from openclaw_cli.cli.main import run; run(sys.argv[1:]); "
        "sys.stderr.write('\\n' + ' '.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *argv], capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": ""},
    )  # fmt: skip
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.system
@pytest.mark.parametrize("argv", [("--help",), ("--version",)], ids=" ".join)
def test_help_and_version_import_nothing_heavy(argv: tuple[str, ...]) -> None:
    loaded = _imported(*argv)
    assert loaded & HEAVY == set()
    assert not [name for name in loaded if name.startswith("openclaw_cli.cli.commands.")]


@pytest.mark.system
@pytest.mark.parametrize(
    "argv",
    [
        ("sessions", "--json"),
        ("memory", "promote", "--json"),
        ("commitments", "--json"),
        ("config", "validate"),
        ("changes", "--json"),
    ],
    ids=" ".join,
)
def test_reading_commands_import_no_sdk_and_no_tables(argv: tuple[str, ...]) -> None:
    assert _imported(*argv) & {"openai", "rich", "apprise", "croniter", "asyncio", "tomlkit"} == (
        set()
    )
