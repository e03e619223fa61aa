"""Every case from a public report, checked by its own checker, as far as they are there.

``OPENCLAW_CASES_DIR`` names their folder; by default it is looked for beside the checkout.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = Path(os.environ.get("OPENCLAW_CASES_DIR") or HERE.parents[2] / "shared" / "cases").resolve()
PROGRAM = str(Path(sys.executable).with_name("openclaw"))
PENDING = {
    line.split("#")[0].strip()
    for line in (HERE / "pending.txt").read_text().splitlines()
    if line.split("#")[0].strip()
}


def _parameters() -> list[object]:
    return [
        pytest.param(
            path.parent,
            id=path.parent.name,
            marks=[pytest.mark.xfail(strict=True, reason="not built yet")]
            if path.parent.name.split("-")[0] in PENDING
            else [],
        )
        for path in sorted(ROOT.glob("*/case.toml"))
    ]


@pytest.mark.case
@pytest.mark.parametrize("folder", _parameters())
def test_reported_case(folder: Path) -> None:
    done = subprocess.run(
        [
            sys.executable, str(HERE / "run_checker.py"), str(ROOT / "check_case.py"),
            "--cli", PROGRAM, "-v", "--now-env", "OPENCLAW_NOW",
            "--now-sep", "T", "--now-suffix", "Z", str(folder),
        ],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
