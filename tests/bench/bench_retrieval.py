"""How well questions find their evidence: LoCoMo, when its data is there.

``OPENCLAW_EVAL_DIR`` (default: ``../shared/eval`` beside the checkout) holds
``locomo_dev.json`` and ``locomo_eval.py``, which asks each question with ``memory search``,
keywords only. To be found among the first 1, 5, 10 notes: at least 62, 88, 96 % of the
evidence sessions. Without the data it says so and succeeds. Run:

    python tests/bench/bench_retrieval.py [--every N]
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

FLOOR = {1: 62.0, 5: 88.0, 10: 96.0}
ROOT = Path(
    os.environ.get("OPENCLAW_EVAL_DIR") or Path(__file__).parents[3] / "shared" / "eval"
)
PROGRAM = Path(sys.executable).with_name("openclaw")
LINE = re.compile(r"^all\s+k=(\d+)\s+n=\d+\s+session\s+([\d.]+)%", re.MULTILINE)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--every", type=int, default=1, help="ask every Nth question only")
    chosen = options.parse_args()
    data, script = ROOT / "locomo_dev.json", ROOT / "locomo_eval.py"
    if not data.is_file() or not script.is_file():
        print(f"no LoCoMo data in {ROOT}; set OPENCLAW_EVAL_DIR to measure retrieval")
        return 0
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, str(script), "--data", str(data), "--cli", str(PROGRAM),
         "--every", str(chosen.every)],
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
