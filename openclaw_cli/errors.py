"""The errors that a person can fix, each with a stable code and an exit status.

Domain code raises them; ``cli/main.py`` alone turns them into output (``design.md`` 3,
"Exit codes" and "Errors").
"""

from __future__ import annotations

import os


class OpenClawError(Exception):
    """A failure that can be explained in one line.

    ``message`` says what and where, ``hint`` what to do next, ``path`` names the file.
    ``code`` is a stable word for scripts; ``exit_status`` the status of the process.
    """

    code = "failed"
    exit_status = 1

    def __init__(
        self,
        message: str,
        *,
        path: str | os.PathLike[str] | None = None,
        hint: str | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = None if path is None else os.fspath(path)
        self.hint = hint
        if code is not None:
            self.code = code

    def to_json(self) -> dict[str, str]:
        """The object that ``--json`` callers find on the last line of stderr."""
        report = {"code": self.code, "message": self.message}
        if self.path is not None:
            report["path"] = self.path
        if self.hint is not None:
            report["hint"] = self.hint
        return report


class UsageProblem(OpenClawError):
    """Wrong usage that the command line alone shows."""

    code = "usage"
    exit_status = 2


class UnknownName(OpenClawError):
    """A name (agent, session key, id, job, model, config path) that nothing answers to."""

    code = "unknown-name"


class UnreadableFile(OpenClawError):
    """A file that cannot be read as what it should be."""

    code = "file-unreadable"


class NotWritable(OpenClawError):
    """A file or folder that the operating system does not let us write."""

    code = "not-writable"


class InvalidConfig(OpenClawError):
    """The configuration breaks its schema."""

    code = "config-invalid"


class NotAllowed(OpenClawError):
    """Something that is refused on purpose: a symbolic link, a protected row."""

    code = "not-allowed"


class ModelUnavailable(OpenClawError):
    """No model is configured, or none could be reached."""

    code = "model-unavailable"


class Busy(OpenClawError):
    """Another process holds a lock, or a file keeps changing under us: try again."""

    code = "locked"
    exit_status = 75


class Interrupted(BaseException):
    """A signal asked the process to stop; locks and temporary files unwind on its way up.

    Not an ``Exception``, so that loops over items which record failures let it pass.
    """

    def __init__(self, exit_status: int) -> None:
        super().__init__(exit_status)
        self.exit_status = exit_status
