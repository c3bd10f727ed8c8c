"""State of a watch: the request that resumes it, the events it delivered, and its next retry."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import grpc

from . import v1
from ._retry import RetryPolicy, is_transient
from .errors import ErrorReason, MemorySidecarError, make_error

# Reasons for which a server refuses the position to resume from.
_REFUSED = frozenset(
    (
        ErrorReason.RESUME_TOKEN_EXPIRED,
        ErrorReason.RESUME_TOKEN_FOREIGN,
        ErrorReason.RESUME_TOKEN_INVALID,
        ErrorReason.REVISION_NOT_REACHED,
    )
)


class Listeners(NamedTuple):
    """Functions that hear of a watch beside its events."""

    on_checkpoint: Callable[[str], None] | None = None
    on_interrupt: Callable[[MemorySidecarError, int], None] | None = None


class WatchState:
    """The state of one watch over all its connections."""

    def __init__(
        self,
        request: v1.WatchEventsRequest,
        policy: RetryPolicy,
        listeners: Listeners,
        *,
        open_timeout: float | None,
        reconnect_timeout: float | None,
        reads_state: bool,
    ) -> None:
        self.resume_token = ""
        # Whether there was an answer: the watch is on.
        self.opened = False
        self.open_timeout = open_timeout
        self._request = request
        self._policy = policy
        self._listeners = listeners
        self._reads_state = reads_state
        self._last = (0, 0)
        self._pending: deque[v1.StreamedEvent] = deque()
        self._failures = 0
        self._reconnect_timeout = reconnect_timeout
        self._give_up: float | None = None

    def begin(self) -> None:
        """Starts the time in which the first answer must come."""
        self._give_up = self._after(self.open_timeout)

    @staticmethod
    def _after(seconds: float | None) -> float | None:
        return None if seconds is None else time.monotonic() + seconds

    def request(self) -> v1.WatchEventsRequest:
        """Gives the request of the next connection: the first start, later the last token."""
        request = v1.WatchEventsRequest()
        request.CopyFrom(self._request)
        if self.resume_token:
            request.resume_token = self.resume_token
        return request

    @property
    def wants_state(self) -> bool:
        """Whether the state must be read before the current response is accepted: earlier changes
        will not be delivered."""
        from_now = self._request.position == v1.STREAM_POSITION_NOW
        return self._reads_state and from_now and not self.resume_token

    def accept(self, response: v1.WatchEventsResponse) -> None:
        """Takes an answer. Its events wait until they are asked for, but those given before."""
        self._failures = 0
        self._give_up = None
        self.opened = True
        if not response.events:
            self.resume_token = response.resume_token
            if self._listeners.on_checkpoint is not None:
                self._listeners.on_checkpoint(response.resume_token)
        for streamed in response.events:
            place = (streamed.event.revision, streamed.event.index)
            if place > self._last:
                self._last = place
                self._pending.append(streamed)

    def take(self) -> v1.Event | None:
        """Gives the next event that waits and moves the position after it."""
        if not self._pending:
            return None
        streamed = self._pending.popleft()
        self.resume_token = streamed.resume_token
        return streamed.event

    def delay_after(self, error: MemorySidecarError) -> float:
        """Gives the pause before the next connection, or raises the error when it is final."""
        if self._reads_state and error.reason in _REFUSED:
            # Revisions may begin again: another history is another sequence.
            self._request.position = v1.STREAM_POSITION_NOW
            self.resume_token = ""
            self._last = (0, 0)
            return 0.0
        if not is_transient(error):
            raise error
        if self._failures == 0 and self._give_up is None:
            self._give_up = self._after(self._reconnect_timeout)
        self._failures += 1
        delay = self._policy.delay(self._failures, error.retry_delay)
        if self._give_up is not None and time.monotonic() + delay >= self._give_up:
            raise error
        if self._listeners.on_interrupt is not None:
            self._listeners.on_interrupt(error, self._failures)
        return delay


def no_answer() -> MemorySidecarError:
    """The first answer, which comes at once, did not come: the server or the way to it hangs."""
    return make_error(grpc.StatusCode.UNAVAILABLE, "The server did not answer the watch in time.")


def ended() -> MemorySidecarError:
    """The stream ended without an error, which the server never does: something between did."""
    return make_error(grpc.StatusCode.UNAVAILABLE, "The stream ended without an error.")
