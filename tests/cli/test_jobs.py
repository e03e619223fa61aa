"""``openclaw jobs``: list, run, log, and the host's scheduler through stand-ins for it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from builders import Tree

NO_HEARTBEAT = {"agents": {"defaults": {"heartbeat": {"every": "0m"}}}}

CRONTAB = """#!/bin/sh
# Keeps one crontab in a file, as the real program does.
file={file}
case "$1" in
  -l) [ -f "$file" ] || {{ echo "no crontab for $USER" >&2; exit 1; }}; cat "$file" ;;
  -r) rm "$file" ;;
  -) {refuse} cat > "$file" ;;
  *) exit 2 ;;
esac
"""
SYSTEMCTL = """#!/bin/sh
echo "$*" >> {log}
case "$*" in
  *is-enabled*) grep -q enable {log}.on 2>/dev/null ;;
  *enable*) {refuse} echo enable > {log}.on ;;
  *disable*) rm -f {log}.on ;;
esac
"""


class Schedulers:
    """Programs ``crontab`` and ``systemctl`` that only we can hear."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder, self.crontab = folder, folder / "crontab.txt"
        self.log = folder / "systemctl.log"
        (folder / "bin").mkdir()
        patch.setenv("PATH", f"{folder / 'bin'}:{os.environ['PATH']}")
        self.program("systemctl", "#!/bin/sh\nexit 1\n")
        self.program("loginctl", "#!/bin/sh\necho Linger=no\n")
        self.cron()

    def program(self, name: str, text: str) -> None:
        path = self.folder / "bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def cron(self, refuse: str = "") -> None:
        self.program("crontab", CRONTAB.format(file=self.crontab, refuse=refuse))

    def systemd(self, refuse: str = "") -> None:
        self.program("systemctl", SYSTEMCTL.format(log=self.log, refuse=refuse))


@pytest.fixture
def schedulers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> Schedulers:  # fmt: skip
    return Schedulers(tmp_path, monkeypatch)


def test_the_crontab_entry(openclaw_inproc: Any, schedulers: Schedulers, home: Path) -> None:
    schedulers.crontab.write_text("MAILTO=x\n")
    env = {"OPENCLAW_STATE_DIR": str(home / "tree")}
    result = openclaw_inproc("jobs", "install", "--json", env=env)
    assert result.exit == 0, result.err
    document = result.json()
    assert (document["kind"], document["changed"], document["files"]) == ("cron", True, [])
    text = schedulers.crontab.read_text()
    assert text == "MAILTO=x\n" + document["entry"]
    assert f"OPENCLAW_STATE_DIR={home}/tree" in text
    assert "/openclaw jobs run-due" in text
    again = openclaw_inproc("jobs", "install", "--json", env=env).json()
    assert (again["changed"], schedulers.crontab.read_text()) == (False, text)


def test_uninstalling_leaves_what_was_there(openclaw_inproc: Any, schedulers: Schedulers) -> None:
    schedulers.crontab.write_text("@daily mine\n")
    openclaw_inproc("jobs", "install")
    removed = openclaw_inproc("jobs", "uninstall", "--json").json()
    assert (removed["kind"], removed["changed"]) == ("cron", True)
    assert schedulers.crontab.read_text() == "@daily mine\n"
    again = openclaw_inproc("jobs", "uninstall")
    assert (again.exit, again.out) == (0, "Nothing is installed.\n")


def test_a_crontab_that_was_ours_alone_is_gone(
    openclaw_inproc: Any, schedulers: Schedulers
) -> None:  # fmt: skip
    openclaw_inproc("jobs", "install", "--cron")
    openclaw_inproc("jobs", "uninstall")
    assert not schedulers.crontab.exists()


def test_dry_runs_write_nothing(openclaw_inproc: Any, schedulers: Schedulers) -> None:
    result = openclaw_inproc("jobs", "install", "--cron", "--dry-run", "--exit-code")
    assert (result.exit, "Would install" in result.out) == (3, True)
    assert not schedulers.crontab.exists()
    openclaw_inproc("jobs", "install", "--cron")
    before = schedulers.crontab.read_text()
    assert openclaw_inproc("jobs", "uninstall", "--dry-run", "--exit-code").exit == 3
    assert schedulers.crontab.read_text() == before


