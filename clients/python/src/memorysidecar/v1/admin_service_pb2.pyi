import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import rules_pb2 as _rules_pb2
from memorysidecar.v1 import task_pb2 as _task_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class HookKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HOOK_KIND_UNSPECIFIED: _ClassVar[HookKind]
    HOOK_KIND_BUILTIN: _ClassVar[HookKind]
    HOOK_KIND_OPENAI: _ClassVar[HookKind]
    HOOK_KIND_GRPC: _ClassVar[HookKind]
    HOOK_KIND_POLL: _ClassVar[HookKind]
    HOOK_KIND_ONNX: _ClassVar[HookKind]

class BreakerState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BREAKER_STATE_UNSPECIFIED: _ClassVar[BreakerState]
    BREAKER_STATE_CLOSED: _ClassVar[BreakerState]
    BREAKER_STATE_OPEN: _ClassVar[BreakerState]
    BREAKER_STATE_HALF_OPEN: _ClassVar[BreakerState]
HOOK_KIND_UNSPECIFIED: HookKind
HOOK_KIND_BUILTIN: HookKind
HOOK_KIND_OPENAI: HookKind
HOOK_KIND_GRPC: HookKind
HOOK_KIND_POLL: HookKind
HOOK_KIND_ONNX: HookKind
BREAKER_STATE_UNSPECIFIED: BreakerState
BREAKER_STATE_CLOSED: BreakerState
BREAKER_STATE_OPEN: BreakerState
BREAKER_STATE_HALF_OPEN: BreakerState

class GetServerInfoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetServerInfoResponse(_message.Message):
    __slots__ = ("version", "store_id", "store_format", "capabilities", "limits", "start_time")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    STORE_ID_FIELD_NUMBER: _ClassVar[int]
    STORE_FORMAT_FIELD_NUMBER: _ClassVar[int]
    CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    version: str
    store_id: str
    store_format: int
    capabilities: _containers.RepeatedScalarFieldContainer[str]
    limits: _containers.RepeatedCompositeFieldContainer[Limit]
    start_time: _timestamp_pb2.Timestamp
    def __init__(self, version: _Optional[str] = ..., store_id: _Optional[str] = ..., store_format: _Optional[int] = ..., capabilities: _Optional[_Iterable[str]] = ..., limits: _Optional[_Iterable[_Union[Limit, _Mapping]]] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Limit(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: int
    def __init__(self, name: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...

class ListHooksRequest(_message.Message):
    __slots__ = ("namespace", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListHooksResponse(_message.Message):
    __slots__ = ("hooks", "next_page_token")
    HOOKS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    hooks: _containers.RepeatedCompositeFieldContainer[Hook]
    next_page_token: str
    def __init__(self, hooks: _Optional[_Iterable[_Union[Hook, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class Hook(_message.Message):
    __slots__ = ("name", "kind", "task_types", "is_default", "breaker", "retry_time", "running_calls", "max_running_calls", "call_count", "failures", "timeout", "calls_per_hour", "tokens_per_hour", "used_calls", "used_tokens")
    NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    TASK_TYPES_FIELD_NUMBER: _ClassVar[int]
    IS_DEFAULT_FIELD_NUMBER: _ClassVar[int]
    BREAKER_FIELD_NUMBER: _ClassVar[int]
    RETRY_TIME_FIELD_NUMBER: _ClassVar[int]
    RUNNING_CALLS_FIELD_NUMBER: _ClassVar[int]
    MAX_RUNNING_CALLS_FIELD_NUMBER: _ClassVar[int]
    CALL_COUNT_FIELD_NUMBER: _ClassVar[int]
    FAILURES_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    CALLS_PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    TOKENS_PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    USED_CALLS_FIELD_NUMBER: _ClassVar[int]
    USED_TOKENS_FIELD_NUMBER: _ClassVar[int]
    name: str
    kind: HookKind
    task_types: _containers.RepeatedScalarFieldContainer[_task_pb2.TaskType]
    is_default: bool
    breaker: BreakerState
    retry_time: _timestamp_pb2.Timestamp
    running_calls: int
    max_running_calls: int
    call_count: int
    failures: _containers.RepeatedCompositeFieldContainer[FailureCount]
    timeout: _duration_pb2.Duration
    calls_per_hour: int
    tokens_per_hour: int
    used_calls: int
    used_tokens: int
    def __init__(self, name: _Optional[str] = ..., kind: _Optional[_Union[HookKind, str]] = ..., task_types: _Optional[_Iterable[_Union[_task_pb2.TaskType, str]]] = ..., is_default: _Optional[bool] = ..., breaker: _Optional[_Union[BreakerState, str]] = ..., retry_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., running_calls: _Optional[int] = ..., max_running_calls: _Optional[int] = ..., call_count: _Optional[int] = ..., failures: _Optional[_Iterable[_Union[FailureCount, _Mapping]]] = ..., timeout: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., calls_per_hour: _Optional[int] = ..., tokens_per_hour: _Optional[int] = ..., used_calls: _Optional[int] = ..., used_tokens: _Optional[int] = ...) -> None: ...

class FailureCount(_message.Message):
    __slots__ = ("reason", "count")
    REASON_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    reason: _task_pb2.TaskFailureReason
    count: int
    def __init__(self, reason: _Optional[_Union[_task_pb2.TaskFailureReason, str]] = ..., count: _Optional[int] = ...) -> None: ...
