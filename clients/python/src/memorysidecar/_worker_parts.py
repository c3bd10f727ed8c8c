"""The parts of workers that do not wait: what is told of a failure, and which failures stay."""

from __future__ import annotations

from typing import Final

from .errors import ErrorReason

POLL_SECONDS: Final = 20.0
# A poll is repeated by the client already: what fails then has failed for a while.
AWAY_FAILURES: Final = 5
# Trying again does not help.
FOR_GOOD: Final = frozenset(
    {
        ErrorReason.HOOK_NOT_CONFIGURED,
        ErrorReason.REQUEST_INVALID,
        ErrorReason.TOKEN_MISSING,
        ErrorReason.TOKEN_INVALID,
    }
)


class TaskRefused(Exception):
    """Raise this in a worker's function when trying the task again does not help. The text goes to
    operators: no content of messages."""


class NoFunction(Exception):
    """The worker was given no function for a task."""


def told_of(error: Exception) -> tuple[str, bool]:
    """Gives what is told of a failure, and whether it stays: the kind, not the text, which may hold
    content."""
    if isinstance(error, TaskRefused):
        return str(error)[:256], True
    if isinstance(error, NoFunction):
        return "the worker has no function for the task", False
    return type(error).__name__, False


def check_functions(*functions: object) -> None:
    """Raises a ValueError for a worker that was given no function."""
    if all(function is None for function in functions):
        raise ValueError("give one of summarize, embed, rerank, extract, score, resolve")
