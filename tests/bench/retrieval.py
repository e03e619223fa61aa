"""How well questions find their evidence in long conversations (LoCoMo).

The folder given by ``--data`` or ``OPENCLAW_EVAL_DIR`` (default ``../shared/eval`` beside the
checkout) holds ``locomo_dev.json`` and
``locomo_eval.py``, which asks each question with ``memory search``, keywords only. To be found
among the first 1, 5, 10 notes: at least 70, 92, 97 % of the evidence sessions. Without the
data it says so and succeeds. Run:

    python -m tests.bench.retrieval [--data DIR] [--every N]
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.bench.measure import EVAL_DIR, PROGRAM

FLOOR = {1: 70.0, 5: 92.0, 10: 97.0}
LINE = re.compile(r"^all\s+k=(\d+)\s+n=\d+\s+session\s+([\d.]+)%", re.MULTILINE)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.retrieval")
    parser.add_argument("--data", type=Path, default=EVAL_DIR, help="the folder")
    parser.add_argument("--every", type=int, default=1, help="ask every Nth question only")
    chosen = parser.parse_args()
    if not (chosen.data / "locomo_dev.json").is_file():
        print(f"retrieval is not measured: {chosen.data} has no locomo_dev.json")
        return 0
    return _ask(chosen.data, chosen.every)


def _ask(data: Path, every: int) -> int:
    """Ask the questions; the exit status."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, str(data / "locomo_eval.py"), "--data", str(data / "locomo_dev.json"),
         "--cli", str(PROGRAM), "--every", str(every)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    print(done.stdout, done.stderr, sep="", end="")
    found = {int(k): float(share) for k, share in LINE.findall(done.stdout)}
    short = {k: share for k, share in FLOOR.items() if found.get(k, 0.0) < share}
    for k, share in short.items():
        print(f"below the floor: {found.get(k)} % of {share} % among the first {k}")
    return 1 if short or done.returncode else 0


if __name__ == "__main__":
    raise SystemExit(main())
