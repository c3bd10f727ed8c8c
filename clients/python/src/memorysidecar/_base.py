"""Shared parts of the client and its asyncio twin: stubs, options of calls, retries."""

from __future__ import annotations

import functools
import os
import time
import weakref
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import grpc
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.descriptor_pb2 import MethodOptions
from google.protobuf.message import Message as ProtoMessage

from . import _channel
from ._advice import advise
from ._fields import OPTIONS, ReadOptions, WriteOptions
from ._retry import Attempts, RetryPolicy, check_timeout
from ._watch_state import Listeners, WatchState
from .errors import MemorySidecarError, decode_error
from .v1.admin_service_pb2 import DESCRIPTOR as ADMIN
from .v1.admin_service_pb2_grpc import AdminServiceStub
from .v1.event_service_pb2 import DESCRIPTOR as EVENTS
from .v1.event_service_pb2_grpc import EventServiceStub
from .v1.memory_service_pb2 import DESCRIPTOR as MEMORIES
from .v1.memory_service_pb2_grpc import MemoryServiceStub
from .v1.recall_service_pb2 import DESCRIPTOR as RECALLS
from .v1.recall_service_pb2_grpc import RecallServiceStub
from .v1.record_service_pb2 import DESCRIPTOR as RECORDS
from .v1.record_service_pb2_grpc import RecordServiceStub
from .v1.rules_pb2 import field_rules
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
    | RecordServiceStub
    | AdminServiceStub
)

_METHODS: Final[dict[str, MethodDescriptor]] = {
    method.input_type.full_name: method
    for file in (SESSIONS, EVENTS, TASKS, RECALLS, MEMORIES, RECORDS, ADMIN)
    for service in file.services_by_name.values()
    for method in service.methods
}


class Rpc(NamedTuple):
    """An rpc, and what its requests have by the contract: looked up once, not in every call."""

    call: Callable[..., Any]
    has_namespace: bool
    has_request_id: bool
    is_safe: bool
    """Calls may be repeated: each gets a request id, or the contract declares them idempotent."""


def _rpc_of(call: Callable[..., Any], method: MethodDescriptor) -> Rpc:
    fields = method.input_type.fields_by_name
    level = method.GetOptions().idempotency_level
    has_request_id = "request_id" in fields
    return Rpc(
        call=call,
        has_namespace="namespace" in fields,
        has_request_id=has_request_id,
        is_safe=has_request_id or level != MethodOptions.IDEMPOTENCY_UNKNOWN,
    )


def _leads_to_condition(field: FieldDescriptor, above: frozenset[Descriptor]) -> bool:
    kind = field.message_type
    if kind is None:
        # The stubs of protobuf do not know extensions of options.
        options: Any = field.GetOptions()
        return bool(options.Extensions[field_rules].not_empty)
    within = above | {kind}
    return kind not in above and any(_leads_to_condition(one, within) for one in kind.fields)


class _Condition(NamedTuple):
    """A field that must not be empty when set, or that holds such fields."""

    name: str
    is_list: bool
    is_message: bool


@functools.cache
def _conditions(kind: Descriptor) -> tuple[_Condition, ...]:
    return tuple(
        _Condition(one.name, not one.has_presence, one.message_type is not None)
        for one in kind.fields
        if _leads_to_condition(one, frozenset((kind,)))
    )


def refuse_empty(message: ProtoMessage, path: str = "") -> None:
    """Refuses conditions that are set and empty, by the rules of the contract: each may be an id
    that the caller lost, and must not mean any.

    :raises ValueError: naming the first one.
    """
    for name, is_list, is_message in _conditions(message.DESCRIPTOR):
        if not is_list and not message.HasField(name):
            continue
        value = getattr(message, name)
        if value == "":
            raise ValueError(f"{path}{name} is empty: leave it out, or name one")
        if is_message:
            for one in value if is_list else [value]:
                refuse_empty(one, f"{path}{name}.")


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
    records: RecordServiceStub
    """The generated stub of RecordService."""
    admin: AdminServiceStub
    """The generated stub of AdminService."""
    address: str
    """The address of the server, as gRPC takes it."""
    metadata: tuple[tuple[str, str], ...]
    """Metadata of every call: the token."""

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
            or credentials of grpc. Default: no TLS; a ``token`` is then refused for other hosts.
            False sends it unencrypted, for networks that you trust.
        :param namespace: of every call that names none.
        :param timeout: seconds for every call that names none, its retries included; None for no
            limit.
        :param retry: how often and when a failed call is tried again.
        :param max_receive_bytes: the largest answer that is taken. Default 4 MiB, which every
            answer of the server fits.
        """
        target = _channel.target(address)
        _channel.refuse_plain_token(target, token, tls)
        settings = _channel.options(target, max_receive_bytes)
        check_timeout(timeout)
        self.address = target
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
        self.records = RecordServiceStub(self.channel)
        self.admin = AdminServiceStub(self.channel)
        stubs: dict[str, Stub] = {
            "SessionService": self.sessions,
            "EventService": self.events,
            "TaskService": self.tasks,
            "RecallService": self.recalls,
            "MemoryService": self.memories,
            "RecordService": self.records,
            "AdminService": self.admin,
        }
        self._rpcs: dict[str, Rpc] = {
            request: _rpc_of(getattr(stubs[method.containing_service.name], method.name), method)
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
    ) -> tuple[Callable[..., Any], Attempts]:
        """Fills in what every request has, and gives its rpc with the plan of its attempts."""
        for name in call:
            if name not in OPTIONS:
                raise TypeError(f'the method has no argument "{name}"')
        refuse_empty(request)
        rpc = self._rpcs[request.DESCRIPTOR.full_name]
        if rpc.has_namespace:
            request.namespace = call.get("namespace", self.namespace)
        if rpc.has_request_id:
            request.request_id = call.get("request_id") or new_request_id()
        timeout = check_timeout(call.get("timeout", self.timeout))
        return rpc.call, Attempts(self.retry, timeout=timeout, safe=rpc.is_safe)

    def _watch_state(
        self,
        request: Any,
        reconnect_timeout: float | None,
        listeners: Listeners,
        call: ReadOptions,
        *,
        reads_state: bool,
    ) -> WatchState:
        refuse_empty(request)
        request.namespace = call.get("namespace", self.namespace)
        timeout = check_timeout(call.get("timeout", self.timeout))
        return WatchState(
            request,
            self.retry,
            listeners,
            open_timeout=timeout,
            reconnect_timeout=reconnect_timeout,
            reads_state=reads_state,
        )


def new_request_id() -> str:
    """Makes the id of a request: its time in ms, and 80 random bits.

    The server keeps answers in the order of their ids. Those that rise with time lie on the same
    pages of its disk; with random ones it writes up to three times as much.
    """
    return f"{time.time_ns() // 1_000_000:012x}{os.urandom(10).hex()}"


def named(call: WriteOptions) -> WriteOptions:
    """Gives options with a request id, for a mutation that takes several calls."""
    return {**call, "request_id": call.get("request_id") or new_request_id()}


def on_page(request: Any, token: str) -> Any:
    """Copies the request of a list for the page that the token names."""
    copy = type(request)()
    copy.CopyFrom(request)
    copy.page_token = token
    return copy


def explain(
    error: grpc.RpcError, request: Any, address: str, timeout: float | None
) -> MemorySidecarError:
    """Reads the error of a call, says what to do about it, and notes the call's request id."""
    read = decode_error(error)
    read.message = advise(read, request, address, timeout)
    read.args = (read.message,)
    read.request_id = getattr(request, "request_id", "")
    return read
