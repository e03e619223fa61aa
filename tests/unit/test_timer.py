"""A bound on how long something may take."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from openclaw_cli.state.timer import time_limit


class Late(Exception):
    """It took too long."""


class OuterLate(Exception):
    """So did what is around it."""


def test_what_takes_too_long_is_interrupted() -> None:
    started = time.monotonic()
    with pytest.raises(Late), time_limit(0.05, Late):
        time.sleep(10)
    assert time.monotonic() - started < 5


def test_what_ends_in_time_is_left_alone_and_no_alarm_stays() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with time_limit(30, Late):
        pass
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    assert signal.getsignal(signal.SIGALRM) is before


def test_without_a_number_there_is_no_bound() -> None:
    with time_limit(None, Late):
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_the_sooner_of_two_bounds_counts() -> None:
    with pytest.raises(OuterLate), time_limit(0.05, OuterLate), time_limit(30, Late):
        time.sleep(10)
    with time_limit(30, OuterLate):
        with pytest.raises(Late), time_limit(0.05, Late):
            time.sleep(10)
        assert 20 < signal.getitimer(signal.ITIMER_REAL)[0] <= 30


def test_an_outer_bound_that_passed_meanwhile_still_counts() -> None:
    def body() -> None:
        try:
            with time_limit(0.05, Late):
                time.sleep(10)
        except Late:
            time.sleep(10)

    with pytest.raises(OuterLate), time_limit(0.1, OuterLate):
        body()


def test_a_thread_has_no_bound() -> None:
    ended: list[bool] = []

    def body() -> None:
        with time_limit(0.01, Late):
            time.sleep(0.05)
        ended.append(True)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    assert ended == [True]
