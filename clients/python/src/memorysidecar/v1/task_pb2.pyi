import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import document_pb2 as _document_pb2
from memorysidecar.v1 import memory_pb2 as _memory_pb2
from memorysidecar.v1 import message_pb2 as _message_pb2
from memorysidecar.v1 import policy_pb2 as _policy_pb2
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

class ResolveAction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RESOLVE_ACTION_UNSPECIFIED: _ClassVar[ResolveAction]
    RESOLVE_ACTION_KEEP_BOTH: _ClassVar[ResolveAction]
    RESOLVE_ACTION_SUPERSEDE: _ClassVar[ResolveAction]
    RESOLVE_ACTION_MERGE: _ClassVar[ResolveAction]
    RESOLVE_ACTION_DROP: _ClassVar[ResolveAction]
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
RESOLVE_ACTION_UNSPECIFIED: ResolveAction
RESOLVE_ACTION_KEEP_BOTH: ResolveAction
RESOLVE_ACTION_SUPERSEDE: ResolveAction
RESOLVE_ACTION_MERGE: ResolveAction
RESOLVE_ACTION_DROP: ResolveAction

class HookTask(_message.Message):
    __slots__ = ("namespace", "task_id", "type", "session_id", "hook", "stage", "state", "failed_attempts", "max_attempts", "call_count", "ready_time", "lease_expire_time", "worker_id", "last_failure", "summarize", "memory", "create_time")
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
    MEMORY_FIELD_NUMBER: _ClassVar[int]
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
    memory: MemoryWork
    create_time: _timestamp_pb2.Timestamp
    def __init__(self, namespace: _Optional[str] = ..., task_id: _Optional[str] = ..., type: _Optional[_Union[TaskType, str]] = ..., session_id: _Optional[str] = ..., hook: _Optional[str] = ..., stage: _Optional[str] = ..., state: _Optional[_Union[TaskState, str]] = ..., failed_attempts: _Optional[int] = ..., max_attempts: _Optional[int] = ..., call_count: _Optional[int] = ..., ready_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., lease_expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., worker_id: _Optional[str] = ..., last_failure: _Optional[_Union[TaskFailure, _Mapping]] = ..., summarize: _Optional[_Union[SummarizeWork, _Mapping]] = ..., memory: _Optional[_Union[MemoryWork, _Mapping]] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class TaskFailure(_message.Message):
    __slots__ = ("reason", "message", "create_time")
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    reason: TaskFailureReason
    message: str
    create_time: _timestamp_pb2.Timestamp
    def __init__(self, reason: _Optional[_Union[TaskFailureReason, str]] = ..., message: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class SummarizeWork(_message.Message):
    __slots__ = ("seq_ranges", "made_message_ids", "source_totals", "options", "loop", "level", "triggers")
    SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    MADE_MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    SOURCE_TOTALS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    LOOP_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    TRIGGERS_FIELD_NUMBER: _ClassVar[int]
    seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    made_message_ids: _containers.RepeatedScalarFieldContainer[str]
    source_totals: _window_pb2.Totals
    options: _policy_pb2.Summarize
    loop: int
    level: int
    triggers: _containers.RepeatedCompositeFieldContainer[_window_pb2.TriggerHit]
    def __init__(self, seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., made_message_ids: _Optional[_Iterable[str]] = ..., source_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., options: _Optional[_Union[_policy_pb2.Summarize, _Mapping]] = ..., loop: _Optional[int] = ..., level: _Optional[int] = ..., triggers: _Optional[_Iterable[_Union[_window_pb2.TriggerHit, _Mapping]]] = ...) -> None: ...

class MemoryWork(_message.Message):
    __slots__ = ("seq_ranges",)
    SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    def __init__(self, seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ...) -> None: ...

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

class EmbedInput(_message.Message):
    __slots__ = ("texts", "purpose", "dimensions")
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    texts: _containers.RepeatedScalarFieldContainer[str]
    purpose: _document_pb2.EmbeddingPurpose
    dimensions: int
    def __init__(self, texts: _Optional[_Iterable[str]] = ..., purpose: _Optional[_Union[_document_pb2.EmbeddingPurpose, str]] = ..., dimensions: _Optional[int] = ...) -> None: ...

class RerankInput(_message.Message):
    __slots__ = ("query", "texts")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    query: str
    texts: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, query: _Optional[str] = ..., texts: _Optional[_Iterable[str]] = ...) -> None: ...

class EmbedOutput(_message.Message):
    __slots__ = ("vectors",)
    VECTORS_FIELD_NUMBER: _ClassVar[int]
    vectors: _containers.RepeatedCompositeFieldContainer[TextVector]
    def __init__(self, vectors: _Optional[_Iterable[_Union[TextVector, _Mapping]]] = ...) -> None: ...

class RerankOutput(_message.Message):
    __slots__ = ("scores",)
    SCORES_FIELD_NUMBER: _ClassVar[int]
    scores: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, scores: _Optional[_Iterable[float]] = ...) -> None: ...

class TextVector(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, values: _Optional[_Iterable[float]] = ...) -> None: ...

