"""Backfilling diary and recall store from notes of the past, and rolling it back.

``memory rem-backfill`` and the diary actions of ``dreaming.md`` 8.4, 10.4 and 12.9.
"""

from __future__ import annotations

from collections.abc import Sequence

from openclaw_cli.dreaming import diary_parts, originals, store_parts
from openclaw_cli.dreaming.rewriting import Place, Plan, carry_out, joined
from openclaw_cli.dreaming.staging import Grounding


def backfill(
    place: Place,
    notes: Sequence[Grounding],
    *,
    stage: bool = False,
    relative: bool = False,
    dry_run: bool = False,
) -> Plan:
    """Put an entry for each note into the diary, in place of all earlier backfills.

    With ``stage`` what the notes say for good also goes into the recall store.
    ``relative`` names the notes in their markers as the workspace does. Raises
    ``NotAllowed`` for a diary that is a link, before anything is written.
    """

    folders = (place.workspace.dreams_dir, place.workspace.memory_dir)
    made: originals.Texts = {folder: None for folder in folders if not folder.exists()}

    def plan() -> Plan:
        parts = [diary_parts.filled(place, notes, relative=relative)]
        known = originals.load(place.paths, place.workspace) | made
        known = diary_parts.to_remember(place, known)
        if stage:
            parts.append(store_parts.staged(place, notes))
            known = store_parts.to_remember(place, known)
        return joined(parts, known)

    return carry_out(place, plan, dry_run=dry_run)


def roll_back(place: Place, *, diary: bool, store: bool, dry_run: bool = False) -> Plan:
    """Take what backfills wrote out of the ``diary``, the recall ``store``, or both."""
    workspace = place.workspace

    def plan() -> Plan:
        known = originals.load(place.paths, workspace)
        parts, done = [], set()
        if diary:
            parts.append(diary_parts.emptied(place, known))
            done.add(place.diary)
        if store:
            parts.append(store_parts.unstaged(place, known))
            done |= {workspace.recall_path, workspace.signals_path}
        left = {path: text for path, text in known.items() if path not in done}
        if left.keys() <= {workspace.dreams_dir, workspace.memory_dir}:
            left = {}
        return joined(parts, left)

    return carry_out(place, plan, dry_run=dry_run)


def dedupe(place: Place, *, dry_run: bool = False) -> Plan:
    """Remove entries of the diary that repeat an earlier one."""

    def plan() -> Plan:
        known = originals.load(place.paths, place.workspace)
        return joined([diary_parts.deduped(place)], known)

    return carry_out(place, plan, dry_run=dry_run)
