"""Which settings are secret, and how they are shown instead (``design.md`` 3).

References such as ``${NAME}`` are no secrets and stay readable.
"""

from __future__ import annotations

import re
from typing import Any

MASK = "__OPENCLAW_REDACTED__"

_SECRET_KEY = re.compile(
    r"(?:token|password|passwd|passphrase|secret|api[-_]?key|private[-_]?key|credentials?"
    r"|authorization|webhook(?:[-_]?url)?|serviceaccount)$",
    re.IGNORECASE,
)
_SECRET_PARENTS = ("headers",)
_REFERENCES = re.compile(r"(?:\$\{[A-Z_][A-Z0-9_]*\}\s*)+")
_URL_PASSWORD = re.compile(r"(?<=://)[^/@\s]+@")


def masked(value: Any, place: tuple[str | int, ...]) -> Any:
    """``value`` as it may be printed, given where in the configuration it stands."""
    if isinstance(value, dict):
        if _is_reference(value):
            return value
        return {key: masked(item, (*place, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [masked(item, (*place, index)) for index, item in enumerate(value)]
    if value is None or isinstance(value, bool):
        return value
    if is_secret(place):
        return value if isinstance(value, str) and _is_plain(value) else MASK
    return _URL_PASSWORD.sub(MASK + "@", value) if isinstance(value, str) else value


def is_secret(place: tuple[str | int, ...]) -> bool:
    """Whether the setting at ``place`` holds a secret."""
    names = [key for key in place if isinstance(key, str)]
    if not names:
        return False
    if _SECRET_KEY.search(names[-1]) or any(name in _SECRET_PARENTS for name in names[:-1]):
        return True
    # The address of a channel's transport holds its account's token.
    return names[-1] == "url" and "channels" in names


def _is_reference(value: dict[str, Any]) -> bool:
    return value.get("source") in ("env", "file", "exec") and isinstance(value.get("id"), str)


def _is_plain(value: str) -> bool:
    return not value.strip() or _REFERENCES.fullmatch(value.strip()) is not None
