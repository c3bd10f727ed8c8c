import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import memory_pb2 as _memory_pb2
from memorysidecar.v1 import policy_pb2 as _policy_pb2
from memorysidecar.v1 import record_pb2 as _record_pb2
from memorysidecar.v1 import rules_pb2 as _rules_pb2
from memorysidecar.v1 import session_pb2 as _session_pb2
from memorysidecar.v1 import task_pb2 as _task_pb2
from memorysidecar.v1 import window_pb2 as _window_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EventType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EVENT_TYPE_UNSPECIFIED: _ClassVar[EventType]
    EVENT_TYPE_SESSION_CREATED: _ClassVar[EventType]
    EVENT_TYPE_SESSION_UPDATED: _ClassVar[EventType]
    EVENT_TYPE_SESSION_DELETED: _ClassVar[EventType]
    EVENT_TYPE_SESSION_FORKED: _ClassVar[EventType]
    EVENT_TYPE_SESSION_RESET: _ClassVar[EventType]
    EVENT_TYPE_MESSAGES_APPENDED: _ClassVar[EventType]
    EVENT_TYPE_MESSAGES_TRIMMED: _ClassVar[EventType]
    EVENT_TYPE_MESSAGE_UPDATED: _ClassVar[EventType]
    EVENT_TYPE_MESSAGE_DELETED: _ClassVar[EventType]
    EVENT_TYPE_MESSAGES_RESTORED: _ClassVar[EventType]
    EVENT_TYPE_SUMMARY_SET: _ClassVar[EventType]
    EVENT_TYPE_TOOL_RESULTS_FILLED: _ClassVar[EventType]
    EVENT_TYPE_SESSION_IMPORTED: _ClassVar[EventType]
    EVENT_TYPE_POLICY_WARNED: _ClassVar[EventType]
    EVENT_TYPE_TURN_ENDED: _ClassVar[EventType]
    EVENT_TYPE_SUMMARY_REQUESTED: _ClassVar[EventType]
    EVENT_TYPE_SUMMARY_FAILED: _ClassVar[EventType]
    EVENT_TYPE_SUMMARY_SUPERSEDED: _ClassVar[EventType]
    EVENT_TYPE_TASK_DEAD: _ClassVar[EventType]
    EVENT_TYPE_DOCUMENTS_UPSERTED: _ClassVar[EventType]
    EVENT_TYPE_DOCUMENTS_DELETED: _ClassVar[EventType]
    EVENT_TYPE_COLLECTION_CLEARED: _ClassVar[EventType]
    EVENT_TYPE_MEMORIES_REMEMBERED: _ClassVar[EventType]
    EVENT_TYPE_MEMORY_UPDATED: _ClassVar[EventType]
    EVENT_TYPE_MEMORIES_REINFORCED: _ClassVar[EventType]
    EVENT_TYPE_MEMORIES_DECAYED: _ClassVar[EventType]
    EVENT_TYPE_MEMORIES_DELETED: _ClassVar[EventType]
    EVENT_TYPE_TASK_ATTEMPTED: _ClassVar[EventType]
    EVENT_TYPE_RECORDS_WRITTEN: _ClassVar[EventType]
    EVENT_TYPE_RECORDS_DELETED: _ClassVar[EventType]

class SessionDeleteReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SESSION_DELETE_REASON_UNSPECIFIED: _ClassVar[SessionDeleteReason]
    SESSION_DELETE_REASON_REQUEST: _ClassVar[SessionDeleteReason]
    SESSION_DELETE_REASON_EXPIRED: _ClassVar[SessionDeleteReason]
    SESSION_DELETE_REASON_ERASED: _ClassVar[SessionDeleteReason]

class SupersedeReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUPERSEDE_REASON_UNSPECIFIED: _ClassVar[SupersedeReason]
    SUPERSEDE_REASON_MESSAGES_CHANGED: _ClassVar[SupersedeReason]
    SUPERSEDE_REASON_SUMMARY_CHANGED: _ClassVar[SupersedeReason]
    SUPERSEDE_REASON_POLICY_CHANGED: _ClassVar[SupersedeReason]
    SUPERSEDE_REASON_SESSION_RESET: _ClassVar[SupersedeReason]
    SUPERSEDE_REASON_DELETED: _ClassVar[SupersedeReason]

class MemoryDeleteReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEMORY_DELETE_REASON_UNSPECIFIED: _ClassVar[MemoryDeleteReason]
    MEMORY_DELETE_REASON_FORGOTTEN: _ClassVar[MemoryDeleteReason]
    MEMORY_DELETE_REASON_EVICTED: _ClassVar[MemoryDeleteReason]
    MEMORY_DELETE_REASON_EXPIRED: _ClassVar[MemoryDeleteReason]
    MEMORY_DELETE_REASON_DECAYED: _ClassVar[MemoryDeleteReason]
    MEMORY_DELETE_REASON_RETENTION: _ClassVar[MemoryDeleteReason]
    MEMORY_DELETE_REASON_MERGED: _ClassVar[MemoryDeleteReason]
    MEMORY_DELETE_REASON_SOURCE_ERASED: _ClassVar[MemoryDeleteReason]
    MEMORY_DELETE_REASON_ERASED: _ClassVar[MemoryDeleteReason]

class RecordDeleteReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RECORD_DELETE_REASON_UNSPECIFIED: _ClassVar[RecordDeleteReason]
    RECORD_DELETE_REASON_REQUEST: _ClassVar[RecordDeleteReason]
    RECORD_DELETE_REASON_EXPIRED: _ClassVar[RecordDeleteReason]
    RECORD_DELETE_REASON_ERASED: _ClassVar[RecordDeleteReason]

class StreamPosition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STREAM_POSITION_UNSPECIFIED: _ClassVar[StreamPosition]
    STREAM_POSITION_NOW: _ClassVar[StreamPosition]
    STREAM_POSITION_OLDEST: _ClassVar[StreamPosition]
