"""A bound on how long something in this process may take, kept by the system's alarm."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

_LONGEST_S = 10**8
_SOON_S = 0.001  # zero would switch the alarm off


@contextlib.contextmanager
def time_limit(seconds: float | None, late: Callable[[], BaseException]) -> Iterator[None]:
    """Raise ``late()`` wherever the body stands after ``seconds``; None sets no bound.

    A bound around this one that ends sooner stays in force. Only the main thread can be
    interrupted; elsewhere there is no bound.
    """
    import signal
    import threading

    is_main = threading.current_thread() is threading.main_thread()
    outer_s = signal.getitimer(signal.ITIMER_REAL)[0]
    if seconds is None or not is_main or 0 < outer_s <= seconds:
        yield
        return

    def ring(_number: int, _frame: object) -> None:
        raise late()

    started = time.monotonic()
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, min(seconds, _LONGEST_S))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if outer_s:
            left = outer_s - (time.monotonic() - started)
            signal.setitimer(signal.ITIMER_REAL, max(left, _SOON_S))
