from memorysidecar.v1 import session_rpc_pb2 as _session_rpc_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SearchSessionsRequest(_message.Message):
    __slots__ = ("namespace", "query", "limit", "filter", "session_id_prefix")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_PREFIX_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    query: str
    limit: int
    filter: _session_rpc_pb2.SessionFilter
    session_id_prefix: str
    def __init__(self, namespace: _Optional[str] = ..., query: _Optional[str] = ..., limit: _Optional[int] = ..., filter: _Optional[_Union[_session_rpc_pb2.SessionFilter, _Mapping]] = ..., session_id_prefix: _Optional[str] = ...) -> None: ...

class SearchSessionsResponse(_message.Message):
    __slots__ = ("matches",)
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedCompositeFieldContainer[SessionMatch]
    def __init__(self, matches: _Optional[_Iterable[_Union[SessionMatch, _Mapping]]] = ...) -> None: ...

class SessionMatch(_message.Message):
    __slots__ = ("session_id", "score", "snippets")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    SNIPPETS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    score: int
    snippets: _containers.RepeatedCompositeFieldContainer[SessionSnippet]
    def __init__(self, session_id: _Optional[str] = ..., score: _Optional[int] = ..., snippets: _Optional[_Iterable[_Union[SessionSnippet, _Mapping]]] = ...) -> None: ...

class SessionSnippet(_message.Message):
    __slots__ = ("message_id", "seq", "text")
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    message_id: str
    seq: int
    text: str
    def __init__(self, message_id: _Optional[str] = ..., seq: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...
