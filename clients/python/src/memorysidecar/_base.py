"""What the client and its asyncio twin share: stubs, options of calls, retries."""

from __future__ import annotations

import os
import secrets
import weakref
from collections.abc import Callable
from typing import Any, Final

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.descriptor_pb2 import MethodOptions
from google.protobuf.message import Message as ProtoMessage

from . import _channel
from ._fields import OPTIONS, ReadOptions, WriteOptions
from ._retry import Attempts, RetryPolicy
from ._watch_state import WatchState
from .errors import MemorySidecarError, decode_error
from .v1.admin_service_pb2 import DESCRIPTOR as ADMIN
from .v1.admin_service_pb2_grpc import AdminServiceStub
from .v1.event_service_pb2 import DESCRIPTOR as EVENTS
from .v1.event_service_pb2_grpc import EventServiceStub
from .v1.memory_service_pb2 import DESCRIPTOR as MEMORIES
from .v1.memory_service_pb2_grpc import MemoryServiceStub
from .v1.recall_service_pb2 import DESCRIPTOR as RECALLS
from .v1.recall_service_pb2_grpc import RecallServiceStub
from .v1.session_service_pb2 import DESCRIPTOR as SESSIONS
from .v1.session_service_pb2_grpc import SessionServiceStub
from .v1.task_service_pb2 import DESCRIPTOR as TASKS
from .v1.task_service_pb2_grpc import TaskServiceStub

DEFAULT_RETRY: Final = RetryPolicy()
Stub = (
    SessionServiceStub
    | EventServiceStub
    | TaskServiceStub
    | RecallServiceStub
    | MemoryServiceStub
    | AdminServiceStub
)

_METHODS: Final[dict[str, MethodDescriptor]] = {
    method.input_type.full_name: method
    for file in (SESSIONS, EVENTS, TASKS, RECALLS, MEMORIES, ADMIN)
    for service in file.services_by_name.values()
    for method in service.methods
}


def is_safe(request: ProtoMessage) -> bool:
    """Says whether a repeat of the call is harmless: it has a request id, or the contract
    says so."""
    if getattr(request, "request_id", ""):
        return True
    level = _METHODS[request.DESCRIPTOR.full_name].GetOptions().idempotency_level
    return bool(level != MethodOptions.IDEMPOTENCY_UNKNOWN)


class Base:
    """The settings of a client and its generated stubs. Not used directly."""

    sessions: SessionServiceStub
    """The generated stub of SessionService. Give ``metadata=client.metadata`` with its calls."""
    events: EventServiceStub
    """The generated stub of EventService."""
    tasks: TaskServiceStub
    """The generated stub of TaskService."""
    recalls: RecallServiceStub
    """The generated stub of RecallService."""
    memories: MemoryServiceStub
    """The generated stub of MemoryService."""
    admin: AdminServiceStub
    """The generated stub of AdminService."""
    metadata: tuple[tuple[str, str], ...]
    """What goes with every call: the token."""

    def __init__(
        self,
        address: str | os.PathLike[str],
        *,
        token: str | None = None,
        tls: _channel.Tls | None = None,
        namespace: str = "default",
        timeout: float | None = 30.0,
        retry: RetryPolicy = DEFAULT_RETRY,
        max_receive_bytes: int = _channel.MAX_RECEIVE_BYTES,
    ) -> None:
        """Connects when the first call is made.

        :param address: ``host:port``, ``unix:/path``, or the path of a Unix socket.
        :param token: sent with every call; None sends none.
        :param tls: True for TLS with the system's roots, the path of a file with root certificates,
            or credentials of grpc. Default: no TLS.
        :param namespace: of every call that names none.
        :param timeout: seconds for every call that names none, its retries included; None for no
            limit.
        :param retry: how often and when a failed call is tried again.
        :param max_receive_bytes: the largest answer that is taken. Default 4 MiB, which every
            answer of the server fits.
        """
        target = _channel.target(address)
        settings = _channel.options(target, max_receive_bytes)
        self.namespace = namespace
        self.timeout = timeout
        self.retry = retry
        self.metadata = () if token is None else (("authorization", f"Bearer {token}"),)
        self._watches: weakref.WeakSet[Any] = weakref.WeakSet()
        self.channel = self._open(target, _channel.credentials(tls), settings)
        self.sessions = SessionServiceStub(self.channel)
        self.events = EventServiceStub(self.channel)
        self.tasks = TaskServiceStub(self.channel)
        self.recalls = RecallServiceStub(self.channel)
        self.memories = MemoryServiceStub(self.channel)
        self.admin = AdminServiceStub(self.channel)
        stubs: dict[str, Stub] = {
            "SessionService": self.sessions,
            "EventService": self.events,
            "TaskService": self.tasks,
            "RecallService": self.recalls,
            "MemoryService": self.memories,
            "AdminService": self.admin,
        }
        self._rpcs: dict[str, Callable[..., Any]] = {
            request: getattr(stubs[method.containing_service.name], method.name)
            for request, method in _METHODS.items()
        }

    @staticmethod
    def _open(
        target: str,
        credentials: grpc.ChannelCredentials | None,
        settings: list[tuple[str, Any]],
    ) -> Any:
        raise NotImplementedError

    def _prepare(
        self, request: Any, call: WriteOptions | ReadOptions
    ) -> tuple[Callable[[float | None], Any], Attempts]:
        """Fills in what every request has, and gives the call, which takes its time in seconds,
        with the plan of its attempts."""
        for name in call:
            if name not in OPTIONS:
                raise TypeError(f'the method has no argument "{name}"')
        fields = request.DESCRIPTOR.fields_by_name
        if "namespace" in fields:
            request.namespace = call.get("namespace", self.namespace)
        if "request_id" in fields:
            request.request_id = call.get("request_id") or secrets.token_hex(16)
        rpc = self._rpcs[request.DESCRIPTOR.full_name]
        attempts = Attempts(
            self.retry, timeout=call.get("timeout", self.timeout), safe=is_safe(request)
        )
        return lambda timeout: rpc(request, timeout=timeout, metadata=self.metadata), attempts

    def _watch_state(
        self,
        request: Any,
        reconnect_timeout: float | None,
        call: ReadOptions,
        *,
        reads_state: bool,
    ) -> WatchState:
        request.namespace = call.get("namespace", self.namespace)
        timeout = call.get("timeout", self.timeout)
        return WatchState(
            request,
            self.retry,
            open_timeout=timeout,
            reconnect_timeout=reconnect_timeout,
            reads_state=reads_state,
        )


def named(call: WriteOptions) -> WriteOptions:
    """Gives options with a request id, for a mutation that takes several calls."""
    return {**call, "request_id": call.get("request_id") or secrets.token_hex(16)}


def on_page(request: Any, token: str) -> Any:
    """Copies the request of a list for the page that the token names."""
    copy = type(request)()
    copy.CopyFrom(request)
    copy.page_token = token
    return copy


def explain(error: grpc.RpcError, request: Any) -> MemorySidecarError:
    """Reads the error of a call and notes the call's request id."""
    told = decode_error(error)
    told.request_id = getattr(request, "request_id", "")
    return told
