from memorysidecar.v1 import message_pb2 as _message_pb2
from memorysidecar.v1 import policy_pb2 as _policy_pb2
from memorysidecar.v1 import session_pb2 as _session_pb2
from memorysidecar.v1 import window_pb2 as _window_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetWindowRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "policy", "as_of_seq")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    AS_OF_SEQ_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    policy: _policy_pb2.Policy
    as_of_seq: int
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., policy: _Optional[_Union[_policy_pb2.Policy, _Mapping]] = ..., as_of_seq: _Optional[int] = ...) -> None: ...

class GetWindowResponse(_message.Message):
    __slots__ = ("messages", "summary", "window", "outside", "outside_ranges", "outside_truncated", "trims", "open_tool_call_ids", "over_limit", "last_seq", "revision")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    OUTSIDE_FIELD_NUMBER: _ClassVar[int]
    OUTSIDE_RANGES_FIELD_NUMBER: _ClassVar[int]
    OUTSIDE_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    TRIMS_FIELD_NUMBER: _ClassVar[int]
    OPEN_TOOL_CALL_IDS_FIELD_NUMBER: _ClassVar[int]
    OVER_LIMIT_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    summary: _session_pb2.Summary
    window: _window_pb2.Totals
    outside: _window_pb2.Totals
    outside_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    outside_truncated: bool
    trims: _containers.RepeatedCompositeFieldContainer[_window_pb2.Trim]
    open_tool_call_ids: _containers.RepeatedScalarFieldContainer[str]
    over_limit: bool
    last_seq: int
    revision: int
    def __init__(self, messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., summary: _Optional[_Union[_session_pb2.Summary, _Mapping]] = ..., window: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., outside: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., outside_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., outside_truncated: _Optional[bool] = ..., trims: _Optional[_Iterable[_Union[_window_pb2.Trim, _Mapping]]] = ..., open_tool_call_ids: _Optional[_Iterable[str]] = ..., over_limit: _Optional[bool] = ..., last_seq: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...
