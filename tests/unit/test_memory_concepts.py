"""Concept tags and the scripts they are written in."""

from __future__ import annotations

import pytest

from openclaw_cli.memory.concepts import derive_tags, is_theme, normalize_tag
from openclaw_cli.memory.scripts import script_coverage, script_of

DAY = "memory/2026-11-17.md"


@pytest.mark.parametrize(
    ("path", "snippet", "tags"),
    [
        (
            DAY,
            "- Router moved to VLAN 20; the gateway answers on 10.0.20.1.",
            ["gateway", "router", "vlan", "10.0.20.1", "moved", "answers"],
        ),
        (
            "memory/2026-11-19-standup.md",
            "Standup: The standup moved to nine thirty because of the router work.",
            ["router", "2026-11-19-standup.md", "standup.md", "standup", "moved", "nine", "thirty"],
        ),
        (
            DAY,
            "라우터 백업을 항상 게이트웨이에 저장한다. always use the gateway.",
            [
                "gateway",
                "라우터",
                "백업",
                "게이트웨이",
                "백업을",
                "항상",
                "게이트웨이에",
                "저장한다",
            ],
        ),
        (
            DAY,
            "Ordered a new router for the lab; serial RT-4411. 讨论了备份方案和路由器更换。",
            ["router", "路由器", "备份", "rt-4411", "ordered", "new", "lab", "serial"],
        ),
        (DAY, "备份方案", ["备份", "方案"]),
        (DAY, "the API_TOKEN of sk-lab", ["api-token", "sk-lab", "lab"]),
        (DAY, "at 10:30 don't pay 3.14", ["3.14", "don't", "pay"]),
        (DAY, "path/to/file.py", ["path/to/file.py", "path", "file.py"]),
        (DAY, "12345 2026-11-18 2026-11-18.md", []),
        (DAY, "x" * 40, []),
        (DAY, "S3 and KV store; backups3", ["backup", "backups", "kv", "s3", "store", "backups3"]),
        (DAY, "Résumé naïve Überwachung", ["überwachung", "résumé", "naïve"]),
        (DAY, "हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        (DAY, "the and with for", []),
        (DAY, "", []),
    ],
)
def test_tags_of_a_snippet(path: str, snippet: str, tags: list[str]) -> None:
    assert derive_tags(path, snippet) == tags


def test_there_are_at_most_eight_distinct_tags() -> None:
    tags = derive_tags(DAY, "router " + " ".join(f"wordnumber{n}" for n in range(20)) + " router")
    assert len(tags) == len(set(tags)) == 8
    assert tags[0] == "router"


@pytest.mark.parametrize(
    ("raw", "tag"),
    [
        ("(Router)", "router"),
        ("snake_case", "snake-case"),
        ("ab", None),
        ("備", None),
        ("備份", "備份"),
        ("から", None),
        ("1234", None),
        ("2026-11-17", None),
        ("2026-11-17.md", None),
        ("assistant", None),
        ("ＡＢＣ", "abc"),
        ("…", None),
    ],
)
def test_raw_tokens_are_put_into_form_or_refused(raw: str, tag: str | None) -> None:
    assert normalize_tag(raw) == tag


@pytest.mark.parametrize(
    "tag", ["1.00", "51-54", "4-5", "12:30", "50%", "assistant", "kept", "theme", "the", "user", ""]
)
def test_numbers_ranges_and_filler_words_are_no_themes(tag: str) -> None:
    assert not is_theme(tag)


@pytest.mark.parametrize("tag", ["greenhouse", "10.0.20.1x", "rt-4411", "路由器", "s3-bucket"])
def test_subjects_are_themes(tag: str) -> None:
    assert is_theme(tag)


@pytest.mark.parametrize(
    ("tag", "script"),
    [
        ("router", "latin"),
        ("überwachung", "latin"),
        ("10.0.20.1", "other"),
        ("路由器", "cjk"),
        ("ルーター", "cjk"),
        ("라우터", "cjk"),
        ("vlan網", "mixed"),
        ("роутер", "other"),
    ],
)
def test_script_of_a_tag(tag: str, script: str) -> None:
    assert script_of(tag) == script


def test_an_entry_with_latin_and_cjk_tags_is_mixed() -> None:
    assert script_coverage([["a"], ["路"], ["a", "路"], ["网a"], ["10"], ["10", "b"]]) == {
        "latinEntryCount": 2,
        "cjkEntryCount": 1,
        "mixedEntryCount": 2,
        "otherEntryCount": 1,
    }
