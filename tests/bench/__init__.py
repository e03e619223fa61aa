"""Speed and memory of the program, measured on generated trees (``make bench``).

``measure`` runs a program and says what it took, ``table`` judges and prints, ``plot`` draws.
Each other module measures one thing and registers itself in ``__main__``. Nothing here is a
test: pytest collects none of it. ``retrieval`` and ``months`` measure how good the results
are; they need data from elsewhere and are started by themselves.
"""