def test_a_forbidden_crontab_is_left_alone(openclaw_inproc: Any, schedulers: Schedulers) -> None:
    schedulers.crontab.write_text("# DO NOT EDIT, generated\n")
    result = openclaw_inproc("jobs", "install", "--cron")
    assert (result.exit, "left alone" in result.err) == (1, True)
    assert schedulers.crontab.read_text() == "# DO NOT EDIT, generated\n"


def test_an_unreadable_crontab_is_left_alone(
    openclaw_inproc: Any, schedulers: Schedulers
) -> None:  # fmt: skip
    schedulers.program("crontab", "#!/bin/sh\necho 'must be privileged' >&2\nexit 1\n")
    result = openclaw_inproc("jobs", "install", "--cron")
    assert (result.exit, "must be privileged" in result.err) == (1, True)


def test_a_refused_entry_is_an_error(openclaw_inproc: Any, schedulers: Schedulers) -> None:
    schedulers.cron(refuse='echo "errors in crontab" >&2; exit 1;')
    result = openclaw_inproc("jobs", "install", "--cron")
    assert (result.exit, "errors in crontab" in result.err) == (1, True)


def test_without_cron_it_says_what_to_do(
    openclaw_inproc: Any, schedulers: Schedulers, monkeypatch: pytest.MonkeyPatch
) -> None:
    (schedulers.folder / "bin" / "crontab").unlink()
    monkeypatch.setenv("PATH", str(schedulers.folder / "bin"))
    result = openclaw_inproc("jobs", "install", "--cron")
    assert (result.exit, "no program 'crontab'" in result.err) == (1, True)
    assert openclaw_inproc("jobs", "uninstall").exit == 0


def test_systemd_is_taken_where_it_works(
    openclaw_inproc: Any, schedulers: Schedulers, home: Path
) -> None:
    schedulers.systemd()
    result = openclaw_inproc("jobs", "install", "--json")
    document = result.json()
    assert (document["kind"], document["changed"]) == ("systemd", True)
    folder = home / ".config/systemd/user"
    assert document["files"] == [
        str(folder / "openclaw-jobs.service"), str(folder / "openclaw-jobs.timer"),
    ]  # fmt: skip
    assert "loginctl enable-linger" in result.err
    assert "--user enable --now openclaw-jobs.timer" in schedulers.log.read_text()
    assert not schedulers.crontab.exists()
    assert openclaw_inproc("jobs", "install", "--json").json()["changed"] is False
    state = openclaw_inproc("jobs", "list", "--json").json()["scheduler"]
    assert (state["kind"], state["installed"]) == ("systemd", True)
    removed = openclaw_inproc("jobs", "uninstall", "--json").json()
    assert sorted(removed["files"]) == sorted(document["files"])
    assert "--user disable --now openclaw-jobs.timer" in schedulers.log.read_text()
    assert list(folder.iterdir()) == []


def test_a_refused_timer_leaves_no_units(
    openclaw_inproc: Any, schedulers: Schedulers, home: Path
) -> None:
    schedulers.systemd(refuse='echo "no such bus" >&2; exit 1;')
    result = openclaw_inproc("jobs", "install", "--systemd")
    assert (result.exit, "no such bus" in result.err) == (1, True)
    assert list((home / ".config/systemd/user").iterdir()) == []


def test_a_unit_of_somebody_else_is_left_alone(
    openclaw_inproc: Any, schedulers: Schedulers, tree: Tree
) -> None:
    schedulers.systemd()
    path = tree.file(".config/systemd/user/openclaw-jobs.service", "[Service]\n")
    result = openclaw_inproc("jobs", "install", "--systemd")
    assert (result.exit, "left alone" in result.err) == (1, True)
    openclaw_inproc("jobs", "uninstall")
    assert path.read_text() == "[Service]\n"


def test_systemd_that_does_not_answer(openclaw_inproc: Any, schedulers: Schedulers) -> None:
    result = openclaw_inproc("jobs", "install", "--systemd")
    assert (result.exit, "--cron" in result.err) == (1, True)


def test_printing_installs_nothing(openclaw_inproc: Any, schedulers: Schedulers) -> None:
    text = openclaw_inproc("jobs", "print", "--cron").out
    assert text.startswith("# BEGIN openclaw-cli\n")
    units = openclaw_inproc("jobs", "print", "--systemd", "--system", "--json").json()
    assert units["files"] == [
        "/etc/systemd/system/openclaw-jobs.service", "/etc/systemd/system/openclaw-jobs.timer",
    ]  # fmt: skip
    assert "User=" in units["entry"]
    assert not schedulers.crontab.exists()


