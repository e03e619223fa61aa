"""Where the state tree is (``design.md`` 3, "State directory")."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from openclaw_cli.state.tuples import NamedTuple


class Paths(NamedTuple):
    """The two roots that everything else hangs from.

    ``home`` is what ``~`` means in settings (``OPENCLAW_HOME`` where set); ``state_dir`` is
    the tree. ``home_label`` is how ``home`` is written for people.
    """

    home: Path
    state_dir: Path
    home_label: str = "~"

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Paths:
        """Read ``OPENCLAW_STATE_DIR``, ``OPENCLAW_HOME`` and ``HOME``."""
        env = os.environ if environ is None else environ
        own_home = env.get("OPENCLAW_HOME", "").strip()
        user_home = env.get("HOME") or os.path.expanduser("~")
        home = _absolute(own_home, user_home) if own_home else user_home
        state = env.get("OPENCLAW_STATE_DIR", "").strip()
        state_dir = _absolute(state, home) if state else os.path.join(home, ".openclaw")
        label = "$OPENCLAW_HOME" if own_home else "~"
        return cls(Path(home), Path(state_dir), label)

    def expand(self, text: str) -> Path:
        """``text`` as an absolute path: ``~`` is ``home``, relative ones start at the cwd.

        NUL bytes are removed, as the reference does (``memory.md`` 1.1).
        """
        return Path(_absolute(text.replace("\0", ""), str(self.home)))

    def display(self, path: str | os.PathLike[str]) -> str:
        """``path`` for people: below ``home`` it is shortened."""
        text, home = os.fspath(path), str(self.home)
        if text == home:
            return self.home_label
        if text.startswith(home.rstrip(os.sep) + os.sep):
            return self.home_label + text[len(home.rstrip(os.sep)) :]
        return text

    def under(self, *parts: str) -> Path:
        """A path below the state directory."""
        return self.state_dir.joinpath(*parts)

    def agent_dir(self, agent_id: str) -> Path:
        """``<state>/agents/<id>``; ``agent_id`` is normalised already."""
        return self.state_dir / "agents" / agent_id

    def sessions_dir(self, agent_id: str) -> Path:
        """The default sessions folder of an agent (``sessions.md`` 2.1)."""
        return self.state_dir / "agents" / agent_id / "sessions"

    def log(self, name: str) -> Path:
        """``<state>/logs/<name>.jsonl``."""
        return self.state_dir / "logs" / f"{name}.jsonl"

    def job(self, name: str) -> Path:
        """``<state>/jobs/<name>``: last-run records and run locks."""
        return self.state_dir / "jobs" / name


def _absolute(text: str, home: str) -> str:
    if text == "~" or text.startswith("~/"):
        text = home + text[1:]
    return os.path.normpath(os.path.join(os.getcwd(), text))
