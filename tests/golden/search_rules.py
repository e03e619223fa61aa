"""What of recorded searches is ours by rule (``memory.md`` 12), and how it is checked."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from golden.harness import Expectation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from golden.harness import Outcome

DREAMS = ".openclaw/workspace/memory/.dreams"
EVENTS = f"{DREAMS}/events.jsonl"
STORE = f"{DREAMS}/short-term-recall.json"


def _only(check: Callable[[Outcome], list[str]], **compared: Any) -> Expectation:
    settings = {"exit": True, "stdout": False, "changes": False, "files": False, **compared}
    return Expectation(check=check, **settings)


def _paths(outcome: Outcome) -> list[str]:
    return [hit["path"] for hit in json.loads(outcome.out)["results"]]


def _told(fine: bool, outcome: Outcome) -> list[str]:
    if fine:
        return []
    files = {p: t.decode() for p, t in outcome.after.items() if p.startswith(f"{DREAMS}/")}
    return [f"exit {outcome.exit}: {outcome.out[:600]} {outcome.err[:300]} {files}"[:3000]]


def _same_notes(outcome: Outcome) -> list[str]:
    wanted = {"memory/2026-11-17.md", "memory/2026-11-18.md"}
    return _told(set(_paths(outcome)) == wanted, outcome)


def _nothing_below_the_floor(outcome: Outcome) -> list[str]:
    return _told(_paths(outcome) == [], outcome)


def _found_inside_a_sentence(outcome: Outcome) -> list[str]:
    hit = json.loads(outcome.out)["results"][0]
    fine = hit["path"] == "memory/2026-11-19.md" and "备份方案" in hit["snippet"]
    return _told(fine, outcome)


def _keywords_answer(outcome: Outcome) -> list[str]:
    wanted = ["memory/projects.md", "memory/2026-11-19.md", "memory/2026-11-17.md"]
    return _told(_paths(outcome) == wanted, outcome)


def _events(outcome: Outcome) -> list[dict[str, Any]]:
    return [json.loads(line) for line in outcome.after[EVENTS].decode().splitlines()]


def _counts(outcome: Outcome) -> dict[str, tuple[int, float]]:
    """Recalls and score by note, over all its entries."""
    found: dict[str, tuple[int, float]] = {}
    for entry in json.loads(outcome.after[STORE])["entries"].values():
        recalls, score = found.get(entry["path"], (0, 0.0))
        found[entry["path"]] = (recalls + entry["recallCount"], score + entry["totalScore"])
    return found


def _near(got: tuple[int, float], recalls: int, score: float) -> bool:
    return got[0] == recalls and abs(got[1] - score) <= 1e-9


def _window_is_recorded(outcome: Outcome) -> list[str]:
    event = _events(outcome)[0]
    place = event["results"][0]
    entry = next(iter(json.loads(outcome.after[STORE])["entries"].values()))
    fine = (
        event["resultCount"] == 1
        and (place["startLine"], place["endLine"]) == (3, 3)
        and abs(place["score"] - 0.13939956113599267) < 1e-9
        and entry["snippet"].startswith("- Router moved to VLAN 20")
        and entry["queryHashes"] == ["ddf671495620"]
        and entry["recallDays"] == ["2026-11-20"]
        and list(_counts(outcome)) == ["memory/2026-11-17.md"]
        and _near(_counts(outcome)["memory/2026-11-17.md"], 1, 0.13939956113599267)
    )
    return _told(fine, outcome)


def _windows_are_counted(outcome: Outcome) -> list[str]:
    event = _events(outcome)[0]
    counts = _counts(outcome)
    fine = (
        [hit["path"] for hit in event["results"]]
        == ["memory/2026-11-19.md", "memory/2026-11-17.md"]
        and set(counts) == {"memory/2026-11-19.md", "memory/2026-11-17.md"}
        and _near(counts["memory/2026-11-17.md"], 3, 1.0000002370231373)
        and _near(counts["memory/2026-11-19.md"], 1, 2.962514427577146e-7)
    )
    return _told(fine, outcome)


def _store_is_a_file(outcome: Outcome) -> list[str]:
    recorded, skipped = _events(outcome)
    fine = (
        recorded["resultCount"] == 2
        and skipped["reason"] == "non-short-term-memory-path"
        and (skipped["eligibleResultCount"], skipped["skippedResultCount"]) == (2, 1)
        and skipped["results"][0]
        == {"path": "memory/projects.md", "startLine": 1, "endLine": 4,
            "score": skipped["results"][0]["score"], "reason": skipped["reason"]}
        and {path: recalls for path, (recalls, _score) in _counts(outcome).items()}
        == {"memory/2026-11-19.md": 1, "memory/2026-11-17.md": 1}
    )  # fmt: skip
    return _told(fine, outcome)


RULES: dict[str, tuple[str, Expectation]] = {
    "memory/082": ("a question finds the same notes", _only(_same_notes)),
    "memory/084": ("a --min-score that was given is a floor", _only(_nothing_below_the_floor)),
    "memory/086": ("words are found inside sentences", _only(_found_inside_a_sentence)),
    "memory/090": (
        "the window that answered is recorded",
        _only(_window_is_recorded, stdout=True, changes=True),
    ),
    "memory/091": (
        "the window that answered is recorded",
        _only(_windows_are_counted, stdout=True, changes=True),
    ),
    "memory/094": ("without a key, keywords answer", _only(_keywords_answer)),
    "memory/095": ("the recall store is a file", _only(_store_is_a_file, stdout=True)),
}


@contextmanager
def zero_embeddings() -> Iterator[str]:
    """The address of an embeddings endpoint that answers zero vectors."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Zeros)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Zeros(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        rows = [{"index": i, "embedding": [0, 0, 0, 0]} for i in range(len(texts))]
        answer = json.dumps({"data": rows, "model": body["model"]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""
