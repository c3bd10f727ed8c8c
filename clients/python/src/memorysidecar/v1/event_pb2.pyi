import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import session_pb2 as _session_pb2
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
SESSION_DELETE_REASON_UNSPECIFIED: SessionDeleteReason
SESSION_DELETE_REASON_REQUEST: SessionDeleteReason
SESSION_DELETE_REASON_EXPIRED: SessionDeleteReason

class Event(_message.Message):
    __slots__ = ("revision", "index", "type", "namespace", "session_id", "user_id", "agent_id", "create_time", "request_id", "continued", "session_created", "session_updated", "session_deleted", "session_forked", "session_reset", "messages_appended", "messages_trimmed", "message_updated", "message_deleted")
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
    def __init__(self, revision: _Optional[int] = ..., index: _Optional[int] = ..., type: _Optional[_Union[EventType, str]] = ..., namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., user_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., request_id: _Optional[str] = ..., continued: _Optional[bool] = ..., session_created: _Optional[_Union[SessionCreated, _Mapping]] = ..., session_updated: _Optional[_Union[SessionUpdated, _Mapping]] = ..., session_deleted: _Optional[_Union[SessionDeleted, _Mapping]] = ..., session_forked: _Optional[_Union[SessionForked, _Mapping]] = ..., session_reset: _Optional[_Union[SessionReset, _Mapping]] = ..., messages_appended: _Optional[_Union[MessagesAppended, _Mapping]] = ..., messages_trimmed: _Optional[_Union[MessagesTrimmed, _Mapping]] = ..., message_updated: _Optional[_Union[MessageUpdated, _Mapping]] = ..., message_deleted: _Optional[_Union[MessageDeleted, _Mapping]] = ...) -> None: ...

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
