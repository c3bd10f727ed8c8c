import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import message_pb2 as _message_pb2
from memorysidecar.v1 import policy_summary_pb2 as _policy_summary_pb2
from memorysidecar.v1 import window_pb2 as _window_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TaskType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TASK_TYPE_UNSPECIFIED: _ClassVar[TaskType]
    TASK_TYPE_SUMMARIZE: _ClassVar[TaskType]
    TASK_TYPE_EXTRACT: _ClassVar[TaskType]
    TASK_TYPE_EMBED: _ClassVar[TaskType]
    TASK_TYPE_SCORE: _ClassVar[TaskType]
    TASK_TYPE_RERANK: _ClassVar[TaskType]
    TASK_TYPE_RESOLVE: _ClassVar[TaskType]

class TaskState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TASK_STATE_UNSPECIFIED: _ClassVar[TaskState]
    TASK_STATE_READY: _ClassVar[TaskState]
    TASK_STATE_LEASED: _ClassVar[TaskState]
    TASK_STATE_WAITING: _ClassVar[TaskState]
    TASK_STATE_DEAD: _ClassVar[TaskState]

class TaskFailureReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TASK_FAILURE_REASON_UNSPECIFIED: _ClassVar[TaskFailureReason]
    TASK_FAILURE_REASON_UNREACHABLE: _ClassVar[TaskFailureReason]
    TASK_FAILURE_REASON_TIMEOUT: _ClassVar[TaskFailureReason]
    TASK_FAILURE_REASON_BUSY: _ClassVar[TaskFailureReason]
    TASK_FAILURE_REASON_HOOK_ERROR: _ClassVar[TaskFailureReason]
    TASK_FAILURE_REASON_REFUSED: _ClassVar[TaskFailureReason]
    TASK_FAILURE_REASON_INVALID_OUTPUT: _ClassVar[TaskFailureReason]
    TASK_FAILURE_REASON_EMPTY_OUTPUT: _ClassVar[TaskFailureReason]
    TASK_FAILURE_REASON_OUTPUT_TOO_LONG: _ClassVar[TaskFailureReason]
    TASK_FAILURE_REASON_WORKER: _ClassVar[TaskFailureReason]
    TASK_FAILURE_REASON_NO_HOOK: _ClassVar[TaskFailureReason]

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
TASK_TYPE_UNSPECIFIED: TaskType
TASK_TYPE_SUMMARIZE: TaskType
TASK_TYPE_EXTRACT: TaskType
TASK_TYPE_EMBED: TaskType
TASK_TYPE_SCORE: TaskType
TASK_TYPE_RERANK: TaskType
TASK_TYPE_RESOLVE: TaskType
TASK_STATE_UNSPECIFIED: TaskState
TASK_STATE_READY: TaskState
TASK_STATE_LEASED: TaskState
TASK_STATE_WAITING: TaskState
TASK_STATE_DEAD: TaskState
TASK_FAILURE_REASON_UNSPECIFIED: TaskFailureReason
TASK_FAILURE_REASON_UNREACHABLE: TaskFailureReason
TASK_FAILURE_REASON_TIMEOUT: TaskFailureReason
TASK_FAILURE_REASON_BUSY: TaskFailureReason
TASK_FAILURE_REASON_HOOK_ERROR: TaskFailureReason
TASK_FAILURE_REASON_REFUSED: TaskFailureReason
TASK_FAILURE_REASON_INVALID_OUTPUT: TaskFailureReason
TASK_FAILURE_REASON_EMPTY_OUTPUT: TaskFailureReason
TASK_FAILURE_REASON_OUTPUT_TOO_LONG: TaskFailureReason
TASK_FAILURE_REASON_WORKER: TaskFailureReason
TASK_FAILURE_REASON_NO_HOOK: TaskFailureReason
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

