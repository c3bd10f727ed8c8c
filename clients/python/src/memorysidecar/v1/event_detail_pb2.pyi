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

class SessionDeleteReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SESSION_DELETE_REASON_UNSPECIFIED: _ClassVar[SessionDeleteReason]
    SESSION_DELETE_REASON_REQUEST: _ClassVar[SessionDeleteReason]
    SESSION_DELETE_REASON_EXPIRED: _ClassVar[SessionDeleteReason]
SESSION_DELETE_REASON_UNSPECIFIED: SessionDeleteReason
SESSION_DELETE_REASON_REQUEST: SessionDeleteReason
SESSION_DELETE_REASON_EXPIRED: SessionDeleteReason

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
