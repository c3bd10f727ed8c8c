"""A server in this process that answers as a test tells it."""

from __future__ import annotations

import os
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from typing import Any

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.rpc import error_details_pb2, status_pb2

from memorysidecar import v1
from memorysidecar._base import _METHODS

Step = Callable[[Any, grpc.ServicerContext], Any]


def details(
    reason: str = "",
    *,
    metadata: dict[str, str] | None = None,
    violations: Sequence[tuple[str, str]] = (),
    retry_delay: float | None = None,
    code: int = 0,
) -> bytes:
    """The wire form of the details of an error."""
    found: list[Any] = []
    if reason:
        found.append(
            error_details_pb2.ErrorInfo(
                reason=reason, domain="memorysidecar.io", metadata=metadata or {}
            )
        )
    if violations:
        bad = error_details_pb2.BadRequest()
        for field, text in violations:
            bad.field_violations.add(field=field, description=text)
        found.append(bad)
    if retry_delay is not None:
        nanos = round(retry_delay * 1e9)
        pause = duration_pb2.Duration(seconds=nanos // 10**9, nanos=nanos % 10**9)
        found.append(error_details_pb2.RetryInfo(retry_delay=pause))
    status = status_pb2.Status(code=code)
    for one in found:
        packed = any_pb2.Any()
        packed.Pack(one)
        status.details.append(packed)
    return bytes(status.SerializeToString())


def fail(code: grpc.StatusCode, reason: str = "", text: str = "no", **rest: Any) -> Step:
    """A step that fails."""

    def step(request: Any, context: grpc.ServicerContext) -> Any:
        data = details(reason, code=code.value[0], **rest)
        context.set_trailing_metadata((("grpc-status-details-bin", data),))
        context.abort(code, text)

    return step


def answer(message: Any) -> Step:
    """A step that answers."""
    return lambda request, context: message


def batch(*places: tuple[int, int]) -> v1.WatchEventsResponse:
    """An answer of a watch with events, named by revision and index."""
    events = [
        v1.StreamedEvent(
            event=v1.Event(revision=revision, index=index), resume_token=f"{revision}.{index}"
        )
        for revision, index in places
    ]
    return v1.WatchEventsResponse(events=events, resume_token=events[-1].resume_token)


def event(revision: int, index: int = 0) -> v1.WatchEventsResponse:
    """An answer of a watch with one event."""
    return batch((revision, index))


def checkpoint(token: str) -> v1.WatchEventsResponse:
    """An answer of a watch without an event."""
    return v1.WatchEventsResponse(resume_token=token)


def stream(*answers: v1.WatchEventsResponse, then: Step | None = None) -> Step:
    """A step of a watch: answers, then a failure, ``end``, or silence until the client goes."""

    def step(request: Any, context: grpc.ServicerContext) -> Iterator[v1.WatchEventsResponse]:
        yield from answers
        if then is None:
            gone = threading.Event()
            if context.add_callback(gone.set):
                gone.wait(20)
        else:
            then(request, context)

    return step


def end(request: Any, context: grpc.ServicerContext) -> None:
    """Ends a stream without an error."""


class FakeServer:
    """Answers each rpc by the steps of ``script[rpc]``, the last of which repeats; without
    steps by an empty answer. ``calls`` keeps the requests."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.metadata: list[dict[str, Any]] = []
        self.script: dict[str, list[Step]] = defaultdict(list)
        self._folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self._folder.name, "s.sock")
        self.server = grpc.server(futures.ThreadPoolExecutor(16))
        services: dict[str, dict[str, Any]] = defaultdict(dict)
        for method in _METHODS.values():
            services[method.containing_service.full_name][method.name] = self._handler(method)
        for name, handlers in services.items():
            self.server.add_generic_rpc_handlers(
                (grpc.method_handlers_generic_handler(name, handlers),)
            )
        self.server.add_insecure_port(f"unix:{self.path}")
        self.server.start()

    def _handler(self, method: Any) -> Any:
        request_type = getattr(v1, method.input_type.name)
        answer_type = getattr(v1, method.output_type.name)

        def step_for(request: Any, context: grpc.ServicerContext) -> Step:
            self.calls.append((method.name, request))
            self.metadata.append(dict(context.invocation_metadata()))
            steps = self.script[method.name]
            if not steps:
                return answer(answer_type())
            return steps.pop(0) if len(steps) > 1 else steps[0]

        def unary(request: Any, context: grpc.ServicerContext) -> Any:
            return step_for(request, context)(request, context)

        def streaming(request: Any, context: grpc.ServicerContext) -> Iterator[Any]:
            answers = step_for(request, context)(request, context)
            yield from [answers] if isinstance(answers, answer_type) else answers

        make = (
            grpc.unary_stream_rpc_method_handler
            if method.server_streaming
            else grpc.unary_unary_rpc_method_handler
        )
        return make(
            streaming if method.server_streaming else unary,
            request_deserializer=request_type.FromString,
            response_serializer=lambda message: message.SerializeToString(),
        )

    def requests(self, rpc: str) -> list[Any]:
        """The requests of an rpc so far."""
        return [request for name, request in self.calls if name == rpc]

    def stop(self) -> None:
        """Stops at once."""
        self.server.stop(0).wait()
        self._folder.cleanup()
