"""Several runs side by side, each in a process of its own (``cron.maxConcurrentRuns``).

Claim, locks and time limit of a run belong to its process, so that runs exclude each other
exactly as two commands do. Told to stop, the parent stops its workers before it goes.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import Interrupted
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

Result = dict[str, Any]

LOOK_AGAIN_S = 5.0
PATIENCE_S = 10.0


class Worker(NamedTuple):
    """A process that works on ``task_id`` and says into ``answers`` what came of it."""

    task_id: str
    process: ForkProcess
    answers: Connection


def run_all(
    task_ids: list[str], slots: int, work: Callable[[str], Result], *,
    more: Callable[[], list[str]],
) -> Iterator[tuple[str, Result | None]]:  # fmt: skip
    """Do ``work`` for every task, at most ``slots`` at a time; results as they come.

    While one runs and a slot is free, ``more`` is asked for what became due meanwhile; no
    task is worked on twice. None stands for a process that died without a word.
    """
    waiting, known = list(task_ids), set(task_ids)
    running: list[Worker] = []
    try:
        while waiting or running:
            while waiting and len(running) < slots:
                running.append(_started(waiting.pop(0), work))
            for worker in _ended(running):
                running.remove(worker)
                yield worker.task_id, _answer_of(worker)
            if running and len(running) + len(waiting) < slots:
                late = [task_id for task_id in more() if task_id not in known]
                waiting += late
                known.update(late)
    finally:
        _stop(running)


def _started(task_id: str, work: Callable[[str], Result]) -> Worker:
    from multiprocessing import get_context

    context = get_context("fork")
    answers, told = context.Pipe(duplex=False)

    def body() -> None:
        # The terminal tells the whole group to stop; the parent passes that on by itself.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            result = work(task_id)
            with contextlib.suppress(BrokenPipeError):  # the parent died: nobody asks any more
                told.send(result)
        except Interrupted as stop:
            raise SystemExit(stop.exit_status) from None

    process = context.Process(target=body, name=f"task {task_id}")
    process.start()
    told.close()
    return Worker(task_id, process, answers)


def _ended(running: list[Worker]) -> list[Worker]:
    """Those that have answered or died, after waiting for one a while."""
    from multiprocessing.connection import wait

    ready = wait([worker.answers for worker in running], LOOK_AGAIN_S)
    return [worker for worker in running if worker.answers in ready]


def _answer_of(worker: Worker) -> Result | None:
    result: Result | None = None
    with contextlib.suppress(EOFError):
        result = worker.answers.recv()
    worker.answers.close()
    worker.process.join()
    return result


def _stop(running: list[Worker]) -> None:
    for worker in running:
        worker.process.terminate()
    for worker in running:
        worker.process.join(PATIENCE_S)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