EVENT_TYPE_UNSPECIFIED: EventType
EVENT_TYPE_SESSION_CREATED: EventType
EVENT_TYPE_SESSION_UPDATED: EventType
EVENT_TYPE_SESSION_DELETED: EventType
EVENT_TYPE_SESSION_FORKED: EventType
EVENT_TYPE_SESSION_RESET: EventType
EVENT_TYPE_MESSAGES_APPENDED: EventType
EVENT_TYPE_MESSAGES_TRIMMED: EventType
EVENT_TYPE_MESSAGE_UPDATED: EventType
EVENT_TYPE_MESSAGE_DELETED: EventType
EVENT_TYPE_MESSAGES_RESTORED: EventType
EVENT_TYPE_SUMMARY_SET: EventType
EVENT_TYPE_TOOL_RESULTS_FILLED: EventType
EVENT_TYPE_SESSION_IMPORTED: EventType
EVENT_TYPE_POLICY_WARNED: EventType
EVENT_TYPE_TURN_ENDED: EventType
EVENT_TYPE_SUMMARY_REQUESTED: EventType
EVENT_TYPE_SUMMARY_FAILED: EventType
EVENT_TYPE_SUMMARY_SUPERSEDED: EventType
EVENT_TYPE_TASK_DEAD: EventType
EVENT_TYPE_DOCUMENTS_UPSERTED: EventType
EVENT_TYPE_DOCUMENTS_DELETED: EventType
EVENT_TYPE_COLLECTION_CLEARED: EventType
EVENT_TYPE_MEMORIES_REMEMBERED: EventType
EVENT_TYPE_MEMORY_UPDATED: EventType
EVENT_TYPE_MEMORIES_REINFORCED: EventType
EVENT_TYPE_MEMORIES_DECAYED: EventType
EVENT_TYPE_MEMORIES_DELETED: EventType
EVENT_TYPE_TASK_ATTEMPTED: EventType
EVENT_TYPE_RECORDS_WRITTEN: EventType
EVENT_TYPE_RECORDS_DELETED: EventType
SESSION_DELETE_REASON_UNSPECIFIED: SessionDeleteReason
SESSION_DELETE_REASON_REQUEST: SessionDeleteReason
SESSION_DELETE_REASON_EXPIRED: SessionDeleteReason
SESSION_DELETE_REASON_ERASED: SessionDeleteReason
SUPERSEDE_REASON_UNSPECIFIED: SupersedeReason
SUPERSEDE_REASON_MESSAGES_CHANGED: SupersedeReason
SUPERSEDE_REASON_SUMMARY_CHANGED: SupersedeReason
SUPERSEDE_REASON_POLICY_CHANGED: SupersedeReason
SUPERSEDE_REASON_SESSION_RESET: SupersedeReason
SUPERSEDE_REASON_DELETED: SupersedeReason
MEMORY_DELETE_REASON_UNSPECIFIED: MemoryDeleteReason
MEMORY_DELETE_REASON_FORGOTTEN: MemoryDeleteReason
MEMORY_DELETE_REASON_EVICTED: MemoryDeleteReason
MEMORY_DELETE_REASON_EXPIRED: MemoryDeleteReason
MEMORY_DELETE_REASON_DECAYED: MemoryDeleteReason
MEMORY_DELETE_REASON_RETENTION: MemoryDeleteReason
MEMORY_DELETE_REASON_MERGED: MemoryDeleteReason
MEMORY_DELETE_REASON_SOURCE_ERASED: MemoryDeleteReason
MEMORY_DELETE_REASON_ERASED: MemoryDeleteReason
RECORD_DELETE_REASON_UNSPECIFIED: RecordDeleteReason
RECORD_DELETE_REASON_REQUEST: RecordDeleteReason
RECORD_DELETE_REASON_EXPIRED: RecordDeleteReason
RECORD_DELETE_REASON_ERASED: RecordDeleteReason
STREAM_POSITION_UNSPECIFIED: StreamPosition
STREAM_POSITION_NOW: StreamPosition
STREAM_POSITION_OLDEST: StreamPosition

