"""Which writing systems the concept tags of a store use (``memory.md`` 6).

Apart from ``concepts``, so that an audit of plain Latin tags loads no word machinery.
"""

from __future__ import annotations

from collections.abc import Sequence


def script_of(tag: str) -> str:
    """``latin``, ``cjk``, ``mixed`` or ``other``."""
    if tag.isascii():
        return "latin" if any(ch.isalpha() for ch in tag) else "other"
    import unicodedata

    names = [unicodedata.name(ch, "") for ch in tag if ch.isalpha()]
    has_latin = any(name.startswith("LATIN") for name in names)
    has_cjk = any(name.startswith(_CJK_NAMES) for name in names)
    if has_cjk:
        return "mixed" if has_latin else "cjk"
    return "latin" if has_latin else "other"


_CJK_NAMES = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "HALFWIDTH KATAKANA", "IDEOGRAPHIC")


def script_coverage(tags_of_entries: Sequence[list[str]]) -> dict[str, int]:
    """How many entries have Latin, CJK, both or other tags; each has at least one tag."""
    scripts = {tag: script_of(tag) for tag in set().union(*tags_of_entries)}
    foreign = {tag for tag, script in scripts.items() if script != "latin"}
    counts = {"latinEntryCount": 0, "cjkEntryCount": 0, "mixedEntryCount": 0, "otherEntryCount": 0}
    for tags in tags_of_entries:
        if foreign.isdisjoint(tags):
            counts["latinEntryCount"] += 1
            continue
        found = {scripts[tag] for tag in tags}
        if "mixed" in found or {"latin", "cjk"} <= found:
            counts["mixedEntryCount"] += 1
        elif "cjk" in found:
            counts["cjkEntryCount"] += 1
        elif "latin" in found:
            counts["latinEntryCount"] += 1
        else:
            counts["otherEntryCount"] += 1
    return counts