class ExtractInput(_message.Message):
    __slots__ = ("messages", "text", "transcript", "targets", "instructions", "known")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TRANSCRIPT_FIELD_NUMBER: _ClassVar[int]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    KNOWN_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    text: str
    transcript: str
    targets: _containers.RepeatedScalarFieldContainer[_memory_pb2.ExtractionTarget]
    instructions: str
    known: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., text: _Optional[str] = ..., transcript: _Optional[str] = ..., targets: _Optional[_Iterable[_Union[_memory_pb2.ExtractionTarget, str]]] = ..., instructions: _Optional[str] = ..., known: _Optional[_Iterable[str]] = ...) -> None: ...

class ExtractOutput(_message.Message):
    __slots__ = ("facts", "entities", "relations", "model")
    FACTS_FIELD_NUMBER: _ClassVar[int]
    ENTITIES_FIELD_NUMBER: _ClassVar[int]
    RELATIONS_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    facts: _containers.RepeatedCompositeFieldContainer[ExtractedFact]
    entities: _containers.RepeatedCompositeFieldContainer[ExtractedEntity]
    relations: _containers.RepeatedCompositeFieldContainer[ExtractedRelation]
    model: str
    def __init__(self, facts: _Optional[_Iterable[_Union[ExtractedFact, _Mapping]]] = ..., entities: _Optional[_Iterable[_Union[ExtractedEntity, _Mapping]]] = ..., relations: _Optional[_Iterable[_Union[ExtractedRelation, _Mapping]]] = ..., model: _Optional[str] = ...) -> None: ...

class ExtractedFact(_message.Message):
    __slots__ = ("text", "is_preference", "key", "category", "topics", "importance", "confidence", "valid_from_time", "message_ids")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    IS_PREFERENCE_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    TOPICS_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    VALID_FROM_TIME_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    text: str
    is_preference: bool
    key: str
    category: str
    topics: _containers.RepeatedScalarFieldContainer[str]
    importance: float
    confidence: float
    valid_from_time: _timestamp_pb2.Timestamp
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, text: _Optional[str] = ..., is_preference: _Optional[bool] = ..., key: _Optional[str] = ..., category: _Optional[str] = ..., topics: _Optional[_Iterable[str]] = ..., importance: _Optional[float] = ..., confidence: _Optional[float] = ..., valid_from_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., message_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ExtractedEntity(_message.Message):
    __slots__ = ("name", "type", "aliases", "attributes", "message_ids")
    class AttributesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    ALIASES_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    name: str
    type: str
    aliases: _containers.RepeatedScalarFieldContainer[str]
    attributes: _containers.ScalarMap[str, str]
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., type: _Optional[str] = ..., aliases: _Optional[_Iterable[str]] = ..., attributes: _Optional[_Mapping[str, str]] = ..., message_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ExtractedRelation(_message.Message):
    __slots__ = ("subject", "predicate", "object_value", "confidence", "message_ids")
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    PREDICATE_FIELD_NUMBER: _ClassVar[int]
    OBJECT_VALUE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    subject: str
    predicate: str
    object_value: str
    confidence: float
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, subject: _Optional[str] = ..., predicate: _Optional[str] = ..., object_value: _Optional[str] = ..., confidence: _Optional[float] = ..., message_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ScoreInput(_message.Message):
    __slots__ = ("texts",)
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    texts: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, texts: _Optional[_Iterable[str]] = ...) -> None: ...

class ScoreOutput(_message.Message):
    __slots__ = ("scores",)
    SCORES_FIELD_NUMBER: _ClassVar[int]
    scores: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, scores: _Optional[_Iterable[float]] = ...) -> None: ...

class ResolveInput(_message.Message):
    __slots__ = ("text", "known", "key")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    KNOWN_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    text: str
    known: _containers.RepeatedScalarFieldContainer[str]
    key: str
    def __init__(self, text: _Optional[str] = ..., known: _Optional[_Iterable[str]] = ..., key: _Optional[str] = ...) -> None: ...

class ResolveOutput(_message.Message):
    __slots__ = ("action", "text")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    action: ResolveAction
    text: str
    def __init__(self, action: _Optional[_Union[ResolveAction, str]] = ..., text: _Optional[str] = ...) -> None: ...

class LeasedTask(_message.Message):
    __slots__ = ("task", "lease_token", "summarize", "embed", "rerank", "extract", "score", "resolve")
    TASK_FIELD_NUMBER: _ClassVar[int]
    LEASE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SUMMARIZE_FIELD_NUMBER: _ClassVar[int]
    EMBED_FIELD_NUMBER: _ClassVar[int]
    RERANK_FIELD_NUMBER: _ClassVar[int]
    EXTRACT_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    RESOLVE_FIELD_NUMBER: _ClassVar[int]
    task: HookTask
    lease_token: str
    summarize: SummarizeInput
    embed: EmbedInput
    rerank: RerankInput
    extract: ExtractInput
    score: ScoreInput
    resolve: ResolveInput
    def __init__(self, task: _Optional[_Union[HookTask, _Mapping]] = ..., lease_token: _Optional[str] = ..., summarize: _Optional[_Union[SummarizeInput, _Mapping]] = ..., embed: _Optional[_Union[EmbedInput, _Mapping]] = ..., rerank: _Optional[_Union[RerankInput, _Mapping]] = ..., extract: _Optional[_Union[ExtractInput, _Mapping]] = ..., score: _Optional[_Union[ScoreInput, _Mapping]] = ..., resolve: _Optional[_Union[ResolveInput, _Mapping]] = ...) -> None: ...
