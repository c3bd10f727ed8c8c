import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import memory_pb2 as _memory_pb2
from memorysidecar.v1 import memory_policy_pb2 as _memory_policy_pb2
from memorysidecar.v1 import task_pb2 as _task_pb2
from memorysidecar.v1 import window_pb2 as _window_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RecordTurnRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "user_text", "assistant_text", "turn_time", "expected_last_seq", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    USER_TEXT_FIELD_NUMBER: _ClassVar[int]
    ASSISTANT_TEXT_FIELD_NUMBER: _ClassVar[int]
    TURN_TIME_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    user_text: str
    assistant_text: str
    turn_time: _timestamp_pb2.Timestamp
    expected_last_seq: int
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., user_text: _Optional[str] = ..., assistant_text: _Optional[str] = ..., turn_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expected_last_seq: _Optional[int] = ..., request_id: _Optional[str] = ...) -> None: ...

class RecordTurnResponse(_message.Message):
    __slots__ = ("message_ids", "seqs", "episode_id", "promoted_ids", "evicted_ids", "window", "revision")
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    SEQS_FIELD_NUMBER: _ClassVar[int]
    EPISODE_ID_FIELD_NUMBER: _ClassVar[int]
    PROMOTED_IDS_FIELD_NUMBER: _ClassVar[int]
    EVICTED_IDS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    seqs: _window_pb2.SeqRange
    episode_id: str
    promoted_ids: _containers.RepeatedScalarFieldContainer[str]
    evicted_ids: _containers.RepeatedScalarFieldContainer[str]
    window: _window_pb2.Totals
    revision: int
    def __init__(self, message_ids: _Optional[_Iterable[str]] = ..., seqs: _Optional[_Union[_window_pb2.SeqRange, _Mapping]] = ..., episode_id: _Optional[str] = ..., promoted_ids: _Optional[_Iterable[str]] = ..., evicted_ids: _Optional[_Iterable[str]] = ..., window: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class ConsolidateSessionRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class ConsolidateSessionResponse(_message.Message):
    __slots__ = ("promoted_ids", "evicted_ids", "revision")
    PROMOTED_IDS_FIELD_NUMBER: _ClassVar[int]
    EVICTED_IDS_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    promoted_ids: _containers.RepeatedScalarFieldContainer[str]
    evicted_ids: _containers.RepeatedScalarFieldContainer[str]
    revision: int
    def __init__(self, promoted_ids: _Optional[_Iterable[str]] = ..., evicted_ids: _Optional[_Iterable[str]] = ..., revision: _Optional[int] = ...) -> None: ...

class ExtractMemoriesRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "first_seq", "last_seq", "text", "user_id", "agent_id", "extraction", "preview", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    FIRST_SEQ_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    EXTRACTION_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    first_seq: int
    last_seq: int
    text: str
    user_id: str
    agent_id: str
    extraction: _memory_policy_pb2.ExtractionPolicy
    preview: bool
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., first_seq: _Optional[int] = ..., last_seq: _Optional[int] = ..., text: _Optional[str] = ..., user_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., extraction: _Optional[_Union[_memory_policy_pb2.ExtractionPolicy, _Mapping]] = ..., preview: _Optional[bool] = ..., request_id: _Optional[str] = ...) -> None: ...

class ExtractMemoriesResponse(_message.Message):
    __slots__ = ("memories", "created_count", "rejected_count", "revision")
    MEMORIES_FIELD_NUMBER: _ClassVar[int]
    CREATED_COUNT_FIELD_NUMBER: _ClassVar[int]
    REJECTED_COUNT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    memories: _containers.RepeatedCompositeFieldContainer[_memory_pb2.Memory]
    created_count: int
    rejected_count: int
    revision: int
    def __init__(self, memories: _Optional[_Iterable[_Union[_memory_pb2.Memory, _Mapping]]] = ..., created_count: _Optional[int] = ..., rejected_count: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class ScoreImportanceRequest(_message.Message):
    __slots__ = ("texts", "rules")
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    texts: _containers.RepeatedScalarFieldContainer[str]
    rules: _containers.RepeatedCompositeFieldContainer[_memory_policy_pb2.ImportanceRule]
    def __init__(self, texts: _Optional[_Iterable[str]] = ..., rules: _Optional[_Iterable[_Union[_memory_policy_pb2.ImportanceRule, _Mapping]]] = ...) -> None: ...

class ScoreImportanceResponse(_message.Message):
    __slots__ = ("scores",)
    SCORES_FIELD_NUMBER: _ClassVar[int]
    scores: _containers.RepeatedCompositeFieldContainer[ImportanceScore]
    def __init__(self, scores: _Optional[_Iterable[_Union[ImportanceScore, _Mapping]]] = ...) -> None: ...

class ImportanceScore(_message.Message):
    __slots__ = ("score", "rule")
    SCORE_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    score: float
    rule: str
    def __init__(self, score: _Optional[float] = ..., rule: _Optional[str] = ...) -> None: ...

class ListMemoryJobsRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "state", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    state: _task_pb2.TaskState
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., state: _Optional[_Union[_task_pb2.TaskState, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListMemoryJobsResponse(_message.Message):
    __slots__ = ("jobs", "next_page_token")
    JOBS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[MemoryJob]
    next_page_token: str
    def __init__(self, jobs: _Optional[_Iterable[_Union[MemoryJob, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class MemoryJob(_message.Message):
    __slots__ = ("session_id", "type", "hook", "seq_ranges", "state", "failed_attempts", "ready_time", "last_failure", "create_time")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    HOOK_FIELD_NUMBER: _ClassVar[int]
    SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    FAILED_ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    READY_TIME_FIELD_NUMBER: _ClassVar[int]
    LAST_FAILURE_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    type: _task_pb2.TaskType
    hook: str
    seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    state: _task_pb2.TaskState
    failed_attempts: int
    ready_time: _timestamp_pb2.Timestamp
    last_failure: _task_pb2.TaskFailure
    create_time: _timestamp_pb2.Timestamp
    def __init__(self, session_id: _Optional[str] = ..., type: _Optional[_Union[_task_pb2.TaskType, str]] = ..., hook: _Optional[str] = ..., seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., state: _Optional[_Union[_task_pb2.TaskState, str]] = ..., failed_attempts: _Optional[int] = ..., ready_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last_failure: _Optional[_Union[_task_pb2.TaskFailure, _Mapping]] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class RetryMemoryJobRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "type", "discard", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    type: _task_pb2.TaskType
    discard: bool
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., type: _Optional[_Union[_task_pb2.TaskType, str]] = ..., discard: _Optional[bool] = ..., request_id: _Optional[str] = ...) -> None: ...

class RetryMemoryJobResponse(_message.Message):
    __slots__ = ("job",)
    JOB_FIELD_NUMBER: _ClassVar[int]
    job: MemoryJob
    def __init__(self, job: _Optional[_Union[MemoryJob, _Mapping]] = ...) -> None: ...
