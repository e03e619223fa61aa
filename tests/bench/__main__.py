"""Measure the program and print a table; exit 1 when a target is missed by more than
half, or when something could not be measured.

python -m tests.bench [--quick] [--only NAME ...] [--svg FILE]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.bench import promote, search, sessions, startup, sweep, table, turn
from tests.bench.measure import Bench, Failed

BENCHES = {
    "startup": startup.measure,
    "sessions": sessions.measure,
    "promote": promote.measure,
    "search": search.measure,
    "sweep": sweep.measure,
    "turn": turn.measure,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure speed.")
    parser.add_argument("--quick", action="store_true", help="smaller trees, fewer repetitions")
    parser.add_argument("--only", nargs="+", choices=BENCHES, default=BENCHES, metavar="NAME",
                        help=f"some of: {', '.join(BENCHES)}")  # fmt: skip
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw CPU time against size")
    chosen = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory(prefix="openclaw-bench-") as folder:
        bench = Bench(Path(folder), quick=chosen.quick)
        for name in chosen.only:
            print(f"measuring {name} ...", file=sys.stderr, flush=True)
            try:
                BENCHES[name](bench)
            except Failed as failure:
                print(f"{name}: {failure}", file=sys.stderr)
                failed = True
    for line in table.lines(bench.rows, bench.unit):
        print(line)
    if chosen.svg:
        from tests.bench import plot

        plot.draw(bench.rows, chosen.svg)
    missed = any(table.missed(row, bench.unit) for row in bench.rows)
    return 1 if failed or missed else 0


if __name__ == "__main__":
    sys.exit(main())