class Task(_message.Message):
    __slots__ = ("namespace", "task_id", "type", "session_id", "hook", "stage", "state", "failed_attempts", "max_attempts", "call_count", "ready_time", "lease_expire_time", "worker_id", "last_failure", "summarize", "create_time")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    HOOK_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    FAILED_ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    MAX_ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    CALL_COUNT_FIELD_NUMBER: _ClassVar[int]
    READY_TIME_FIELD_NUMBER: _ClassVar[int]
    LEASE_EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    LAST_FAILURE_FIELD_NUMBER: _ClassVar[int]
    SUMMARIZE_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    task_id: str
    type: TaskType
    session_id: str
    hook: str
    stage: str
    state: TaskState
    failed_attempts: int
    max_attempts: int
    call_count: int
    ready_time: _timestamp_pb2.Timestamp
    lease_expire_time: _timestamp_pb2.Timestamp
    worker_id: str
    last_failure: TaskFailure
    summarize: SummarizeWork
    create_time: _timestamp_pb2.Timestamp
    def __init__(self, namespace: _Optional[str] = ..., task_id: _Optional[str] = ..., type: _Optional[_Union[TaskType, str]] = ..., session_id: _Optional[str] = ..., hook: _Optional[str] = ..., stage: _Optional[str] = ..., state: _Optional[_Union[TaskState, str]] = ..., failed_attempts: _Optional[int] = ..., max_attempts: _Optional[int] = ..., call_count: _Optional[int] = ..., ready_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., lease_expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., worker_id: _Optional[str] = ..., last_failure: _Optional[_Union[TaskFailure, _Mapping]] = ..., summarize: _Optional[_Union[SummarizeWork, _Mapping]] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class TaskFailure(_message.Message):
    __slots__ = ("reason", "message", "time")
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    reason: TaskFailureReason
    message: str
    time: _timestamp_pb2.Timestamp
    def __init__(self, reason: _Optional[_Union[TaskFailureReason, str]] = ..., message: _Optional[str] = ..., time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class SummarizeWork(_message.Message):
    __slots__ = ("seq_ranges", "made_message_ids", "sources", "options", "loop", "level", "triggers")
    SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    MADE_MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    LOOP_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    TRIGGERS_FIELD_NUMBER: _ClassVar[int]
    seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    made_message_ids: _containers.RepeatedScalarFieldContainer[str]
    sources: _window_pb2.Totals
    options: _policy_summary_pb2.Summarize
    loop: int
    level: int
    triggers: _containers.RepeatedCompositeFieldContainer[_window_pb2.TriggerHit]
    def __init__(self, seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., made_message_ids: _Optional[_Iterable[str]] = ..., sources: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., options: _Optional[_Union[_policy_summary_pb2.Summarize, _Mapping]] = ..., loop: _Optional[int] = ..., level: _Optional[int] = ..., triggers: _Optional[_Iterable[_Union[_window_pb2.TriggerHit, _Mapping]]] = ...) -> None: ...

class SummarizeInput(_message.Message):
    __slots__ = ("messages", "transcript", "prior_texts", "replaces_prior", "max_tokens", "instructions", "loop", "max_loops", "draft", "structured", "trust", "saves_tokens")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    TRANSCRIPT_FIELD_NUMBER: _ClassVar[int]
    PRIOR_TEXTS_FIELD_NUMBER: _ClassVar[int]
    REPLACES_PRIOR_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    LOOP_FIELD_NUMBER: _ClassVar[int]
    MAX_LOOPS_FIELD_NUMBER: _ClassVar[int]
    DRAFT_FIELD_NUMBER: _ClassVar[int]
    STRUCTURED_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    SAVES_TOKENS_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    transcript: str
    prior_texts: _containers.RepeatedScalarFieldContainer[str]
    replaces_prior: bool
    max_tokens: int
    instructions: str
    loop: int
    max_loops: int
    draft: str
    structured: bool
    trust: _message_pb2.Trust
    saves_tokens: bool
    def __init__(self, messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., transcript: _Optional[str] = ..., prior_texts: _Optional[_Iterable[str]] = ..., replaces_prior: _Optional[bool] = ..., max_tokens: _Optional[int] = ..., instructions: _Optional[str] = ..., loop: _Optional[int] = ..., max_loops: _Optional[int] = ..., draft: _Optional[str] = ..., structured: _Optional[bool] = ..., trust: _Optional[_Union[_message_pb2.Trust, str]] = ..., saves_tokens: _Optional[bool] = ...) -> None: ...

class SummarizeOutput(_message.Message):
    __slots__ = ("text", "missing_entities", "request_text", "facts", "open_threads", "model", "input_tokens", "output_tokens")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    MISSING_ENTITIES_FIELD_NUMBER: _ClassVar[int]
    REQUEST_TEXT_FIELD_NUMBER: _ClassVar[int]
    FACTS_FIELD_NUMBER: _ClassVar[int]
    OPEN_THREADS_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    INPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    text: str
    missing_entities: _containers.RepeatedScalarFieldContainer[str]
    request_text: str
    facts: _containers.RepeatedScalarFieldContainer[str]
    open_threads: _containers.RepeatedScalarFieldContainer[str]
    model: str
    input_tokens: int
    output_tokens: int
    def __init__(self, text: _Optional[str] = ..., missing_entities: _Optional[_Iterable[str]] = ..., request_text: _Optional[str] = ..., facts: _Optional[_Iterable[str]] = ..., open_threads: _Optional[_Iterable[str]] = ..., model: _Optional[str] = ..., input_tokens: _Optional[int] = ..., output_tokens: _Optional[int] = ...) -> None: ...

class Hook(_message.Message):
    __slots__ = ("name", "kind", "task_types", "default", "breaker", "retry_time", "running_calls", "max_running_calls", "call_count", "failures", "timeout", "calls_per_hour", "tokens_per_hour", "used_calls", "used_tokens")
    NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    TASK_TYPES_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_FIELD_NUMBER: _ClassVar[int]
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
    task_types: _containers.RepeatedScalarFieldContainer[TaskType]
    default: bool
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
    def __init__(self, name: _Optional[str] = ..., kind: _Optional[_Union[HookKind, str]] = ..., task_types: _Optional[_Iterable[_Union[TaskType, str]]] = ..., default: _Optional[bool] = ..., breaker: _Optional[_Union[BreakerState, str]] = ..., retry_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., running_calls: _Optional[int] = ..., max_running_calls: _Optional[int] = ..., call_count: _Optional[int] = ..., failures: _Optional[_Iterable[_Union[FailureCount, _Mapping]]] = ..., timeout: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., calls_per_hour: _Optional[int] = ..., tokens_per_hour: _Optional[int] = ..., used_calls: _Optional[int] = ..., used_tokens: _Optional[int] = ...) -> None: ...

class FailureCount(_message.Message):
    __slots__ = ("reason", "count")
    REASON_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    reason: TaskFailureReason
    count: int
    def __init__(self, reason: _Optional[_Union[TaskFailureReason, str]] = ..., count: _Optional[int] = ...) -> None: ...
