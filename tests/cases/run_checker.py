"""Starts a case's checker with a reader for JSON5 where it expects JSON.

Some cases begin with a configuration that holds comments, which this program keeps; the
checker itself reads files as plain JSON.
"""

from __future__ import annotations

import json
import runpy
import sys
from typing import Any

import pyjson5

_strict = json.loads


def _tolerant(text: Any, *args: Any, **settings: Any) -> Any:
    try:
        return _strict(text, *args, **settings)
    except ValueError:
        if not str(text).lstrip().startswith(("//", "/*", "{")):
            raise
        return pyjson5.decode(str(text))


json.loads = _tolerant
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
