"""One turn of an agent, with a model that answers at once: all that is left is our own work."""

from __future__ import annotations

import json

from tests.bench.measure import Bench, Target, openclaw

COMMAND = "agent --agent main --message Ping"


def measure(bench: Bench) -> None:
    """The same turn in a growing conversation, against a model server in this process."""
    from tests.model_server import ModelServer

    home = bench.home("turn")
    server = ModelServer()
    server.default = "Pong"
    try:
        (home / ".openclaw").mkdir()
        (home / ".openclaw/openclaw.json").write_text(json.dumps(server.config()))
        openclaw(home, COMMAND)  # compiles what it imports
        costs = [openclaw(home, COMMAND) for _ in bench.times()]
    finally:
        server.close()
    bench.add("agent --message, one turn", None, costs, Target())
