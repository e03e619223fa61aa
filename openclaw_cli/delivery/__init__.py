"""Handing messages to people: targets, transports, and the record of every attempt.

``design.md`` 3, "Delivery", and ``commands.md`` (outbox, channels).
"""
