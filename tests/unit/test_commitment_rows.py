"""Rows, their validity, the store file and the status machine (``commitments.md`` 2 and 3)."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from builders import Tree
from followups import HOUR_MS, NOW_MS, PATH, as_store, document, row

from openclaw_cli.commitments import lifecycle, record, store
from openclaw_cli.commitments.store import Step
from openclaw_cli.errors import NotAllowed, OpenClawError, UnreadableFile
from openclaw_cli.state.paths import Paths


def window(**changes: Any) -> dict[str, Any]:
    return {**row()["dueWindow"], **changes}


@pytest.mark.parametrize(
    "changes",
    [
        *[{name: "  "} for name in ("id", "agentId", "sessionKey", "channel", "reason",
                                    "suggestedText", "dedupeKey")],
        *[{name: 5} for name in ("id", "reason")],
        {"kind": "reminder"}, {"kind": None}, {"sensitivity": "high"}, {"source": "guess"},
        {"source": None}, {"status": "done"}, {"confidence": "0.9"}, {"confidence": -0.1},
        {"confidence": True}, {"createdAtMs": -1}, {"updatedAtMs": None},
        {"createdAtMs": float("inf")}, {"createdAtMs": 10**400}, {"attempts": 1.5},
        {"attempts": -1}, {"attempts": None}, {"attempts": True}, {"dueWindow": None},
        {"dueWindow": []}, {"dueWindow": window(latestMs=1)}, {"dueWindow": window(timezone=" ")},
        {"dueWindow": {"earliestMs": 1, "latestMs": 2}}, {"dueWindow": window(earliestMs="1")},
    ],
    ids=json.dumps,
)  # fmt: skip
def test_a_row_that_breaks_a_rule_is_invisible(changes: dict[str, Any]) -> None:
    assert record.normalize(row(**changes)) is None


@pytest.mark.parametrize("value", ["text", None, 5, [], {}])
def test_what_is_no_object_is_no_row(value: object) -> None:
    assert record.normalize(value) is None


@pytest.mark.parametrize(
    "changes", [{"confidence": 1.7}, {"attempts": 2.0}, {"confidence": 0}, {"createdAtMs": 1.5}]
)
def test_odd_but_valid_values_are_kept(changes: dict[str, Any]) -> None:
    found = record.normalize(row(**changes))
    assert found is not None
    assert found.items() >= changes.items()


def test_texts_are_trimmed_and_useless_optional_fields_left_out() -> None:
    found = record.normalize(
        {**row(id=" cm_1 "), "to": " ", "threadId": 5, "snoozedUntilMs": -5, "sentAtMs": "x",
         "sourceUserText": "secret", "extra": 1}
    )  # fmt: skip
    assert found is not None
    assert found["id"] == "cm_1"
    assert not found.keys() & {"to", "threadId", "snoozedUntilMs", "sentAtMs", "sourceUserText"}
    assert found["extra"] == 1
    assert "extra" not in record.public(found)


def test_the_example_id_of_the_format() -> None:
    assert record.new_id(1_795_143_600_000, bytes.fromhex("1e989e0a77")) == "cm_mwoe5eo0_1e989e0a77"


# The file


def test_a_missing_store_is_empty_and_leaves_no_trace(tree: Tree) -> None:
    paths = Paths.from_env()
    assert store.load(paths).rows == []
    store.update(paths, lambda _found: [], command="test", now_ms=NOW_MS)
    assert not tree.state.exists()


@pytest.mark.parametrize(
    "text", ["not json", "", "\ufeff{}", '{"version": 1, "commitments": [', "null", "5"]
)
def test_a_damaged_store_is_an_error_that_names_it(tree: Tree, text: str) -> None:
    tree.file(PATH, text)
    with pytest.raises(OpenClawError) as failure:
        store.load(Paths.from_env())
    assert "commitments.json" in failure.value.message
    assert failure.value.path is not None


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ({"version": 2, "commitments": []}, "version 2"),
        ({"commitments": []}, "version none"),
        ({"version": True, "commitments": []}, "version True"),
        ({"version": 1, "commitments": {}}, "not a list"),
        ([], "not an object"),
    ],
)
def test_a_foreign_store_is_refused_by_readers_and_writers(
    tree: Tree, value: Any, word: str
) -> None:
    path = tree.json(PATH, value)
    before = path.read_bytes()
    with pytest.raises(OpenClawError, match=word):
        store.load(Paths.from_env())
    new = Step(None, row(), "created", "test")
    with pytest.raises(OpenClawError, match=word):
        store.update(Paths.from_env(), lambda _found: [new], command="test", now_ms=NOW_MS)
    assert path.read_bytes() == before


def test_links_and_folders_in_place_of_the_store_are_refused(tree: Tree) -> None:
    real = tree.json("elsewhere.json", document())
    path = tree.home / PATH
    path.parent.mkdir(parents=True)
    path.symlink_to(real)
    with pytest.raises(NotAllowed, match="symbolic link"):
        store.load(Paths.from_env())
    path.unlink()
    os.link(real, path)
    with pytest.raises(NotAllowed, match="hard link"):
        store.load(Paths.from_env())
    path.unlink()
    path.mkdir()
    with pytest.raises(NotAllowed, match="not a regular file"):
        store.load(Paths.from_env())


def test_a_write_keeps_what_it_does_not_understand(tree: Tree) -> None:
    odd = {"id": "cm_odd", "kind": "reminder", "deep": {"a": [1]}}
    tree.json(PATH, document(row(extra={"x": 1}), odd, "text", None, generator="someone"))
    paths = Paths.from_env()
    store.update(
        paths, lambda found: lifecycle.dismiss(found, ["cm_1"], NOW_MS).steps,
        command="test", now_ms=NOW_MS,
    )  # fmt: skip
    written = tree.read(PATH)
    assert written["generator"] == "someone"
    assert written["commitments"][0]["extra"] == {"x": 1}
    assert written["commitments"][0]["status"] == "dismissed"
    assert written["commitments"][1:] == [odd, "text", None]
    text = (tree.home / PATH).read_text()
    assert text.endswith("}\n")
    assert text.startswith('{\n  "version": 1,')


def test_the_file_is_private(tree: Tree) -> None:
    path = tree.json(PATH, document(row()))
    path.chmod(0o644)
    path.parent.chmod(0o755)
    store.update(
        Paths.from_env(), lambda found: lifecycle.dismiss(found, ["cm_1"], NOW_MS).steps,
        command="test", now_ms=NOW_MS,
    )  # fmt: skip
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_conversation_text_of_older_releases_goes_even_without_another_change(tree: Tree) -> None:
    invalid = {"id": "cm_x", "sourceAssistantText": "secret two"}
    path = tree.json(PATH, document(row(sourceUserText="secret one"), invalid))
    store.update(Paths.from_env(), lambda _found: [], command="test", now_ms=NOW_MS, scrub=True)
    assert "secret" not in path.read_text()
    assert tree.read(PATH)["commitments"][1] == {"id": "cm_x"}


def test_a_read_that_has_nothing_to_change_writes_nothing(tree: Tree) -> None:
    path = tree.file(PATH, json.dumps(document(row(), {"odd": 1})))
    before = path.read_bytes()
    store.update(Paths.from_env(), lambda _found: [], command="test", now_ms=NOW_MS, scrub=True)
    assert path.read_bytes() == before


# The status machine


@pytest.mark.parametrize(
    ("late_ms", "status", "expected"),
    [(0, "pending", False), (1, "pending", True), (1, "snoozed", True), (1, "sent", False),
     (1, "dismissed", False), (1, "expired", False)],
)  # fmt: skip
def test_expiry_is_one_millisecond_after_72_hours(
    late_ms: int, status: str, expected: bool
) -> None:
    latest = NOW_MS - 72 * HOUR_MS - late_ms
    found = row(status=status, dueWindow={"earliestMs": 1, "latestMs": latest, "timezone": "UTC"})
    assert record.is_overdue(found, NOW_MS) is expected
    steps = lifecycle.expire_overdue(as_store(found), NOW_MS)
    assert [step.row["status"] for step in steps] == (["expired"] if expected else [])


def test_dismissing_tells_what_happened_to_each_id() -> None:
    found = as_store(
        row("cm_a"), row("cm_s", status="snoozed"), row("cm_sent", status="sent"),
        row("cm_over", due_in_h=-200), row("cm_other", due_in_h=-200),
    )  # fmt: skip
    outcome = lifecycle.dismiss(
        found, ["cm_a", "cm_s", "cm_sent", "cm_over", "cm_no", "cm_a"], NOW_MS
    )
    assert outcome.changed == ["cm_a", "cm_s"]
    assert outcome.unchanged == {"cm_sent": "sent", "cm_over": "expired"}
    assert outcome.unknown == ["cm_no"]
    after = {r["id"]: r for r in found.after(outcome.steps).valid}
    assert after["cm_a"]["dismissedAtMs"] == after["cm_a"]["updatedAtMs"] == NOW_MS
    assert after["cm_over"]["expiredAtMs"] == NOW_MS
    assert after["cm_other"]["status"] == "pending"  # nobody named it


def test_a_status_change_keeps_the_order_of_keys_and_appends_its_stamp() -> None:
    before = row()
    after = lifecycle.end(before, "dismissed", NOW_MS)
    assert list(after) == [*before, "dismissedAtMs"]


def test_a_snooze_past_the_window_moves_its_end_by_the_old_width() -> None:
    found = row(due_in_h=-1, width_h=12)
    until = NOW_MS + 20 * HOUR_MS
    asleep = lifecycle.snoozed(found, until, NOW_MS)
    assert asleep["status"] == "snoozed"
    assert asleep["snoozedUntilMs"] == until
    assert asleep["dueWindow"]["latestMs"] == until + 12 * HOUR_MS
    assert asleep["dueWindow"]["earliestMs"] == found["dueWindow"]["earliestMs"]
    short = lifecycle.snoozed(found, NOW_MS + HOUR_MS, NOW_MS)
    assert short["dueWindow"] == found["dueWindow"]


def test_a_store_that_is_not_utf_8_is_an_error(tree: Tree) -> None:
    tree.file(PATH, b"\xff\xfe")
    with pytest.raises(UnreadableFile):
        store.load(Paths.from_env())