class Event(_message.Message):
    __slots__ = ("revision", "index", "type", "namespace", "session_id", "user_id", "agent_id", "create_time", "request_id", "continued", "session_created", "session_updated", "session_deleted", "session_forked", "session_reset", "messages_appended", "messages_trimmed", "message_updated", "message_deleted", "messages_restored", "summary_set", "tool_results_filled", "session_imported", "policy_warned", "turn_ended", "summary_requested", "summary_failed", "summary_superseded", "task_dead", "documents_upserted", "documents_deleted", "collection_cleared", "memories_remembered", "memory_updated", "memories_reinforced", "memories_decayed", "memories_deleted", "task_attempted", "records_written", "records_deleted")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    CONTINUED_FIELD_NUMBER: _ClassVar[int]
    SESSION_CREATED_FIELD_NUMBER: _ClassVar[int]
    SESSION_UPDATED_FIELD_NUMBER: _ClassVar[int]
    SESSION_DELETED_FIELD_NUMBER: _ClassVar[int]
    SESSION_FORKED_FIELD_NUMBER: _ClassVar[int]
    SESSION_RESET_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_APPENDED_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_TRIMMED_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_UPDATED_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_DELETED_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_RESTORED_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_SET_FIELD_NUMBER: _ClassVar[int]
    TOOL_RESULTS_FILLED_FIELD_NUMBER: _ClassVar[int]
    SESSION_IMPORTED_FIELD_NUMBER: _ClassVar[int]
    POLICY_WARNED_FIELD_NUMBER: _ClassVar[int]
    TURN_ENDED_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_REQUESTED_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FAILED_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    TASK_DEAD_FIELD_NUMBER: _ClassVar[int]
    DOCUMENTS_UPSERTED_FIELD_NUMBER: _ClassVar[int]
    DOCUMENTS_DELETED_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_CLEARED_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_REMEMBERED_FIELD_NUMBER: _ClassVar[int]
    MEMORY_UPDATED_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_REINFORCED_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_DECAYED_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_DELETED_FIELD_NUMBER: _ClassVar[int]
    TASK_ATTEMPTED_FIELD_NUMBER: _ClassVar[int]
    RECORDS_WRITTEN_FIELD_NUMBER: _ClassVar[int]
    RECORDS_DELETED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    index: int
    type: EventType
    namespace: str
    session_id: str
    user_id: str
    agent_id: str
    create_time: _timestamp_pb2.Timestamp
    request_id: str
    continued: bool
    session_created: SessionCreated
    session_updated: SessionUpdated
    session_deleted: SessionDeleted
    session_forked: SessionForked
    session_reset: SessionReset
    messages_appended: MessagesAppended
    messages_trimmed: MessagesTrimmed
    message_updated: MessageUpdated
    message_deleted: MessageDeleted
    messages_restored: MessagesRestored
    summary_set: SummarySet
    tool_results_filled: ToolResultsFilled
    session_imported: SessionImported
    policy_warned: PolicyWarned
    turn_ended: TurnEnded
    summary_requested: SummaryRequested
    summary_failed: SummaryFailed
    summary_superseded: SummarySuperseded
    task_dead: TaskDead
    documents_upserted: DocumentsUpserted
    documents_deleted: DocumentsDeleted
    collection_cleared: CollectionCleared
    memories_remembered: MemoriesRemembered
    memory_updated: MemoryUpdated
    memories_reinforced: MemoriesReinforced
    memories_decayed: MemoriesDecayed
    memories_deleted: MemoriesDeleted
    task_attempted: TaskAttempted
    records_written: RecordsWritten
    records_deleted: RecordsDeleted
    def __init__(self, revision: _Optional[int] = ..., index: _Optional[int] = ..., type: _Optional[_Union[EventType, str]] = ..., namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., user_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., request_id: _Optional[str] = ..., continued: _Optional[bool] = ..., session_created: _Optional[_Union[SessionCreated, _Mapping]] = ..., session_updated: _Optional[_Union[SessionUpdated, _Mapping]] = ..., session_deleted: _Optional[_Union[SessionDeleted, _Mapping]] = ..., session_forked: _Optional[_Union[SessionForked, _Mapping]] = ..., session_reset: _Optional[_Union[SessionReset, _Mapping]] = ..., messages_appended: _Optional[_Union[MessagesAppended, _Mapping]] = ..., messages_trimmed: _Optional[_Union[MessagesTrimmed, _Mapping]] = ..., message_updated: _Optional[_Union[MessageUpdated, _Mapping]] = ..., message_deleted: _Optional[_Union[MessageDeleted, _Mapping]] = ..., messages_restored: _Optional[_Union[MessagesRestored, _Mapping]] = ..., summary_set: _Optional[_Union[SummarySet, _Mapping]] = ..., tool_results_filled: _Optional[_Union[ToolResultsFilled, _Mapping]] = ..., session_imported: _Optional[_Union[SessionImported, _Mapping]] = ..., policy_warned: _Optional[_Union[PolicyWarned, _Mapping]] = ..., turn_ended: _Optional[_Union[TurnEnded, _Mapping]] = ..., summary_requested: _Optional[_Union[SummaryRequested, _Mapping]] = ..., summary_failed: _Optional[_Union[SummaryFailed, _Mapping]] = ..., summary_superseded: _Optional[_Union[SummarySuperseded, _Mapping]] = ..., task_dead: _Optional[_Union[TaskDead, _Mapping]] = ..., documents_upserted: _Optional[_Union[DocumentsUpserted, _Mapping]] = ..., documents_deleted: _Optional[_Union[DocumentsDeleted, _Mapping]] = ..., collection_cleared: _Optional[_Union[CollectionCleared, _Mapping]] = ..., memories_remembered: _Optional[_Union[MemoriesRemembered, _Mapping]] = ..., memory_updated: _Optional[_Union[MemoryUpdated, _Mapping]] = ..., memories_reinforced: _Optional[_Union[MemoriesReinforced, _Mapping]] = ..., memories_decayed: _Optional[_Union[MemoriesDecayed, _Mapping]] = ..., memories_deleted: _Optional[_Union[MemoriesDeleted, _Mapping]] = ..., task_attempted: _Optional[_Union[TaskAttempted, _Mapping]] = ..., records_written: _Optional[_Union[RecordsWritten, _Mapping]] = ..., records_deleted: _Optional[_Union[RecordsDeleted, _Mapping]] = ...) -> None: ...

