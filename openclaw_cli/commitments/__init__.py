"""Inferred follow-ups: found after a turn, kept in one file, delivered by the heartbeat.

``commitments.md``. The modules decide in pure functions over rows; ``store`` alone touches
the file.
"""
