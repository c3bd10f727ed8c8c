"""Rules for retrying a failed call, and the delay before each retry."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

import grpc

from ._made import told
from .errors import MemorySidecarError


@dataclass(frozen=True)
class RetryPolicy:
    """Retries of calls that are safe to repeat: reads, and mutations with a request id, which the
    client makes when the caller gives none."""

    max_attempts: int = 8
    """Maximum number of attempts of a call, the first included. 1 means no retry."""
    initial_delay: float = 0.1
    """Delay before the second attempt, in seconds; it doubles with every attempt."""
    max_delay: float = 5.0
    """Maximum delay, in seconds, unless the server requests a longer one."""

    def delay(self, failures: int, server_delay: float | None = None) -> float:
        """Gives the pause after so many failures: half of it fixed, half of it random, so that many
        clients do not come back at once. Never shorter than what the server asks for."""
        full = min(self.max_delay, self.initial_delay * 2.0 ** min(failures - 1, 32))
        pause = full * random.uniform(0.5, 1.0)
        if server_delay is None:
            return pause
        return max(pause, server_delay * random.uniform(1.0, 1.25))


def check_timeout(seconds: float | None) -> float | None:
    """Gives the limit of a call.

    :raises ValueError: when it is not above 0.
    """
    is_number = isinstance(seconds, (int, float))
    if seconds is None or (is_number and seconds > 0):
        return seconds
    given = seconds if is_number else told(seconds)
    raise ValueError(f"timeout is a number of seconds above 0, or None for no limit, not {given}")


def is_transient(error: MemorySidecarError) -> bool:
    """Tells whether the same request may be sent again; the contract has one code for this."""
    return error.code is grpc.StatusCode.UNAVAILABLE


class Attempts:
    """The attempts of one call, bounded by their number and by the call's deadline."""

    __slots__ = ("_failures", "_is_safe", "_policy", "_start", "limit")

    limit: float | None
    """The seconds of the call with all its attempts. None means no deadline."""

    def __init__(self, policy: RetryPolicy, *, timeout: float | None, safe: bool) -> None:
        self._policy = policy
        self.limit = timeout
        self._start = time.monotonic()
        self._is_safe = safe
        self._failures = 0

    def timeout(self) -> float | None:
        """Gives the seconds that are left. None means no deadline."""
        if self.limit is None or self._failures == 0:
            return self.limit
        return max(0.0, self._start + self.limit - time.monotonic())

    def delay_after(self, error: MemorySidecarError) -> float:
        """Gives the pause before the next attempt, or raises the error when there is none."""
        self._failures += 1
        left = self._policy.max_attempts - self._failures if self._is_safe else 0
        if left <= 0 or not is_transient(error):
            raise error
        delay = self._policy.delay(self._failures, error.retry_delay)
        seconds = self.timeout()
        if seconds is not None and delay >= seconds:
            raise error
        return delay