@pytest.mark.parametrize("pair", [("--user", "--system"), ("--cron", "--systemd")])
@pytest.mark.parametrize("word", ["install", "uninstall", "print"])
def test_a_choice_of_both_is_wrong_usage(
    word: str, pair: tuple[str, str], openclaw_inproc: Any, schedulers: Schedulers
) -> None:
    for order in (pair, pair[::-1]):
        result = openclaw_inproc("jobs", word, *order)
        assert (result.exit, result.out) == (2, "")
        assert f"{pair[0]} and {pair[1]} cannot be used together" in result.err
    assert not schedulers.crontab.exists()


def test_secrets_never_stand_in_the_entry(openclaw_inproc: Any, schedulers: Schedulers) -> None:
    env = {"OPENAI_API_KEY": "sk-very-secret", "OPENCLAW_GATEWAY_TOKEN": "tok-very-secret"}
    for kind in ("--cron", "--systemd"):
        assert "very-secret" not in openclaw_inproc("jobs", "print", kind, env=env).out


def test_the_list(openclaw_inproc: Any, schedulers: Schedulers, tree: Tree) -> None:
    tree.config(**NO_HEARTBEAT)
    document = openclaw_inproc("jobs", "list", "--json", now="2026-11-20T04:31:00Z").json()
    assert [job["name"] for job in document["jobs"]] == [
        "heartbeat", "sweep", "cleanup", "extract", "cron",
    ]  # fmt: skip
    cleanup = document["jobs"][2]
    assert (cleanup["due"], cleanup["reason"], cleanup["lastRun"]) == (True, None, None)
    assert document["scheduler"] == {
        "kind": None, "installed": False, "entry": None, "lastTickAtMs": None,
    }  # fmt: skip
    text = openclaw_inproc("jobs", "list").out
    assert "openclaw jobs install" in text
    assert not (tree.state / "jobs").exists()


def test_run_due_is_silent_on_success(openclaw_inproc: Any, tree: Tree) -> None:
    tree.config(**NO_HEARTBEAT)
    for minute in ("30", "31", "31"):
        result = openclaw_inproc("jobs", "run-due", now=f"2026-11-20T04:{minute}:00Z")
        assert (result.exit, result.out, result.err) == (0, "", "")
    runs = openclaw_inproc("jobs", "log", "--json", now="2026-11-20T05:00:00Z").json()
    assert [(run["job"], run["outcome"]) for run in runs["runs"]] == [("cleanup", "ok")]
    assert (tree.state / "jobs/quiet.json").exists()


def test_run_due_tells_a_failure_in_one_line(openclaw_inproc: Any, tree: Tree) -> None:
    tree.config(**NO_HEARTBEAT)
    tree.file(".openclaw/cron/jobs.json", "{")
    result = openclaw_inproc("jobs", "run-due")
    assert (result.exit, result.out) == (1, "")
    [line] = result.err.splitlines()
    assert line.startswith("openclaw: cron: task list ")
    waiting = openclaw_inproc("jobs", "run-due")
    assert (waiting.exit, waiting.err) == (0, "")


def test_run_due_with_an_invalid_configuration(openclaw_inproc: Any, tree: Tree) -> None:
    tree.config(cron={"enabled": "yes"})
    assert openclaw_inproc("jobs", "run-due").exit == 1


def test_run_due_as_json_and_as_preview(openclaw_inproc: Any, tree: Tree) -> None:
    tree.config(**NO_HEARTBEAT)
    at = "2026-11-20T04:30:00Z"
    assert openclaw_inproc("jobs", "run-due", "--dry-run", "--exit-code", now=at).exit == 3
    document = openclaw_inproc("jobs", "run-due", "--json", now=at).json()
    assert [(run["name"], run["outcome"]) for run in document["ran"]] == [("cleanup", "ok")]
    assert {job["name"] for job in document["jobs"]} >= {"cron", "cleanup"}
    assert openclaw_inproc("jobs", "run-due", "--dry-run", "--exit-code", now=at).exit == 0


