"""Model calls: which model, through which provider, at what cost (``design.md`` 3).

The only way to a model. No model configured or reachable is a normal state that callers
handle: it arrives as a ``ModelUnavailable`` with a ``kind``.
"""
