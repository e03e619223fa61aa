"""Start-up: help, version and every command that reads, on a month of one person's agent."""

from __future__ import annotations

from datetime import timedelta

from examples.month import SEARCHES, SESSION_KEY, write_tree
from tests.bench.measure import NOW, Bench, Target, openclaw

TARGET = Target(ratio=1.6)
COMMANDS = (
    "--help", "--version", "sessions --help", "help sessions", "status", "doctor", "report",
    "sessions", "sessions --json", f"sessions show {SESSION_KEY}", "sessions who",
    "sessions cleanup --dry-run", "sessions archives", "changes",
    "memory status", "memory search spruce", "memory get memory/2026-11-05.md",
    "memory promote", "memory promote --json", "memory promote-explain spruce",
    "dreaming status", "dreaming diary", "dreaming scene", "dreaming sweep --if-due",
    "commitments", "commitments due", "heartbeat status", "heartbeat last",
    "cron list", "cron status", "jobs list", "jobs log", "jobs run-due",
    "outbox list", "channels list", "config validate", "config get session",
    "models status", "usage", "security audit", "gateway call status", "completion bash",
)  # fmt: skip


def measure(bench: Bench) -> None:
    """Each command in turn, round by round, so that a busy moment hits none alone."""
    home = bench.home("month")
    write_tree(home, NOW)
    for days, _hour, query in SEARCHES[::6]:
        openclaw(home, "memory search", query, now=NOW - timedelta(days=days))
    openclaw(home, "cron add --name orders --every 2h --system-event Orders?")
    openclaw(home, "jobs run-due")  # from here on nothing is due
    for command in COMMANDS:
        openclaw(home, command)  # compiles what it imports
    rounds = []
    for _ in range(5 if bench.quick else 9):
        bench.take_unit(1)
        rounds.append([openclaw(home, command) for command in COMMANDS])
    for command, costs in zip(COMMANDS, zip(*rounds, strict=True), strict=True):
        bench.add(command, None, costs, TARGET)
