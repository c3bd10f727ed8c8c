from memorysidecar.v1 import message_pb2 as _message_pb2
from memorysidecar.v1 import policy_pb2 as _policy_pb2
from memorysidecar.v1 import policy_stage_pb2 as _policy_stage_pb2
from memorysidecar.v1 import session_pb2 as _session_pb2
from memorysidecar.v1 import summary_pb2 as _summary_pb2
from memorysidecar.v1 import window_pb2 as _window_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetWindowRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "policy", "as_of_seq", "newest")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    AS_OF_SEQ_FIELD_NUMBER: _ClassVar[int]
    NEWEST_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    policy: _policy_pb2.Policy
    as_of_seq: int
    newest: int
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., policy: _Optional[_Union[_policy_pb2.Policy, _Mapping]] = ..., as_of_seq: _Optional[int] = ..., newest: _Optional[int] = ...) -> None: ...

class GetWindowResponse(_message.Message):
    __slots__ = ("messages", "summary", "window", "outside", "outside_ranges", "outside_truncated", "trims", "open_tool_call_ids", "over_limit", "last_seq", "revision", "stage_runs", "warnings", "shortened_message_ids")
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
    STAGE_RUNS_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    SHORTENED_MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
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
    stage_runs: _containers.RepeatedCompositeFieldContainer[_window_pb2.StageRun]
    warnings: _containers.RepeatedCompositeFieldContainer[_window_pb2.PolicyWarning]
    shortened_message_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., summary: _Optional[_Union[_session_pb2.Summary, _Mapping]] = ..., window: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., outside: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., outside_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., outside_truncated: _Optional[bool] = ..., trims: _Optional[_Iterable[_Union[_window_pb2.Trim, _Mapping]]] = ..., open_tool_call_ids: _Optional[_Iterable[str]] = ..., over_limit: _Optional[bool] = ..., last_seq: _Optional[int] = ..., revision: _Optional[int] = ..., stage_runs: _Optional[_Iterable[_Union[_window_pb2.StageRun, _Mapping]]] = ..., warnings: _Optional[_Iterable[_Union[_window_pb2.PolicyWarning, _Mapping]]] = ..., shortened_message_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class TrimSessionRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "max_tokens", "max_messages", "keep_recent", "run_policy", "unit", "discard", "etag", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    KEEP_RECENT_FIELD_NUMBER: _ClassVar[int]
    RUN_POLICY_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    max_tokens: int
    max_messages: int
    keep_recent: int
    run_policy: bool
    unit: _policy_stage_pb2.Unit
    discard: bool
    etag: str
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., max_tokens: _Optional[int] = ..., max_messages: _Optional[int] = ..., keep_recent: _Optional[int] = ..., run_policy: _Optional[bool] = ..., unit: _Optional[_Union[_policy_stage_pb2.Unit, str]] = ..., discard: _Optional[bool] = ..., etag: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class TrimSessionResponse(_message.Message):
    __slots__ = ("revision", "trims", "window", "stage_runs", "over_limit")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    TRIMS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    STAGE_RUNS_FIELD_NUMBER: _ClassVar[int]
    OVER_LIMIT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    trims: _containers.RepeatedCompositeFieldContainer[_window_pb2.Trim]
    window: _window_pb2.Totals
    stage_runs: _containers.RepeatedCompositeFieldContainer[_window_pb2.StageRun]
    over_limit: bool
    def __init__(self, revision: _Optional[int] = ..., trims: _Optional[_Iterable[_Union[_window_pb2.Trim, _Mapping]]] = ..., window: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., stage_runs: _Optional[_Iterable[_Union[_window_pb2.StageRun, _Mapping]]] = ..., over_limit: _Optional[bool] = ...) -> None: ...

class RestoreMessagesRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "message_ids", "seq_ranges", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., message_ids: _Optional[_Iterable[str]] = ..., seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., request_id: _Optional[str] = ...) -> None: ...

class RestoreMessagesResponse(_message.Message):
    __slots__ = ("revision", "message_ids", "window")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    revision: int
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    window: _window_pb2.Totals
    def __init__(self, revision: _Optional[int] = ..., message_ids: _Optional[_Iterable[str]] = ..., window: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class ListSummaryInputsRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "keep_recent", "stage")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    KEEP_RECENT_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    keep_recent: int
    stage: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., keep_recent: _Optional[int] = ..., stage: _Optional[str] = ...) -> None: ...

class ListSummaryInputsResponse(_message.Message):
    __slots__ = ("messages", "truncated", "total")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    truncated: bool
    total: _window_pb2.Totals
    def __init__(self, messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., truncated: _Optional[bool] = ..., total: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class SetSummaryRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "text", "replaced_message_ids", "placement", "expected_version", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    REPLACED_MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    PLACEMENT_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_VERSION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    text: str
    replaced_message_ids: _containers.RepeatedScalarFieldContainer[str]
    placement: _summary_pb2.SummaryPlacement
    expected_version: int
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., text: _Optional[str] = ..., replaced_message_ids: _Optional[_Iterable[str]] = ..., placement: _Optional[_Union[_summary_pb2.SummaryPlacement, str]] = ..., expected_version: _Optional[int] = ..., request_id: _Optional[str] = ...) -> None: ...

class SetSummaryResponse(_message.Message):
    __slots__ = ("session", "trims", "placed")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    TRIMS_FIELD_NUMBER: _ClassVar[int]
    PLACED_FIELD_NUMBER: _ClassVar[int]
    session: _session_pb2.Session
    trims: _containers.RepeatedCompositeFieldContainer[_window_pb2.Trim]
    placed: _session_pb2.PlacedSummary
    def __init__(self, session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ..., trims: _Optional[_Iterable[_Union[_window_pb2.Trim, _Mapping]]] = ..., placed: _Optional[_Union[_session_pb2.PlacedSummary, _Mapping]] = ...) -> None: ...

class HealSessionRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "text", "newest_only", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    NEWEST_ONLY_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    text: str
    newest_only: bool
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., text: _Optional[str] = ..., newest_only: _Optional[bool] = ..., request_id: _Optional[str] = ...) -> None: ...

class HealSessionResponse(_message.Message):
    __slots__ = ("revision", "messages", "window")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    revision: int
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    window: _window_pb2.Totals
    def __init__(self, revision: _Optional[int] = ..., messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., window: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...
