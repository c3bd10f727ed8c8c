import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import session_pb2 as _session_pb2
from memorysidecar.v1 import snapshot_pb2 as _snapshot_pb2
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
    EVENT_TYPE_MESSAGES_HEALED: _ClassVar[EventType]
    EVENT_TYPE_SESSION_IMPORTED: _ClassVar[EventType]
    EVENT_TYPE_POLICY_WARNED: _ClassVar[EventType]
    EVENT_TYPE_TURN_ENDED: _ClassVar[EventType]

class SessionDeleteReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SESSION_DELETE_REASON_UNSPECIFIED: _ClassVar[SessionDeleteReason]
    SESSION_DELETE_REASON_REQUEST: _ClassVar[SessionDeleteReason]
    SESSION_DELETE_REASON_EXPIRED: _ClassVar[SessionDeleteReason]
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
EVENT_TYPE_MESSAGES_HEALED: EventType
EVENT_TYPE_SESSION_IMPORTED: EventType
EVENT_TYPE_POLICY_WARNED: EventType
EVENT_TYPE_TURN_ENDED: EventType
SESSION_DELETE_REASON_UNSPECIFIED: SessionDeleteReason
SESSION_DELETE_REASON_REQUEST: SessionDeleteReason
SESSION_DELETE_REASON_EXPIRED: SessionDeleteReason

class Event(_message.Message):
    __slots__ = ("revision", "index", "type", "namespace", "session_id", "user_id", "agent_id", "create_time", "request_id", "continued", "session_created", "session_updated", "session_deleted", "session_forked", "session_reset", "messages_appended", "messages_trimmed", "message_updated", "message_deleted", "messages_restored", "summary_set", "messages_healed", "session_imported", "policy_warned", "turn_ended")
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
    MESSAGES_HEALED_FIELD_NUMBER: _ClassVar[int]
    SESSION_IMPORTED_FIELD_NUMBER: _ClassVar[int]
    POLICY_WARNED_FIELD_NUMBER: _ClassVar[int]
    TURN_ENDED_FIELD_NUMBER: _ClassVar[int]
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
    messages_healed: MessagesHealed
    session_imported: SessionImported
    policy_warned: PolicyWarned
    turn_ended: TurnEnded
    def __init__(self, revision: _Optional[int] = ..., index: _Optional[int] = ..., type: _Optional[_Union[EventType, str]] = ..., namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., user_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., request_id: _Optional[str] = ..., continued: _Optional[bool] = ..., session_created: _Optional[_Union[SessionCreated, _Mapping]] = ..., session_updated: _Optional[_Union[SessionUpdated, _Mapping]] = ..., session_deleted: _Optional[_Union[SessionDeleted, _Mapping]] = ..., session_forked: _Optional[_Union[SessionForked, _Mapping]] = ..., session_reset: _Optional[_Union[SessionReset, _Mapping]] = ..., messages_appended: _Optional[_Union[MessagesAppended, _Mapping]] = ..., messages_trimmed: _Optional[_Union[MessagesTrimmed, _Mapping]] = ..., message_updated: _Optional[_Union[MessageUpdated, _Mapping]] = ..., message_deleted: _Optional[_Union[MessageDeleted, _Mapping]] = ..., messages_restored: _Optional[_Union[MessagesRestored, _Mapping]] = ..., summary_set: _Optional[_Union[SummarySet, _Mapping]] = ..., messages_healed: _Optional[_Union[MessagesHealed, _Mapping]] = ..., session_imported: _Optional[_Union[SessionImported, _Mapping]] = ..., policy_warned: _Optional[_Union[PolicyWarned, _Mapping]] = ..., turn_ended: _Optional[_Union[TurnEnded, _Mapping]] = ...) -> None: ...

class SessionCreated(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class SessionUpdated(_message.Message):
    __slots__ = ("paths",)
    PATHS_FIELD_NUMBER: _ClassVar[int]
    paths: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, paths: _Optional[_Iterable[str]] = ...) -> None: ...

class SessionDeleted(_message.Message):
    __slots__ = ("reason", "log")
    REASON_FIELD_NUMBER: _ClassVar[int]
    LOG_FIELD_NUMBER: _ClassVar[int]
    reason: SessionDeleteReason
    log: _window_pb2.Totals
    def __init__(self, reason: _Optional[_Union[SessionDeleteReason, str]] = ..., log: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class SessionForked(_message.Message):
    __slots__ = ("origin", "log", "window")
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    LOG_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    origin: _session_pb2.ForkOrigin
    log: _window_pb2.Totals
    window: _window_pb2.Totals
    def __init__(self, origin: _Optional[_Union[_session_pb2.ForkOrigin, _Mapping]] = ..., log: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., window: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class SessionReset(_message.Message):
    __slots__ = ("deleted", "kept")
    DELETED_FIELD_NUMBER: _ClassVar[int]
    KEPT_FIELD_NUMBER: _ClassVar[int]
    deleted: _window_pb2.Totals
    kept: _window_pb2.Totals
    def __init__(self, deleted: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., kept: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class MessagesAppended(_message.Message):
    __slots__ = ("message_ids", "seqs", "appended", "window")
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    SEQS_FIELD_NUMBER: _ClassVar[int]
    APPENDED_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    seqs: _window_pb2.SeqRange
    appended: _window_pb2.Totals
    window: _window_pb2.Totals
    def __init__(self, message_ids: _Optional[_Iterable[str]] = ..., seqs: _Optional[_Union[_window_pb2.SeqRange, _Mapping]] = ..., appended: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., window: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

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
    __slots__ = ("message_ids", "seq_ranges", "restored", "window")
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    RESTORED_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    restored: _window_pb2.Totals
    window: _window_pb2.Totals
    def __init__(self, message_ids: _Optional[_Iterable[str]] = ..., seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., restored: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., window: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class SummarySet(_message.Message):
    __slots__ = ("version", "placed_message_id", "token_count", "seq_ranges")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    PLACED_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    version: int
    placed_message_id: str
    token_count: int
    seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    def __init__(self, version: _Optional[int] = ..., placed_message_id: _Optional[str] = ..., token_count: _Optional[int] = ..., seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ...) -> None: ...

class MessagesHealed(_message.Message):
    __slots__ = ("tool_call_ids", "window")
    TOOL_CALL_IDS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    tool_call_ids: _containers.RepeatedScalarFieldContainer[str]
    window: _window_pb2.Totals
    def __init__(self, tool_call_ids: _Optional[_Iterable[str]] = ..., window: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class SessionImported(_message.Message):
    __slots__ = ("format", "log", "window")
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    LOG_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    format: _snapshot_pb2.SnapshotFormat
    log: _window_pb2.Totals
    window: _window_pb2.Totals
    def __init__(self, format: _Optional[_Union[_snapshot_pb2.SnapshotFormat, str]] = ..., log: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., window: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class PolicyWarned(_message.Message):
    __slots__ = ("warning",)
    WARNING_FIELD_NUMBER: _ClassVar[int]
    warning: _window_pb2.PolicyWarning
    def __init__(self, warning: _Optional[_Union[_window_pb2.PolicyWarning, _Mapping]] = ...) -> None: ...

class TurnEnded(_message.Message):
    __slots__ = ("window",)
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    window: _window_pb2.Totals
    def __init__(self, window: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...
