"""What a month of sweeps puts into ``MEMORY.md``, against labels.

The folder given by ``--data`` or ``OPENCLAW_EVAL_DIR`` (default ``../shared/eval`` beside the
checkout) holds ``months/`` and ``eval_months.py``, which lives through each month with the
program. At least 95 % of the bullets have to be fit to keep and 80 % of the lasting facts
found, without junk, secret, leak or duplicate. Without the data it says so and succeeds. Run:

    python -m tests.bench.months [--data DIR] [--jobs N]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from tests.bench.measure import EVAL_DIR, PROGRAM

FLOOR = {"precision": 0.95, "recall": 0.8}
NONE_OF = ("junk", "secretBullets", "leaks", "superseded", "duplicateBullets", "failures")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.months")
    parser.add_argument("--data", type=Path, default=EVAL_DIR, help="the folder")
    parser.add_argument("--jobs", type=int, default=2, help="months lived through at once")
    chosen = parser.parse_args()
    if not (chosen.data / "eval_months.py").is_file() or not (chosen.data / "months").is_dir():
        print(f"months are not measured: {chosen.data} has no eval_months.py with months/")
        return 0
    done = subprocess.run(
        [sys.executable, str(chosen.data / "eval_months.py"), "--cli", str(PROGRAM),
         "--jobs", str(chosen.jobs), "--json", str(chosen.data / "months")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    print(done.stderr, end="")
    if not done.stdout.strip():
        return 1
    return _judge(json.loads(done.stdout)["overall"])


def _judge(whole: dict[str, float]) -> int:
    """Print the figures; 1 when one of them is not good enough."""
    bad = []
    for name in (*FLOOR, *NONE_OF):
        value = whole[name] or 0
        good = value >= FLOOR[name] if name in FLOOR else value == 0
        bad += [] if good else [name]
        print(f"{name:18} {value:8.1%}" if name in FLOOR else f"{name:18} {value:8}")
    for name in bad:
        print(f"not good enough: {name}")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
