from memorysidecar.v1 import message_pb2 as _message_pb2
from memorysidecar.v1 import rules_pb2 as _rules_pb2
from memorysidecar.v1 import session_pb2 as _session_pb2
from memorysidecar.v1 import window_pb2 as _window_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SnapshotChunk(_message.Message):
    __slots__ = ("header", "messages", "document")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    header: SnapshotHeader
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    document: bytes
    def __init__(self, header: _Optional[_Union[SnapshotHeader, _Mapping]] = ..., messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., document: _Optional[bytes] = ...) -> None: ...

class SnapshotHeader(_message.Message):
    __slots__ = ("session", "first_seq", "window_seq_ranges", "inserts", "outcomes", "over_limit_stages", "summary_version", "turn_end_seq")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    FIRST_SEQ_FIELD_NUMBER: _ClassVar[int]
    WINDOW_SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    INSERTS_FIELD_NUMBER: _ClassVar[int]
    OUTCOMES_FIELD_NUMBER: _ClassVar[int]
    OVER_LIMIT_STAGES_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_VERSION_FIELD_NUMBER: _ClassVar[int]
    TURN_END_SEQ_FIELD_NUMBER: _ClassVar[int]
    session: _session_pb2.Session
    first_seq: int
    window_seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    inserts: _containers.RepeatedCompositeFieldContainer[SnapshotInsert]
    outcomes: _containers.RepeatedCompositeFieldContainer[SnapshotOutcome]
    over_limit_stages: _containers.RepeatedScalarFieldContainer[str]
    summary_version: int
    turn_end_seq: int
    def __init__(self, session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ..., first_seq: _Optional[int] = ..., window_seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., inserts: _Optional[_Iterable[_Union[SnapshotInsert, _Mapping]]] = ..., outcomes: _Optional[_Iterable[_Union[SnapshotOutcome, _Mapping]]] = ..., over_limit_stages: _Optional[_Iterable[str]] = ..., summary_version: _Optional[int] = ..., turn_end_seq: _Optional[int] = ...) -> None: ...

class SnapshotInsert(_message.Message):
    __slots__ = ("message", "after_seq", "summary")
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    AFTER_SEQ_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    message: _message_pb2.Message
    after_seq: int
    summary: bool
    def __init__(self, message: _Optional[_Union[_message_pb2.Message, _Mapping]] = ..., after_seq: _Optional[int] = ..., summary: _Optional[bool] = ...) -> None: ...

class SnapshotOutcome(_message.Message):
    __slots__ = ("tool", "error")
    TOOL_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    tool: str
    error: bool
    def __init__(self, tool: _Optional[str] = ..., error: _Optional[bool] = ...) -> None: ...
