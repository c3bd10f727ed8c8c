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

class BackUpTarget(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BACK_UP_TARGET_UNSPECIFIED: _ClassVar[BackUpTarget]
    BACK_UP_TARGET_DIRECTORY: _ClassVar[BackUpTarget]
    BACK_UP_TARGET_STREAM: _ClassVar[BackUpTarget]

class BackUpStep(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BACK_UP_STEP_UNSPECIFIED: _ClassVar[BackUpStep]
    BACK_UP_STEP_COPYING: _ClassVar[BackUpStep]
    BACK_UP_STEP_VERIFYING: _ClassVar[BackUpStep]

class CompactStoreStep(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COMPACT_STORE_STEP_UNSPECIFIED: _ClassVar[CompactStoreStep]
    COMPACT_STORE_STEP_COPYING: _ClassVar[CompactStoreStep]
    COMPACT_STORE_STEP_VERIFYING: _ClassVar[CompactStoreStep]
    COMPACT_STORE_STEP_CATCHING_UP: _ClassVar[CompactStoreStep]

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

class ErasureState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERASURE_STATE_UNSPECIFIED: _ClassVar[ErasureState]
    ERASURE_STATE_RUNNING: _ClassVar[ErasureState]
    ERASURE_STATE_DONE: _ClassVar[ErasureState]
    ERASURE_STATE_DRY_RUN: _ClassVar[ErasureState]

class ErasedKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERASED_KIND_UNSPECIFIED: _ClassVar[ErasedKind]
    ERASED_KIND_SESSION: _ClassVar[ErasedKind]
    ERASED_KIND_MESSAGE: _ClassVar[ErasedKind]
    ERASED_KIND_SUMMARY: _ClassVar[ErasedKind]
    ERASED_KIND_TASK: _ClassVar[ErasedKind]
    ERASED_KIND_MEMORY: _ClassVar[ErasedKind]
    ERASED_KIND_MEMORY_VERSION: _ClassVar[ErasedKind]
    ERASED_KIND_DOCUMENT: _ClassVar[ErasedKind]
    ERASED_KIND_ANSWER: _ClassVar[ErasedKind]
    ERASED_KIND_RECORD: _ClassVar[ErasedKind]

class ErasureRemainderReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERASURE_REMAINDER_REASON_UNSPECIFIED: _ClassVar[ErasureRemainderReason]
    ERASURE_REMAINDER_REASON_EVENTS: _ClassVar[ErasureRemainderReason]
    ERASURE_REMAINDER_REASON_OTHER_OWNER: _ClassVar[ErasureRemainderReason]
    ERASURE_REMAINDER_REASON_CALLER_SUMMARY: _ClassVar[ErasureRemainderReason]
    ERASURE_REMAINDER_REASON_FREE_PAGES: _ClassVar[ErasureRemainderReason]
    ERASURE_REMAINDER_REASON_COPIES: _ClassVar[ErasureRemainderReason]
    ERASURE_REMAINDER_REASON_UNKNOWN_OWNER: _ClassVar[ErasureRemainderReason]
    ERASURE_REMAINDER_REASON_DELETED_MESSAGE: _ClassVar[ErasureRemainderReason]
BACK_UP_TARGET_UNSPECIFIED: BackUpTarget
BACK_UP_TARGET_DIRECTORY: BackUpTarget
BACK_UP_TARGET_STREAM: BackUpTarget
BACK_UP_STEP_UNSPECIFIED: BackUpStep
BACK_UP_STEP_COPYING: BackUpStep
BACK_UP_STEP_VERIFYING: BackUpStep
COMPACT_STORE_STEP_UNSPECIFIED: CompactStoreStep
COMPACT_STORE_STEP_COPYING: CompactStoreStep
COMPACT_STORE_STEP_VERIFYING: CompactStoreStep
COMPACT_STORE_STEP_CATCHING_UP: CompactStoreStep
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
ERASURE_STATE_UNSPECIFIED: ErasureState
ERASURE_STATE_RUNNING: ErasureState
ERASURE_STATE_DONE: ErasureState
ERASURE_STATE_DRY_RUN: ErasureState
ERASED_KIND_UNSPECIFIED: ErasedKind
ERASED_KIND_SESSION: ErasedKind
ERASED_KIND_MESSAGE: ErasedKind
ERASED_KIND_SUMMARY: ErasedKind
ERASED_KIND_TASK: ErasedKind
ERASED_KIND_MEMORY: ErasedKind
ERASED_KIND_MEMORY_VERSION: ErasedKind
ERASED_KIND_DOCUMENT: ErasedKind
ERASED_KIND_ANSWER: ErasedKind
ERASED_KIND_RECORD: ErasedKind
ERASURE_REMAINDER_REASON_UNSPECIFIED: ErasureRemainderReason
ERASURE_REMAINDER_REASON_EVENTS: ErasureRemainderReason
ERASURE_REMAINDER_REASON_OTHER_OWNER: ErasureRemainderReason
ERASURE_REMAINDER_REASON_CALLER_SUMMARY: ErasureRemainderReason
ERASURE_REMAINDER_REASON_FREE_PAGES: ErasureRemainderReason
ERASURE_REMAINDER_REASON_COPIES: ErasureRemainderReason
ERASURE_REMAINDER_REASON_UNKNOWN_OWNER: ErasureRemainderReason
ERASURE_REMAINDER_REASON_DELETED_MESSAGE: ErasureRemainderReason

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

class ListNamespacesRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListNamespacesResponse(_message.Message):
    __slots__ = ("namespaces", "next_page_token")
    NAMESPACES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespaces: _containers.RepeatedCompositeFieldContainer[NamespaceInfo]
    next_page_token: str
    def __init__(self, namespaces: _Optional[_Iterable[_Union[NamespaceInfo, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class NamespaceInfo(_message.Message):
    __slots__ = ("namespace", "revision")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    revision: int
    def __init__(self, namespace: _Optional[str] = ..., revision: _Optional[int] = ...) -> None: ...

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

class BackUpRequest(_message.Message):
    __slots__ = ("target", "max_bytes_per_second")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    MAX_BYTES_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    target: BackUpTarget
    max_bytes_per_second: int
    def __init__(self, target: _Optional[_Union[BackUpTarget, str]] = ..., max_bytes_per_second: _Optional[int] = ...) -> None: ...

class BackUpResponse(_message.Message):
    __slots__ = ("progress", "chunk", "back_up")
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    BACK_UP_FIELD_NUMBER: _ClassVar[int]
    progress: BackUpProgress
    chunk: bytes
    back_up: BackUp
    def __init__(self, progress: _Optional[_Union[BackUpProgress, _Mapping]] = ..., chunk: _Optional[bytes] = ..., back_up: _Optional[_Union[BackUp, _Mapping]] = ...) -> None: ...

class BackUpProgress(_message.Message):
    __slots__ = ("step", "copied_bytes", "total_bytes")
    STEP_FIELD_NUMBER: _ClassVar[int]
    COPIED_BYTES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    step: BackUpStep
    copied_bytes: int
    total_bytes: int
    def __init__(self, step: _Optional[_Union[BackUpStep, str]] = ..., copied_bytes: _Optional[int] = ..., total_bytes: _Optional[int] = ...) -> None: ...

class BackUp(_message.Message):
    __slots__ = ("name", "store_id", "start_time", "end_time", "size_bytes", "sha256", "content")
    NAME_FIELD_NUMBER: _ClassVar[int]
    STORE_ID_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    name: str
    store_id: str
    start_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    size_bytes: int
    sha256: str
    content: BackUpContent
    def __init__(self, name: _Optional[str] = ..., store_id: _Optional[str] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., size_bytes: _Optional[int] = ..., sha256: _Optional[str] = ..., content: _Optional[_Union[BackUpContent, _Mapping]] = ...) -> None: ...

class BackUpContent(_message.Message):
    __slots__ = ("session_count", "message_count", "event_count", "document_count", "memory_count", "record_count")
    SESSION_COUNT_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_COUNT_FIELD_NUMBER: _ClassVar[int]
    EVENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    MEMORY_COUNT_FIELD_NUMBER: _ClassVar[int]
    RECORD_COUNT_FIELD_NUMBER: _ClassVar[int]
    session_count: int
    message_count: int
    event_count: int
    document_count: int
    memory_count: int
    record_count: int
    def __init__(self, session_count: _Optional[int] = ..., message_count: _Optional[int] = ..., event_count: _Optional[int] = ..., document_count: _Optional[int] = ..., memory_count: _Optional[int] = ..., record_count: _Optional[int] = ...) -> None: ...

class CompactStoreRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CompactStoreResponse(_message.Message):
    __slots__ = ("progress", "compaction")
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_FIELD_NUMBER: _ClassVar[int]
    progress: CompactStoreProgress
    compaction: StoreCompaction
    def __init__(self, progress: _Optional[_Union[CompactStoreProgress, _Mapping]] = ..., compaction: _Optional[_Union[StoreCompaction, _Mapping]] = ...) -> None: ...

class CompactStoreProgress(_message.Message):
    __slots__ = ("step", "done_bytes", "total_bytes")
    STEP_FIELD_NUMBER: _ClassVar[int]
    DONE_BYTES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    step: CompactStoreStep
    done_bytes: int
    total_bytes: int
    def __init__(self, step: _Optional[_Union[CompactStoreStep, str]] = ..., done_bytes: _Optional[int] = ..., total_bytes: _Optional[int] = ...) -> None: ...

class StoreCompaction(_message.Message):
    __slots__ = ("size_bytes_before", "size_bytes_after", "write_pause")
    SIZE_BYTES_BEFORE_FIELD_NUMBER: _ClassVar[int]
    SIZE_BYTES_AFTER_FIELD_NUMBER: _ClassVar[int]
    WRITE_PAUSE_FIELD_NUMBER: _ClassVar[int]
    size_bytes_before: int
    size_bytes_after: int
    write_pause: _duration_pb2.Duration
    def __init__(self, size_bytes_before: _Optional[int] = ..., size_bytes_after: _Optional[int] = ..., write_pause: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class EraseSubjectRequest(_message.Message):
    __slots__ = ("namespace", "subject", "dry_run", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    subject: ErasureSubject
    dry_run: bool
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., subject: _Optional[_Union[ErasureSubject, _Mapping]] = ..., dry_run: _Optional[bool] = ..., request_id: _Optional[str] = ...) -> None: ...

class ErasureSubject(_message.Message):
    __slots__ = ("user_id", "agent_id", "session_id", "document", "messages")
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    agent_id: str
    session_id: str
    document: DocumentSubject
    messages: MessagesSubject
    def __init__(self, user_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., session_id: _Optional[str] = ..., document: _Optional[_Union[DocumentSubject, _Mapping]] = ..., messages: _Optional[_Union[MessagesSubject, _Mapping]] = ...) -> None: ...

class DocumentSubject(_message.Message):
    __slots__ = ("collection_id", "document_id")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    document_id: str
    def __init__(self, collection_id: _Optional[str] = ..., document_id: _Optional[str] = ...) -> None: ...

class MessagesSubject(_message.Message):
    __slots__ = ("session_id", "message_ids")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, session_id: _Optional[str] = ..., message_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class EraseSubjectResponse(_message.Message):
    __slots__ = ("erasure",)
    ERASURE_FIELD_NUMBER: _ClassVar[int]
    erasure: Erasure
    def __init__(self, erasure: _Optional[_Union[Erasure, _Mapping]] = ...) -> None: ...

class GetErasureRequest(_message.Message):
    __slots__ = ("namespace", "erasure_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    ERASURE_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    erasure_id: str
    def __init__(self, namespace: _Optional[str] = ..., erasure_id: _Optional[str] = ...) -> None: ...

class GetErasureResponse(_message.Message):
    __slots__ = ("erasure",)
    ERASURE_FIELD_NUMBER: _ClassVar[int]
    erasure: Erasure
    def __init__(self, erasure: _Optional[_Union[Erasure, _Mapping]] = ...) -> None: ...

class Erasure(_message.Message):
    __slots__ = ("erasure_id", "state", "subject_digest", "erased", "left", "create_time", "end_time")
    ERASURE_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_DIGEST_FIELD_NUMBER: _ClassVar[int]
    ERASED_FIELD_NUMBER: _ClassVar[int]
    LEFT_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    erasure_id: str
    state: ErasureState
    subject_digest: str
    erased: _containers.RepeatedCompositeFieldContainer[ErasedCount]
    left: _containers.RepeatedCompositeFieldContainer[ErasureRemainder]
    create_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    def __init__(self, erasure_id: _Optional[str] = ..., state: _Optional[_Union[ErasureState, str]] = ..., subject_digest: _Optional[str] = ..., erased: _Optional[_Iterable[_Union[ErasedCount, _Mapping]]] = ..., left: _Optional[_Iterable[_Union[ErasureRemainder, _Mapping]]] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ErasedCount(_message.Message):
    __slots__ = ("kind", "count")
    KIND_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    kind: ErasedKind
    count: int
    def __init__(self, kind: _Optional[_Union[ErasedKind, str]] = ..., count: _Optional[int] = ...) -> None: ...

class ErasureRemainder(_message.Message):
    __slots__ = ("reason", "count", "session_ids", "drop_time")
    REASON_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    SESSION_IDS_FIELD_NUMBER: _ClassVar[int]
    DROP_TIME_FIELD_NUMBER: _ClassVar[int]
    reason: ErasureRemainderReason
    count: int
    session_ids: _containers.RepeatedScalarFieldContainer[str]
    drop_time: _timestamp_pb2.Timestamp
    def __init__(self, reason: _Optional[_Union[ErasureRemainderReason, str]] = ..., count: _Optional[int] = ..., session_ids: _Optional[_Iterable[str]] = ..., drop_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...
