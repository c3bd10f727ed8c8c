from memorysidecar.v1 import message_pb2 as _message_pb2
from memorysidecar.v1 import session_pb2 as _session_pb2
from memorysidecar.v1 import snapshot_pb2 as _snapshot_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ExportSessionRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "format")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    format: _snapshot_pb2.SnapshotFormat
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., format: _Optional[_Union[_snapshot_pb2.SnapshotFormat, str]] = ...) -> None: ...

class ExportSessionResponse(_message.Message):
    __slots__ = ("header", "messages", "document")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    header: _snapshot_pb2.SnapshotHeader
    messages: _snapshot_pb2.SnapshotMessages
    document: bytes
    def __init__(self, header: _Optional[_Union[_snapshot_pb2.SnapshotHeader, _Mapping]] = ..., messages: _Optional[_Union[_snapshot_pb2.SnapshotMessages, _Mapping]] = ..., document: _Optional[bytes] = ...) -> None: ...

class ImportSessionRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "format", "replace", "upload_id", "chunk_index", "more", "header", "messages", "document", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    REPLACE_FIELD_NUMBER: _ClassVar[int]
    UPLOAD_ID_FIELD_NUMBER: _ClassVar[int]
    CHUNK_INDEX_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    HEADER_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    format: _snapshot_pb2.SnapshotFormat
    replace: bool
    upload_id: str
    chunk_index: int
    more: bool
    header: _snapshot_pb2.SnapshotHeader
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    document: bytes
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., format: _Optional[_Union[_snapshot_pb2.SnapshotFormat, str]] = ..., replace: _Optional[bool] = ..., upload_id: _Optional[str] = ..., chunk_index: _Optional[int] = ..., more: _Optional[bool] = ..., header: _Optional[_Union[_snapshot_pb2.SnapshotHeader, _Mapping]] = ..., messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., document: _Optional[bytes] = ..., request_id: _Optional[str] = ...) -> None: ...

class ImportSessionResponse(_message.Message):
    __slots__ = ("session", "upload_id", "next_chunk_index")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    UPLOAD_ID_FIELD_NUMBER: _ClassVar[int]
    NEXT_CHUNK_INDEX_FIELD_NUMBER: _ClassVar[int]
    session: _session_pb2.Session
    upload_id: str
    next_chunk_index: int
    def __init__(self, session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ..., upload_id: _Optional[str] = ..., next_chunk_index: _Optional[int] = ...) -> None: ...
