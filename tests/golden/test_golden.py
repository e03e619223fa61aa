"""Every recorded case, as far as the recordings are there.

``OPENCLAW_GOLDEN_DIR`` names their folder; by default it is looked for beside the checkout.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import contract
import pytest

from golden import deviations, mapping
from golden.harness import Case, differences, load_cases, run

HERE = Path(__file__).parent
ROOT = Path(
    os.environ.get("OPENCLAW_GOLDEN_DIR") or HERE.parents[2] / "shared" / "golden"
).resolve()
PROGRAM = [str(Path(sys.executable).with_name("openclaw"))]
PENDING = {
    line.split("#")[0].strip()
    for line in (HERE / "pending.txt").read_text().splitlines()
    if line.split("#")[0].strip()
}


def _parameters() -> list[object]:
    return [
        pytest.param(
            case,
            id=case.id,
            marks=[pytest.mark.xfail(strict=True, reason="not built yet")]
            if case.number in PENDING
            else [],
        )
        for case in load_cases(ROOT)
    ]


@pytest.mark.golden
@pytest.mark.parametrize("case", _parameters())
def test_recorded_case(case: Case, tmp_path: Path) -> None:
    with mapping.surroundings(case) as values:
        argv = mapping.map_argv(case)
        outcome = run(case, argv, tmp_path / "case", PROGRAM, values)
    found = differences(case, outcome, deviations.expectation(case), values)
    if "--json" in argv:
        found += contract.violations(argv, out=outcome.out, err=outcome.err)
    assert not found, f"{case.spec['what']}\n$ openclaw {' '.join(argv)}\n" + "\n".join(found)
