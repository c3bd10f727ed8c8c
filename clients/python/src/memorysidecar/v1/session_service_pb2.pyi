import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import field_mask_pb2 as _field_mask_pb2
from memorysidecar.v1 import error_reason_pb2 as _error_reason_pb2
from memorysidecar.v1 import filter_pb2 as _filter_pb2
from memorysidecar.v1 import history_pb2 as _history_pb2
from memorysidecar.v1 import message_pb2 as _message_pb2
from memorysidecar.v1 import policy_pb2 as _policy_pb2
from memorysidecar.v1 import recall_service_pb2 as _recall_service_pb2
from memorysidecar.v1 import record_pb2 as _record_pb2
from memorysidecar.v1 import rules_pb2 as _rules_pb2
from memorysidecar.v1 import session_pb2 as _session_pb2
from memorysidecar.v1 import snapshot_pb2 as _snapshot_pb2
from memorysidecar.v1 import summary_pb2 as _summary_pb2
from memorysidecar.v1 import task_pb2 as _task_pb2
from memorysidecar.v1 import window_pb2 as _window_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CreateSessionRequest(_message.Message):
    __slots__ = ("namespace", "session", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session: _session_pb2.Session
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class CreateSessionResponse(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: _session_pb2.Session
    def __init__(self, session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ...) -> None: ...

class GetSessionRequest(_message.Message):
    __slots__ = ("namespace", "session_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetSessionResponse(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: _session_pb2.Session
    def __init__(self, session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ...) -> None: ...

class ListSessionsRequest(_message.Message):
    __slots__ = ("namespace", "filter", "order", "page_size", "page_token", "include_total")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_TOTAL_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    filter: _session_pb2.SessionFilter
    order: _session_pb2.SessionOrder
    page_size: int
    page_token: str
    include_total: bool
    def __init__(self, namespace: _Optional[str] = ..., filter: _Optional[_Union[_session_pb2.SessionFilter, _Mapping]] = ..., order: _Optional[_Union[_session_pb2.SessionOrder, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., include_total: _Optional[bool] = ...) -> None: ...

class ListSessionsResponse(_message.Message):
    __slots__ = ("sessions", "next_page_token", "total")
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    sessions: _containers.RepeatedCompositeFieldContainer[_session_pb2.Session]
    next_page_token: str
    total: _filter_pb2.ListTotal
    def __init__(self, sessions: _Optional[_Iterable[_Union[_session_pb2.Session, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total: _Optional[_Union[_filter_pb2.ListTotal, _Mapping]] = ...) -> None: ...

class UpdateSessionRequest(_message.Message):
    __slots__ = ("namespace", "session", "update_mask", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session: _session_pb2.Session
    update_mask: _field_mask_pb2.FieldMask
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class UpdateSessionResponse(_message.Message):
    __slots__ = ("session", "trims", "stage_runs", "over_limit")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    TRIMS_FIELD_NUMBER: _ClassVar[int]
    STAGE_RUNS_FIELD_NUMBER: _ClassVar[int]
    OVER_LIMIT_FIELD_NUMBER: _ClassVar[int]
    session: _session_pb2.Session
    trims: _containers.RepeatedCompositeFieldContainer[_window_pb2.Trim]
    stage_runs: _containers.RepeatedCompositeFieldContainer[_window_pb2.StageRun]
    over_limit: bool
    def __init__(self, session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ..., trims: _Optional[_Iterable[_Union[_window_pb2.Trim, _Mapping]]] = ..., stage_runs: _Optional[_Iterable[_Union[_window_pb2.StageRun, _Mapping]]] = ..., over_limit: _Optional[bool] = ...) -> None: ...

class DeleteSessionRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "etag", "allow_missing", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    etag: str
    allow_missing: bool
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., etag: _Optional[str] = ..., allow_missing: _Optional[bool] = ..., request_id: _Optional[str] = ...) -> None: ...

class DeleteSessionResponse(_message.Message):
    __slots__ = ("revision",)
    REVISION_FIELD_NUMBER: _ClassVar[int]
    revision: int
    def __init__(self, revision: _Optional[int] = ...) -> None: ...

class ForkSessionRequest(_message.Message):
    __slots__ = ("namespace", "source_session_id", "at_seq", "session_id", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    AT_SEQ_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    source_session_id: str
    at_seq: int
    session_id: str
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., source_session_id: _Optional[str] = ..., at_seq: _Optional[int] = ..., session_id: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class ForkSessionResponse(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: _session_pb2.Session
    def __init__(self, session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ...) -> None: ...

class ResetSessionRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "keep_system_messages", "etag", "request_id", "keep_first_system_message", "keep_summary")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    KEEP_SYSTEM_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    KEEP_FIRST_SYSTEM_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    KEEP_SUMMARY_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    keep_system_messages: bool
    etag: str
    request_id: str
    keep_first_system_message: bool
    keep_summary: bool
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., keep_system_messages: _Optional[bool] = ..., etag: _Optional[str] = ..., request_id: _Optional[str] = ..., keep_first_system_message: _Optional[bool] = ..., keep_summary: _Optional[bool] = ...) -> None: ...

class ResetSessionResponse(_message.Message):
    __slots__ = ("session", "deleted_totals")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    DELETED_TOTALS_FIELD_NUMBER: _ClassVar[int]
    session: _session_pb2.Session
    deleted_totals: _window_pb2.Totals
    def __init__(self, session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ..., deleted_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class AppendMessagesRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "messages", "expected_last_seq", "create_session", "request_id", "turn_end", "model_input_tokens", "tool_outcomes", "on_existing", "record_operations", "session", "session_update_mask", "form", "form_messages", "window_reply", "context_reply")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    CREATE_SESSION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TURN_END_FIELD_NUMBER: _ClassVar[int]
    MODEL_INPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    TOOL_OUTCOMES_FIELD_NUMBER: _ClassVar[int]
    ON_EXISTING_FIELD_NUMBER: _ClassVar[int]
    RECORD_OPERATIONS_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    SESSION_UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    FORM_FIELD_NUMBER: _ClassVar[int]
    FORM_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    WINDOW_REPLY_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_REPLY_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    expected_last_seq: int
    create_session: bool
    request_id: str
    turn_end: bool
    model_input_tokens: int
    tool_outcomes: _containers.RepeatedCompositeFieldContainer[_message_pb2.ToolOutcome]
    on_existing: _message_pb2.OnExistingMessage
    record_operations: _containers.RepeatedCompositeFieldContainer[_record_pb2.RecordOperation]
    session: _session_pb2.Session
    session_update_mask: _field_mask_pb2.FieldMask
    form: _message_pb2.MessageForm
    form_messages: bytes
    window_reply: WindowReply
    context_reply: _recall_service_pb2.AssembleContextRequest
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., expected_last_seq: _Optional[int] = ..., create_session: _Optional[bool] = ..., request_id: _Optional[str] = ..., turn_end: _Optional[bool] = ..., model_input_tokens: _Optional[int] = ..., tool_outcomes: _Optional[_Iterable[_Union[_message_pb2.ToolOutcome, _Mapping]]] = ..., on_existing: _Optional[_Union[_message_pb2.OnExistingMessage, str]] = ..., record_operations: _Optional[_Iterable[_Union[_record_pb2.RecordOperation, _Mapping]]] = ..., session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ..., session_update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping]] = ..., form: _Optional[_Union[_message_pb2.MessageForm, str]] = ..., form_messages: _Optional[bytes] = ..., window_reply: _Optional[_Union[WindowReply, _Mapping]] = ..., context_reply: _Optional[_Union[_recall_service_pb2.AssembleContextRequest, _Mapping]] = ...) -> None: ...

class WindowReply(_message.Message):
    __slots__ = ("policy", "newest", "read_only", "form")
    POLICY_FIELD_NUMBER: _ClassVar[int]
    NEWEST_FIELD_NUMBER: _ClassVar[int]
    READ_ONLY_FIELD_NUMBER: _ClassVar[int]
    FORM_FIELD_NUMBER: _ClassVar[int]
    policy: _policy_pb2.PolicyChoice
    newest: int
    read_only: bool
    form: _message_pb2.MessageForm
    def __init__(self, policy: _Optional[_Union[_policy_pb2.PolicyChoice, _Mapping]] = ..., newest: _Optional[int] = ..., read_only: _Optional[bool] = ..., form: _Optional[_Union[_message_pb2.MessageForm, str]] = ...) -> None: ...

class AppendMessagesResponse(_message.Message):
    __slots__ = ("messages", "revision", "trims", "window_totals", "last_seq", "stage_runs", "over_limit", "promoted_memory_ids", "evicted_memory_ids", "episode_memory_id", "record_outcomes", "window", "context", "window_error", "context_error", "session_etag")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    TRIMS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_TOTALS_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    STAGE_RUNS_FIELD_NUMBER: _ClassVar[int]
    OVER_LIMIT_FIELD_NUMBER: _ClassVar[int]
    PROMOTED_MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    EVICTED_MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    EPISODE_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    RECORD_OUTCOMES_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    WINDOW_ERROR_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_ERROR_FIELD_NUMBER: _ClassVar[int]
    SESSION_ETAG_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.AppendedMessage]
    revision: int
    trims: _containers.RepeatedCompositeFieldContainer[_window_pb2.Trim]
    window_totals: _window_pb2.Totals
    last_seq: int
    stage_runs: _containers.RepeatedCompositeFieldContainer[_window_pb2.StageRun]
    over_limit: bool
    promoted_memory_ids: _containers.RepeatedScalarFieldContainer[str]
    evicted_memory_ids: _containers.RepeatedScalarFieldContainer[str]
    episode_memory_id: str
    record_outcomes: _containers.RepeatedCompositeFieldContainer[_record_pb2.RecordOutcome]
    window: GetWindowResponse
    context: _recall_service_pb2.AssembleContextResponse
    window_error: ReplyError
    context_error: ReplyError
    session_etag: str
    def __init__(self, messages: _Optional[_Iterable[_Union[_message_pb2.AppendedMessage, _Mapping]]] = ..., revision: _Optional[int] = ..., trims: _Optional[_Iterable[_Union[_window_pb2.Trim, _Mapping]]] = ..., window_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., last_seq: _Optional[int] = ..., stage_runs: _Optional[_Iterable[_Union[_window_pb2.StageRun, _Mapping]]] = ..., over_limit: _Optional[bool] = ..., promoted_memory_ids: _Optional[_Iterable[str]] = ..., evicted_memory_ids: _Optional[_Iterable[str]] = ..., episode_memory_id: _Optional[str] = ..., record_outcomes: _Optional[_Iterable[_Union[_record_pb2.RecordOutcome, _Mapping]]] = ..., window: _Optional[_Union[GetWindowResponse, _Mapping]] = ..., context: _Optional[_Union[_recall_service_pb2.AssembleContextResponse, _Mapping]] = ..., window_error: _Optional[_Union[ReplyError, _Mapping]] = ..., context_error: _Optional[_Union[ReplyError, _Mapping]] = ..., session_etag: _Optional[str] = ...) -> None: ...

class ReplyError(_message.Message):
    __slots__ = ("code", "reason", "message", "metadata")
    class MetadataEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    code: int
    reason: _error_reason_pb2.ErrorReason
    message: str
    metadata: _containers.ScalarMap[str, str]
    def __init__(self, code: _Optional[int] = ..., reason: _Optional[_Union[_error_reason_pb2.ErrorReason, str]] = ..., message: _Optional[str] = ..., metadata: _Optional[_Mapping[str, str]] = ...) -> None: ...

class ListMessagesRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "filter", "order", "page_size", "page_token", "form", "include_total", "sessions")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    FORM_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_TOTAL_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    filter: _message_pb2.MessageFilter
    order: _message_pb2.MessageOrder
    page_size: int
    page_token: str
    form: _message_pb2.MessageForm
    include_total: bool
    sessions: _history_pb2.MessageSessions
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., filter: _Optional[_Union[_message_pb2.MessageFilter, _Mapping]] = ..., order: _Optional[_Union[_message_pb2.MessageOrder, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., form: _Optional[_Union[_message_pb2.MessageForm, str]] = ..., include_total: _Optional[bool] = ..., sessions: _Optional[_Union[_history_pb2.MessageSessions, _Mapping]] = ...) -> None: ...

class ListMessagesResponse(_message.Message):
    __slots__ = ("messages", "next_page_token", "rendered", "total", "found_messages")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    RENDERED_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    FOUND_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    next_page_token: str
    rendered: _message_pb2.RenderedMessages
    total: _filter_pb2.ListTotal
    found_messages: _containers.RepeatedCompositeFieldContainer[_history_pb2.FoundMessage]
    def __init__(self, messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., rendered: _Optional[_Union[_message_pb2.RenderedMessages, _Mapping]] = ..., total: _Optional[_Union[_filter_pb2.ListTotal, _Mapping]] = ..., found_messages: _Optional[_Iterable[_Union[_history_pb2.FoundMessage, _Mapping]]] = ...) -> None: ...

class GetMessageRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "message_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    message_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., message_id: _Optional[str] = ...) -> None: ...

class GetMessageResponse(_message.Message):
    __slots__ = ("message", "in_window")
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    IN_WINDOW_FIELD_NUMBER: _ClassVar[int]
    message: _message_pb2.Message
    in_window: bool
    def __init__(self, message: _Optional[_Union[_message_pb2.Message, _Mapping]] = ..., in_window: _Optional[bool] = ...) -> None: ...

class UpdateMessageRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "message", "update_mask", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    message: _message_pb2.Message
    update_mask: _field_mask_pb2.FieldMask
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., message: _Optional[_Union[_message_pb2.Message, _Mapping]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class UpdateMessageResponse(_message.Message):
    __slots__ = ("message", "revision", "trims", "window_totals")
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    TRIMS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_TOTALS_FIELD_NUMBER: _ClassVar[int]
    message: _message_pb2.Message
    revision: int
    trims: _containers.RepeatedCompositeFieldContainer[_window_pb2.Trim]
    window_totals: _window_pb2.Totals
    def __init__(self, message: _Optional[_Union[_message_pb2.Message, _Mapping]] = ..., revision: _Optional[int] = ..., trims: _Optional[_Iterable[_Union[_window_pb2.Trim, _Mapping]]] = ..., window_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class DeleteMessageRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "message_id", "etag", "allow_missing", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    message_id: str
    etag: str
    allow_missing: bool
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., message_id: _Optional[str] = ..., etag: _Optional[str] = ..., allow_missing: _Optional[bool] = ..., request_id: _Optional[str] = ...) -> None: ...

class DeleteMessageResponse(_message.Message):
    __slots__ = ("revision", "trims", "window_totals")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    TRIMS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_TOTALS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    trims: _containers.RepeatedCompositeFieldContainer[_window_pb2.Trim]
    window_totals: _window_pb2.Totals
    def __init__(self, revision: _Optional[int] = ..., trims: _Optional[_Iterable[_Union[_window_pb2.Trim, _Mapping]]] = ..., window_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class GetWindowRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "policy", "as_of_seq", "newest", "read_only", "form")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    AS_OF_SEQ_FIELD_NUMBER: _ClassVar[int]
    NEWEST_FIELD_NUMBER: _ClassVar[int]
    READ_ONLY_FIELD_NUMBER: _ClassVar[int]
    FORM_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    policy: _policy_pb2.PolicyChoice
    as_of_seq: int
    newest: int
    read_only: bool
    form: _message_pb2.MessageForm
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., policy: _Optional[_Union[_policy_pb2.PolicyChoice, _Mapping]] = ..., as_of_seq: _Optional[int] = ..., newest: _Optional[int] = ..., read_only: _Optional[bool] = ..., form: _Optional[_Union[_message_pb2.MessageForm, str]] = ...) -> None: ...

class GetWindowResponse(_message.Message):
    __slots__ = ("messages", "summary", "window_totals", "outside_totals", "outside_seq_ranges", "outside_truncated", "trims", "open_tool_call_ids", "over_limit", "last_seq", "revision", "stage_runs", "warnings", "shortened_message_ids", "rendered")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    WINDOW_TOTALS_FIELD_NUMBER: _ClassVar[int]
    OUTSIDE_TOTALS_FIELD_NUMBER: _ClassVar[int]
    OUTSIDE_SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    OUTSIDE_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    TRIMS_FIELD_NUMBER: _ClassVar[int]
    OPEN_TOOL_CALL_IDS_FIELD_NUMBER: _ClassVar[int]
    OVER_LIMIT_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    STAGE_RUNS_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    SHORTENED_MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    RENDERED_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    summary: _summary_pb2.Summary
    window_totals: _window_pb2.Totals
    outside_totals: _window_pb2.Totals
    outside_seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    outside_truncated: bool
    trims: _containers.RepeatedCompositeFieldContainer[_window_pb2.Trim]
    open_tool_call_ids: _containers.RepeatedScalarFieldContainer[str]
    over_limit: bool
    last_seq: int
    revision: int
    stage_runs: _containers.RepeatedCompositeFieldContainer[_window_pb2.StageRun]
    warnings: _containers.RepeatedCompositeFieldContainer[_window_pb2.PolicyWarning]
    shortened_message_ids: _containers.RepeatedScalarFieldContainer[str]
    rendered: _message_pb2.RenderedMessages
    def __init__(self, messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., summary: _Optional[_Union[_summary_pb2.Summary, _Mapping]] = ..., window_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., outside_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., outside_seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., outside_truncated: _Optional[bool] = ..., trims: _Optional[_Iterable[_Union[_window_pb2.Trim, _Mapping]]] = ..., open_tool_call_ids: _Optional[_Iterable[str]] = ..., over_limit: _Optional[bool] = ..., last_seq: _Optional[int] = ..., revision: _Optional[int] = ..., stage_runs: _Optional[_Iterable[_Union[_window_pb2.StageRun, _Mapping]]] = ..., warnings: _Optional[_Iterable[_Union[_window_pb2.PolicyWarning, _Mapping]]] = ..., shortened_message_ids: _Optional[_Iterable[str]] = ..., rendered: _Optional[_Union[_message_pb2.RenderedMessages, _Mapping]] = ...) -> None: ...

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
    run_policy: RunPolicy
    unit: _policy_pb2.WindowUnit
    discard: bool
    etag: str
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., max_tokens: _Optional[int] = ..., max_messages: _Optional[int] = ..., keep_recent: _Optional[int] = ..., run_policy: _Optional[_Union[RunPolicy, _Mapping]] = ..., unit: _Optional[_Union[_policy_pb2.WindowUnit, str]] = ..., discard: _Optional[bool] = ..., etag: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class RunPolicy(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class TrimSessionResponse(_message.Message):
    __slots__ = ("revision", "trims", "window_totals", "stage_runs", "over_limit")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    TRIMS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_TOTALS_FIELD_NUMBER: _ClassVar[int]
    STAGE_RUNS_FIELD_NUMBER: _ClassVar[int]
    OVER_LIMIT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    trims: _containers.RepeatedCompositeFieldContainer[_window_pb2.Trim]
    window_totals: _window_pb2.Totals
    stage_runs: _containers.RepeatedCompositeFieldContainer[_window_pb2.StageRun]
    over_limit: bool
    def __init__(self, revision: _Optional[int] = ..., trims: _Optional[_Iterable[_Union[_window_pb2.Trim, _Mapping]]] = ..., window_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., stage_runs: _Optional[_Iterable[_Union[_window_pb2.StageRun, _Mapping]]] = ..., over_limit: _Optional[bool] = ...) -> None: ...

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
    __slots__ = ("revision", "message_ids", "window_totals")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_TOTALS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    window_totals: _window_pb2.Totals
    def __init__(self, revision: _Optional[int] = ..., message_ids: _Optional[_Iterable[str]] = ..., window_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class ListSummaryInputsRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "keep_recent", "stage", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    KEEP_RECENT_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    keep_recent: int
    stage: str
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., keep_recent: _Optional[int] = ..., stage: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListSummaryInputsResponse(_message.Message):
    __slots__ = ("messages", "totals", "next_page_token")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    totals: _window_pb2.Totals
    next_page_token: str
    def __init__(self, messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

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
    placed: _summary_pb2.Summary
    def __init__(self, session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ..., trims: _Optional[_Iterable[_Union[_window_pb2.Trim, _Mapping]]] = ..., placed: _Optional[_Union[_summary_pb2.Summary, _Mapping]] = ...) -> None: ...

class FillToolResultsRequest(_message.Message):
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

class FillToolResultsResponse(_message.Message):
    __slots__ = ("revision", "messages", "window_totals")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    WINDOW_TOTALS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    window_totals: _window_pb2.Totals
    def __init__(self, revision: _Optional[int] = ..., messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., window_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class PreviewPolicyRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "policies", "occasions", "source", "model_input_tokens", "tool_outcomes", "form")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    POLICIES_FIELD_NUMBER: _ClassVar[int]
    OCCASIONS_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    MODEL_INPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    TOOL_OUTCOMES_FIELD_NUMBER: _ClassVar[int]
    FORM_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    policies: _containers.RepeatedCompositeFieldContainer[_policy_pb2.PolicyChoice]
    occasions: _containers.RepeatedScalarFieldContainer[_policy_pb2.StageOn]
    source: _policy_pb2.PreviewSource
    model_input_tokens: int
    tool_outcomes: _containers.RepeatedCompositeFieldContainer[_message_pb2.ToolOutcome]
    form: _message_pb2.MessageForm
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., policies: _Optional[_Iterable[_Union[_policy_pb2.PolicyChoice, _Mapping]]] = ..., occasions: _Optional[_Iterable[_Union[_policy_pb2.StageOn, str]]] = ..., source: _Optional[_Union[_policy_pb2.PreviewSource, str]] = ..., model_input_tokens: _Optional[int] = ..., tool_outcomes: _Optional[_Iterable[_Union[_message_pb2.ToolOutcome, _Mapping]]] = ..., form: _Optional[_Union[_message_pb2.MessageForm, str]] = ...) -> None: ...

class PreviewPolicyResponse(_message.Message):
    __slots__ = ("previews", "last_seq", "revision", "rendered")
    PREVIEWS_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RENDERED_FIELD_NUMBER: _ClassVar[int]
    previews: _containers.RepeatedCompositeFieldContainer[_policy_pb2.PolicyPreview]
    last_seq: int
    revision: int
    rendered: _containers.RepeatedCompositeFieldContainer[_message_pb2.RenderedMessages]
    def __init__(self, previews: _Optional[_Iterable[_Union[_policy_pb2.PolicyPreview, _Mapping]]] = ..., last_seq: _Optional[int] = ..., revision: _Optional[int] = ..., rendered: _Optional[_Iterable[_Union[_message_pb2.RenderedMessages, _Mapping]]] = ...) -> None: ...

class ListPolicyPresetsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListPolicyPresetsResponse(_message.Message):
    __slots__ = ("presets", "next_page_token")
    PRESETS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    presets: _containers.RepeatedCompositeFieldContainer[_policy_pb2.PolicyPreset]
    next_page_token: str
    def __init__(self, presets: _Optional[_Iterable[_Union[_policy_pb2.PolicyPreset, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class CompactSessionRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "keep_recent", "stage", "summarize", "wait", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    KEEP_RECENT_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    SUMMARIZE_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    keep_recent: int
    stage: str
    summarize: _policy_pb2.Summarize
    wait: _duration_pb2.Duration
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., keep_recent: _Optional[int] = ..., stage: _Optional[str] = ..., summarize: _Optional[_Union[_policy_pb2.Summarize, _Mapping]] = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class CompactSessionResponse(_message.Message):
    __slots__ = ("revision", "task", "outcome", "summary")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    revision: int
    task: _task_pb2.HookTask
    outcome: _summary_pb2.CompactOutcome
    summary: _summary_pb2.Summary
    def __init__(self, revision: _Optional[int] = ..., task: _Optional[_Union[_task_pb2.HookTask, _Mapping]] = ..., outcome: _Optional[_Union[_summary_pb2.CompactOutcome, str]] = ..., summary: _Optional[_Union[_summary_pb2.Summary, _Mapping]] = ...) -> None: ...

class ListSummariesRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "current_only", "order", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CURRENT_ONLY_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    current_only: bool
    order: _summary_pb2.SummaryOrder
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., current_only: _Optional[bool] = ..., order: _Optional[_Union[_summary_pb2.SummaryOrder, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListSummariesResponse(_message.Message):
    __slots__ = ("summaries", "next_page_token")
    SUMMARIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    summaries: _containers.RepeatedCompositeFieldContainer[_summary_pb2.Summary]
    next_page_token: str
    def __init__(self, summaries: _Optional[_Iterable[_Union[_summary_pb2.Summary, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListSummarySourcesRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "version", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    version: int
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., version: _Optional[int] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListSummarySourcesResponse(_message.Message):
    __slots__ = ("messages", "next_page_token")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    next_page_token: str
    def __init__(self, messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ExportSessionRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "format")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    format: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., format: _Optional[str] = ...) -> None: ...

class ExportSessionResponse(_message.Message):
    __slots__ = ("chunk",)
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    chunk: _snapshot_pb2.SnapshotChunk
    def __init__(self, chunk: _Optional[_Union[_snapshot_pb2.SnapshotChunk, _Mapping]] = ...) -> None: ...

class ImportSessionRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "format", "replace", "upload_id", "chunk_index", "more", "chunk", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    REPLACE_FIELD_NUMBER: _ClassVar[int]
    UPLOAD_ID_FIELD_NUMBER: _ClassVar[int]
    CHUNK_INDEX_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    format: str
    replace: bool
    upload_id: str
    chunk_index: int
    more: bool
    chunk: _snapshot_pb2.SnapshotChunk
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., format: _Optional[str] = ..., replace: _Optional[bool] = ..., upload_id: _Optional[str] = ..., chunk_index: _Optional[int] = ..., more: _Optional[bool] = ..., chunk: _Optional[_Union[_snapshot_pb2.SnapshotChunk, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class ImportSessionResponse(_message.Message):
    __slots__ = ("session", "upload_id", "next_chunk_index")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    UPLOAD_ID_FIELD_NUMBER: _ClassVar[int]
    NEXT_CHUNK_INDEX_FIELD_NUMBER: _ClassVar[int]
    session: _session_pb2.Session
    upload_id: str
    next_chunk_index: int
    def __init__(self, session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ..., upload_id: _Optional[str] = ..., next_chunk_index: _Optional[int] = ...) -> None: ...

class CountTokensRequest(_message.Message):
    __slots__ = ("namespace", "texts", "messages", "token_rule", "model", "custom_token_rule", "token_preset", "image_token_count")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    TOKEN_RULE_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_TOKEN_RULE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_PRESET_FIELD_NUMBER: _ClassVar[int]
    IMAGE_TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    texts: _containers.RepeatedScalarFieldContainer[str]
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    token_rule: _policy_pb2.TokenRule
    model: str
    custom_token_rule: _policy_pb2.CustomTokenRule
    token_preset: str
    image_token_count: int
    def __init__(self, namespace: _Optional[str] = ..., texts: _Optional[_Iterable[str]] = ..., messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., token_rule: _Optional[_Union[_policy_pb2.TokenRule, str]] = ..., model: _Optional[str] = ..., custom_token_rule: _Optional[_Union[_policy_pb2.CustomTokenRule, _Mapping]] = ..., token_preset: _Optional[str] = ..., image_token_count: _Optional[int] = ...) -> None: ...

class CountTokensResponse(_message.Message):
    __slots__ = ("text_token_counts", "message_token_counts", "total_token_count", "token_rule", "token_preset")
    TEXT_TOKEN_COUNTS_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_TOKEN_COUNTS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_RULE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_PRESET_FIELD_NUMBER: _ClassVar[int]
    text_token_counts: _containers.RepeatedScalarFieldContainer[int]
    message_token_counts: _containers.RepeatedScalarFieldContainer[int]
    total_token_count: int
    token_rule: _policy_pb2.TokenRule
    token_preset: str
    def __init__(self, text_token_counts: _Optional[_Iterable[int]] = ..., message_token_counts: _Optional[_Iterable[int]] = ..., total_token_count: _Optional[int] = ..., token_rule: _Optional[_Union[_policy_pb2.TokenRule, str]] = ..., token_preset: _Optional[str] = ...) -> None: ...