class SessionCreated(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class SessionUpdated(_message.Message):
    __slots__ = ("paths",)
    PATHS_FIELD_NUMBER: _ClassVar[int]
    paths: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, paths: _Optional[_Iterable[str]] = ...) -> None: ...

class SessionDeleted(_message.Message):
    __slots__ = ("reason", "log_totals")
    REASON_FIELD_NUMBER: _ClassVar[int]
    LOG_TOTALS_FIELD_NUMBER: _ClassVar[int]
    reason: SessionDeleteReason
    log_totals: _window_pb2.Totals
    def __init__(self, reason: _Optional[_Union[SessionDeleteReason, str]] = ..., log_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class SessionForked(_message.Message):
    __slots__ = ("origin", "log_totals", "window_totals")
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    LOG_TOTALS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_TOTALS_FIELD_NUMBER: _ClassVar[int]
    origin: _session_pb2.ForkOrigin
    log_totals: _window_pb2.Totals
    window_totals: _window_pb2.Totals
    def __init__(self, origin: _Optional[_Union[_session_pb2.ForkOrigin, _Mapping]] = ..., log_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., window_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class SessionReset(_message.Message):
    __slots__ = ("deleted_totals", "kept_totals")
    DELETED_TOTALS_FIELD_NUMBER: _ClassVar[int]
    KEPT_TOTALS_FIELD_NUMBER: _ClassVar[int]
    deleted_totals: _window_pb2.Totals
    kept_totals: _window_pb2.Totals
    def __init__(self, deleted_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., kept_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class MessagesAppended(_message.Message):
    __slots__ = ("message_ids", "seq_range", "appended_totals", "window_totals")
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    SEQ_RANGE_FIELD_NUMBER: _ClassVar[int]
    APPENDED_TOTALS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_TOTALS_FIELD_NUMBER: _ClassVar[int]
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    seq_range: _window_pb2.SeqRange
    appended_totals: _window_pb2.Totals
    window_totals: _window_pb2.Totals
    def __init__(self, message_ids: _Optional[_Iterable[str]] = ..., seq_range: _Optional[_Union[_window_pb2.SeqRange, _Mapping]] = ..., appended_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., window_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class MessagesTrimmed(_message.Message):
    __slots__ = ("trim",)
    TRIM_FIELD_NUMBER: _ClassVar[int]
    trim: _window_pb2.Trim
    def __init__(self, trim: _Optional[_Union[_window_pb2.Trim, _Mapping]] = ...) -> None: ...

class MessageUpdated(_message.Message):
    __slots__ = ("message_id", "seq", "paths", "token_count")
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    PATHS_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    message_id: str
    seq: int
    paths: _containers.RepeatedScalarFieldContainer[str]
    token_count: int
    def __init__(self, message_id: _Optional[str] = ..., seq: _Optional[int] = ..., paths: _Optional[_Iterable[str]] = ..., token_count: _Optional[int] = ...) -> None: ...

class MessageDeleted(_message.Message):
    __slots__ = ("message_id", "seq", "token_count", "was_in_window")
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    WAS_IN_WINDOW_FIELD_NUMBER: _ClassVar[int]
    message_id: str
    seq: int
    token_count: int
    was_in_window: bool
    def __init__(self, message_id: _Optional[str] = ..., seq: _Optional[int] = ..., token_count: _Optional[int] = ..., was_in_window: _Optional[bool] = ...) -> None: ...

class MessagesRestored(_message.Message):
    __slots__ = ("message_ids", "seq_ranges", "restored_totals", "window_totals")
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    RESTORED_TOTALS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_TOTALS_FIELD_NUMBER: _ClassVar[int]
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    restored_totals: _window_pb2.Totals
    window_totals: _window_pb2.Totals
    def __init__(self, message_ids: _Optional[_Iterable[str]] = ..., seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., restored_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., window_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class ToolResultsFilled(_message.Message):
    __slots__ = ("tool_call_ids", "window_totals")
    TOOL_CALL_IDS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_TOTALS_FIELD_NUMBER: _ClassVar[int]
    tool_call_ids: _containers.RepeatedScalarFieldContainer[str]
    window_totals: _window_pb2.Totals
    def __init__(self, tool_call_ids: _Optional[_Iterable[str]] = ..., window_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class SessionImported(_message.Message):
    __slots__ = ("log_totals", "window_totals", "format")
    LOG_TOTALS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_TOTALS_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    log_totals: _window_pb2.Totals
    window_totals: _window_pb2.Totals
    format: str
    def __init__(self, log_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., window_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., format: _Optional[str] = ...) -> None: ...

class PolicyWarned(_message.Message):
    __slots__ = ("warning",)
    WARNING_FIELD_NUMBER: _ClassVar[int]
    warning: _window_pb2.PolicyWarning
    def __init__(self, warning: _Optional[_Union[_window_pb2.PolicyWarning, _Mapping]] = ...) -> None: ...

class TurnEnded(_message.Message):
    __slots__ = ("window_totals",)
    WINDOW_TOTALS_FIELD_NUMBER: _ClassVar[int]
    window_totals: _window_pb2.Totals
    def __init__(self, window_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class SummarySet(_message.Message):
    __slots__ = ("version", "placed_message_id", "token_count", "seq_ranges", "task_id", "stage", "hook", "model", "added_totals", "call_count", "input_tokens", "output_tokens", "duration", "placeholder")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    PLACED_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    HOOK_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    ADDED_TOTALS_FIELD_NUMBER: _ClassVar[int]
    CALL_COUNT_FIELD_NUMBER: _ClassVar[int]
    INPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    PLACEHOLDER_FIELD_NUMBER: _ClassVar[int]
    version: int
    placed_message_id: str
    token_count: int
    seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    task_id: str
    stage: str
    hook: str
    model: str
    added_totals: _window_pb2.Totals
    call_count: int
    input_tokens: int
    output_tokens: int
    duration: _duration_pb2.Duration
    placeholder: bool
    def __init__(self, version: _Optional[int] = ..., placed_message_id: _Optional[str] = ..., token_count: _Optional[int] = ..., seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., task_id: _Optional[str] = ..., stage: _Optional[str] = ..., hook: _Optional[str] = ..., model: _Optional[str] = ..., added_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., call_count: _Optional[int] = ..., input_tokens: _Optional[int] = ..., output_tokens: _Optional[int] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., placeholder: _Optional[bool] = ...) -> None: ...

class SummaryRequested(_message.Message):
    __slots__ = ("task_id", "stage", "hook", "triggers", "seq_ranges", "source_totals", "joined")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    HOOK_FIELD_NUMBER: _ClassVar[int]
    TRIGGERS_FIELD_NUMBER: _ClassVar[int]
    SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    SOURCE_TOTALS_FIELD_NUMBER: _ClassVar[int]
    JOINED_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    stage: str
    hook: str
    triggers: _containers.RepeatedCompositeFieldContainer[_window_pb2.TriggerHit]
    seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    source_totals: _window_pb2.Totals
    joined: bool
    def __init__(self, task_id: _Optional[str] = ..., stage: _Optional[str] = ..., hook: _Optional[str] = ..., triggers: _Optional[_Iterable[_Union[_window_pb2.TriggerHit, _Mapping]]] = ..., seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., source_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., joined: _Optional[bool] = ...) -> None: ...

class SummaryFailed(_message.Message):
    __slots__ = ("task_id", "stage", "hook", "reason", "failed_attempts", "duration", "retry_time")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    HOOK_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FAILED_ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    RETRY_TIME_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    stage: str
    hook: str
    reason: _task_pb2.TaskFailureReason
    failed_attempts: int
    duration: _duration_pb2.Duration
    retry_time: _timestamp_pb2.Timestamp
    def __init__(self, task_id: _Optional[str] = ..., stage: _Optional[str] = ..., hook: _Optional[str] = ..., reason: _Optional[_Union[_task_pb2.TaskFailureReason, str]] = ..., failed_attempts: _Optional[int] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., retry_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class SummarySuperseded(_message.Message):
    __slots__ = ("task_id", "stage", "hook", "reason")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    HOOK_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    stage: str
    hook: str
    reason: SupersedeReason
    def __init__(self, task_id: _Optional[str] = ..., stage: _Optional[str] = ..., hook: _Optional[str] = ..., reason: _Optional[_Union[SupersedeReason, str]] = ...) -> None: ...

class TaskDead(_message.Message):
    __slots__ = ("task_id", "type", "stage", "hook", "reason", "failed_attempts", "call_count", "effect", "seq_ranges", "duration")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    HOOK_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FAILED_ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    CALL_COUNT_FIELD_NUMBER: _ClassVar[int]
    EFFECT_FIELD_NUMBER: _ClassVar[int]
    SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    type: _task_pb2.TaskType
    stage: str
    hook: str
    reason: _task_pb2.TaskFailureReason
    failed_attempts: int
    call_count: int
    effect: _policy_pb2.SummaryFailure
    seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    duration: _duration_pb2.Duration
    def __init__(self, task_id: _Optional[str] = ..., type: _Optional[_Union[_task_pb2.TaskType, str]] = ..., stage: _Optional[str] = ..., hook: _Optional[str] = ..., reason: _Optional[_Union[_task_pb2.TaskFailureReason, str]] = ..., failed_attempts: _Optional[int] = ..., call_count: _Optional[int] = ..., effect: _Optional[_Union[_policy_pb2.SummaryFailure, str]] = ..., seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class DocumentsUpserted(_message.Message):
    __slots__ = ("collection_id", "document_ids", "created_count")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_IDS_FIELD_NUMBER: _ClassVar[int]
    CREATED_COUNT_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    document_ids: _containers.RepeatedScalarFieldContainer[str]
    created_count: int
    def __init__(self, collection_id: _Optional[str] = ..., document_ids: _Optional[_Iterable[str]] = ..., created_count: _Optional[int] = ...) -> None: ...

class DocumentsDeleted(_message.Message):
    __slots__ = ("collection_id", "document_ids", "expired")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_IDS_FIELD_NUMBER: _ClassVar[int]
    EXPIRED_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    document_ids: _containers.RepeatedScalarFieldContainer[str]
    expired: bool
    def __init__(self, collection_id: _Optional[str] = ..., document_ids: _Optional[_Iterable[str]] = ..., expired: _Optional[bool] = ...) -> None: ...

class CollectionCleared(_message.Message):
    __slots__ = ("collection_id", "document_count")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    document_count: int
    def __init__(self, collection_id: _Optional[str] = ..., document_count: _Optional[int] = ...) -> None: ...

class MemoriesRemembered(_message.Message):
    __slots__ = ("memory_ids", "updated_memory_ids", "origin", "contradicting_memory_ids")
    MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    UPDATED_MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    CONTRADICTING_MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    memory_ids: _containers.RepeatedScalarFieldContainer[str]
    updated_memory_ids: _containers.RepeatedScalarFieldContainer[str]
    origin: _memory_pb2.MemoryOrigin
    contradicting_memory_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, memory_ids: _Optional[_Iterable[str]] = ..., updated_memory_ids: _Optional[_Iterable[str]] = ..., origin: _Optional[_Union[_memory_pb2.MemoryOrigin, str]] = ..., contradicting_memory_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class MemoryUpdated(_message.Message):
    __slots__ = ("memory_id", "paths", "version")
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    PATHS_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    memory_id: str
    paths: _containers.RepeatedScalarFieldContainer[str]
    version: int
    def __init__(self, memory_id: _Optional[str] = ..., paths: _Optional[_Iterable[str]] = ..., version: _Optional[int] = ...) -> None: ...

class MemoriesReinforced(_message.Message):
    __slots__ = ("memory_ids",)
    MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    memory_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, memory_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class MemoriesDecayed(_message.Message):
    __slots__ = ("memory_ids",)
    MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    memory_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, memory_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class MemoriesDeleted(_message.Message):
    __slots__ = ("memory_ids", "reason")
    MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    memory_ids: _containers.RepeatedScalarFieldContainer[str]
    reason: MemoryDeleteReason
    def __init__(self, memory_ids: _Optional[_Iterable[str]] = ..., reason: _Optional[_Union[MemoryDeleteReason, str]] = ...) -> None: ...

class TaskAttempted(_message.Message):
    __slots__ = ("type", "hook", "seq_ranges", "created_count", "rejected_count", "reason", "task_id")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    HOOK_FIELD_NUMBER: _ClassVar[int]
    SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    CREATED_COUNT_FIELD_NUMBER: _ClassVar[int]
    REJECTED_COUNT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    type: _task_pb2.TaskType
    hook: str
    seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    created_count: int
    rejected_count: int
    reason: _task_pb2.TaskFailureReason
    task_id: str
    def __init__(self, type: _Optional[_Union[_task_pb2.TaskType, str]] = ..., hook: _Optional[str] = ..., seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., created_count: _Optional[int] = ..., rejected_count: _Optional[int] = ..., reason: _Optional[_Union[_task_pb2.TaskFailureReason, str]] = ..., task_id: _Optional[str] = ...) -> None: ...

class RecordsWritten(_message.Message):
    __slots__ = ("records",)
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    records: _containers.RepeatedCompositeFieldContainer[_record_pb2.RecordVersion]
    def __init__(self, records: _Optional[_Iterable[_Union[_record_pb2.RecordVersion, _Mapping]]] = ...) -> None: ...

class RecordsDeleted(_message.Message):
    __slots__ = ("records", "reason")
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    records: _containers.RepeatedCompositeFieldContainer[_record_pb2.RecordRef]
    reason: RecordDeleteReason
    def __init__(self, records: _Optional[_Iterable[_Union[_record_pb2.RecordRef, _Mapping]]] = ..., reason: _Optional[_Union[RecordDeleteReason, str]] = ...) -> None: ...

class EventFilter(_message.Message):
    __slots__ = ("session_id", "user_id", "event_types", "session_ids", "session_id_prefixes")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_TYPES_FIELD_NUMBER: _ClassVar[int]
    SESSION_IDS_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_PREFIXES_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    user_id: str
    event_types: _containers.RepeatedScalarFieldContainer[EventType]
    session_ids: _containers.RepeatedScalarFieldContainer[str]
    session_id_prefixes: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, session_id: _Optional[str] = ..., user_id: _Optional[str] = ..., event_types: _Optional[_Iterable[_Union[EventType, str]]] = ..., session_ids: _Optional[_Iterable[str]] = ..., session_id_prefixes: _Optional[_Iterable[str]] = ...) -> None: ...

class StreamedEvent(_message.Message):
    __slots__ = ("event", "resume_token")
    EVENT_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    event: Event
    resume_token: str
    def __init__(self, event: _Optional[_Union[Event, _Mapping]] = ..., resume_token: _Optional[str] = ...) -> None: ...

class Consumer(_message.Message):
    __slots__ = ("consumer_id", "resume_token", "revision", "lag", "create_time", "update_time")
    CONSUMER_ID_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    LAG_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    consumer_id: str
    resume_token: str
    revision: int
    lag: int
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    def __init__(self, consumer_id: _Optional[str] = ..., resume_token: _Optional[str] = ..., revision: _Optional[int] = ..., lag: _Optional[int] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...
