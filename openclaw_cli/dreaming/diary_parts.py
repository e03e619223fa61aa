"""What a plan does about ``DREAMS.md``: entries in, out, and each only once."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openclaw_cli.dreaming import diary_section, grounded
from openclaw_cli.dreaming.originals import Texts
from openclaw_cli.dreaming.rewriting import DIARY, Part, Place, Write
from openclaw_cli.dreaming.staging import Grounding
from openclaw_cli.state import files
from openclaw_cli.state.changes import Change


def filled(place: Place, notes: Sequence[Grounding], *, relative: bool) -> Part:
    """An entry for each note, in place of all earlier backfills."""
    new = [_block(note, relative=relative) for note in notes]
    text = _text(place)
    whole, gone = diary_section.with_backfill(text or "", new)
    replaced = [block for block in gone if block not in new]
    return Part(
        {"writtenEntries": len(new), "replacedEntries": len(gone), "dreamsPath": str(place.diary)},
        [Write(place.diary, whole)] if whole != text else [],
        _changes(place, replaced, "backfill-replaced"),
    )


def emptied(place: Place, remembered: Texts) -> Part:
    """The diary without backfilled entries; the remembered text where it says the same."""
    text, gone = diary_section.without(_text(place) or "", diary_section.is_backfill)
    counts = {"dreamsPath": str(place.diary), "removedEntries": len(gone)}
    if not gone:
        return Part(counts)
    final: str | None = text
    if place.diary in remembered and _says_the_same(remembered[place.diary], text):
        final = remembered[place.diary]
    return Part(
        counts, [Write(place.diary, final)], _changes(place, gone, "backfill-rollback")
    )  # fmt: skip


def deduped(place: Place) -> Part:
    """The diary without entries that repeat an earlier one."""
    seen: set[str] = set()

    def is_repeated(block: str) -> bool:
        mark = diary_section.fingerprint(block)
        if mark is None or mark in seen:
            return mark is not None
        seen.add(mark)
        return False

    text, gone = diary_section.without(_text(place) or "", is_repeated)
    return Part(
        {
            "dreamsPath": str(place.diary),
            "removed": len(gone),
            "kept": len(diary_section.blocks_of(text)),
        },
        [Write(place.diary, text)] if gone else [],
        _changes(place, gone, "duplicate-entry"),
    )


def to_remember(place: Place, known: Texts) -> Texts:
    """``known`` with the diary's text of today, unless an earlier one still fits."""
    text = _text(place)
    rest = diary_section.without(text or "", diary_section.is_backfill)[0]
    fits = place.diary in known and _says_the_same(known[place.diary], rest)
    return known if fits else known | {place.diary: text}


def _text(place: Place) -> str | None:
    files.refuse_link(place.diary, what=DIARY)
    return files.read_text(place.diary, what=DIARY)


def _block(note: Grounding, *, relative: bool) -> str:
    source, found = note
    text = re.sub(r"(?m)^## ", "", grounded.render(found))
    named = source.key if relative else str(source.path)
    return diary_section.render_backfill(source.day, named, re.sub(r"\n{3,}", "\n\n", text))


def _says_the_same(original: str | None, text: str) -> bool:
    """Whether ``text`` is what ``original`` (None: no file) was before any backfill."""
    before = original or ""
    if any(diary_section.is_backfill(block) for block in diary_section.blocks_of(before)):
        return False
    whole = diary_section.with_backfill(before, [])[0]
    return diary_section.normal_form(whole) == diary_section.normal_form(text)


def _changes(place: Place, blocks: Sequence[str], rule: str) -> list[Change]:
    path = str(place.diary)
    return [
        Change(place.command, rule, "diary-entry", path=path, row={"text": block})
        for block in blocks
    ]
