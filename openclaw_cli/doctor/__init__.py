"""The health check of a whole tree (``commands.md``, "doctor").

One module per area looks and reports; ``checkup`` runs them all, ``remedies`` puts right what
is safe to put right. No rule of the domain is decided here: the areas ask those who own it.
"""