def test_running_one_job(openclaw_inproc: Any, tree: Tree) -> None:
    tree.config(**NO_HEARTBEAT)
    document = openclaw_inproc("jobs", "run", "cleanup", "--json").json()
    assert (document["name"], document["outcome"]) == ("cleanup", "ok")
    assert document["counts"]["stores"] == 1
    assert openclaw_inproc("jobs", "run", "nothing").exit == 1
    assert openclaw_inproc("jobs", "run", "sweep", "--dry-run", "--exit-code").exit == 0
    assert openclaw_inproc("jobs", "run", "cron", "--dry-run", "--exit-code").exit == 3
    for name in ("heartbeat", "sweep", "extract", "cron"):  # what is off ends well
        assert openclaw_inproc("jobs", "run", name, "--json").json()["outcome"] == "ok"
    assert "cleanup: ok" in openclaw_inproc("jobs", "run", "cleanup").out


def test_the_log(openclaw_inproc: Any, tree: Tree) -> None:
    tree.config(**NO_HEARTBEAT)
    openclaw_inproc("jobs", "run", "cleanup", now="2026-11-20T01:00:00Z")
    openclaw_inproc("jobs", "run", "cron", now="2026-11-20T02:00:00Z")
    everything = openclaw_inproc("jobs", "log", "--json").json()["runs"]
    assert [run["job"] for run in everything] == ["cron", "cleanup"]
    assert openclaw_inproc("jobs", "log", "cleanup", "--json").json()["count"] == 1
    assert openclaw_inproc("jobs", "log", "--since", "90m", "--json").json()["count"] == 1
    assert openclaw_inproc("jobs", "log", "--limit", "1", "--json").json()["count"] == 1
    assert openclaw_inproc("jobs", "log", "nothing").exit == 1
    assert "cleanup" in openclaw_inproc("jobs", "log").out


def test_reconcile(openclaw_inproc: Any, tree: Tree) -> None:
    tree.dreaming(frequency="0 4 * * *")
    assert openclaw_inproc("dreaming", "reconcile", "--dry-run", "--exit-code").exit == 3
    assert not (tree.state / "cron").exists()
    added = openclaw_inproc("dreaming", "reconcile", "--json").json()
    assert (added["status"], added["removedIds"]) == ("added", [])
    [row] = tree.read(".openclaw/cron/jobs.json")["jobs"]
    assert (row["id"], row["schedule"]["expr"]) == (added["jobId"], "0 4 * * *")
    assert openclaw_inproc("dreaming", "reconcile", "--json").json()["status"] == "noop"
    tree.dreaming(frequency="0 5 * * *")
    changed = openclaw_inproc("dreaming", "reconcile", "--json").json()
    assert (changed["status"], changed["jobId"]) == ("updated", added["jobId"])
    tree.config()
    off = openclaw_inproc("dreaming", "reconcile", "--json").json()
    assert (off["status"], off["removedIds"], off["jobs"]) == ("disabled", [added["jobId"]], [])
    assert tree.read(".openclaw/cron/jobs.json")["jobs"] == []
    assert tree.lines(".openclaw/logs/changes.jsonl")[-1]["key"] == added["jobId"]


ODD: list[Any] = [None, True, 7, 1.5, "x", [1], {"a": 1}]


@pytest.mark.parametrize("odd", ODD, ids=str)
def test_what_others_wrote_into_logs_and_records_stops_no_listing(
    openclaw_inproc: Any, tree: Tree, odd: Any
) -> None:
    run = {"ts": "2026-11-20T02:00:00.000Z", "job": "cron", "start": "2026-11-20T02:00:00.000Z",
           "outcome": "ok", "counts": {"ran": 1}}  # fmt: skip
    broken = [{**run, name: odd} for name in (*run, "error", "durationMs")]
    tree.jsonl(".openclaw/logs/jobs.jsonl", [run, odd, *broken])
    fields = ("startedAtMs", "finishedAtMs", "slotMs", "outcome", "error", "pid", "failures")
    jobs = dict.fromkeys(("heartbeat", "sweep"), odd) | {"cleanup": dict.fromkeys(fields, odd)}
    tree.json(".openclaw/jobs/state.json", {"version": 1, "jobs": jobs})
    record = dict.fromkeys(("slotMs", "startedAtMs", "finishedAtMs", "outcome"), odd)
    tree.dreaming()
    tree.json(".openclaw/jobs/dreaming.json", {str(tree.workspace): record})
    for argv in (("jobs", "log"), ("jobs", "list"), ("dreaming", "status"), ("status",)):
        for form in ((), ("--json",)):
            done = openclaw_inproc(*argv, *form)
            assert done.exit == 0, (argv, done.err)
    assert any(row == run for row in openclaw_inproc("jobs", "log", "--json").json()["runs"])
