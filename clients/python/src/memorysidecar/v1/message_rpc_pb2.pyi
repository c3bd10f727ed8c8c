from google.protobuf import field_mask_pb2 as _field_mask_pb2
from memorysidecar.v1 import message_pb2 as _message_pb2
from memorysidecar.v1 import window_pb2 as _window_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MessageOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MESSAGE_ORDER_UNSPECIFIED: _ClassVar[MessageOrder]
    MESSAGE_ORDER_SEQ_ASC: _ClassVar[MessageOrder]
    MESSAGE_ORDER_SEQ_DESC: _ClassVar[MessageOrder]
MESSAGE_ORDER_UNSPECIFIED: MessageOrder
MESSAGE_ORDER_SEQ_ASC: MessageOrder
MESSAGE_ORDER_SEQ_DESC: MessageOrder

class AppendMessagesRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "messages", "expected_last_seq", "create_session", "request_id", "turn_end", "model_input_tokens", "tool_outcomes")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    CREATE_SESSION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TURN_END_FIELD_NUMBER: _ClassVar[int]
    MODEL_INPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    TOOL_OUTCOMES_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    expected_last_seq: int
    create_session: bool
    request_id: str
    turn_end: bool
    model_input_tokens: int
    tool_outcomes: _containers.RepeatedCompositeFieldContainer[ToolOutcome]
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., expected_last_seq: _Optional[int] = ..., create_session: _Optional[bool] = ..., request_id: _Optional[str] = ..., turn_end: _Optional[bool] = ..., model_input_tokens: _Optional[int] = ..., tool_outcomes: _Optional[_Iterable[_Union[ToolOutcome, _Mapping]]] = ...) -> None: ...

class ToolOutcome(_message.Message):
    __slots__ = ("tool", "error")
    TOOL_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    tool: str
    error: bool
    def __init__(self, tool: _Optional[str] = ..., error: _Optional[bool] = ...) -> None: ...

class AppendMessagesResponse(_message.Message):
    __slots__ = ("messages", "revision", "trims", "window", "last_seq", "stage_runs", "over_limit")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    TRIMS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    STAGE_RUNS_FIELD_NUMBER: _ClassVar[int]
    OVER_LIMIT_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[AppendedMessage]
    revision: int
    trims: _containers.RepeatedCompositeFieldContainer[_window_pb2.Trim]
    window: _window_pb2.Totals
    last_seq: int
    stage_runs: _containers.RepeatedCompositeFieldContainer[_window_pb2.StageRun]
    over_limit: bool
    def __init__(self, messages: _Optional[_Iterable[_Union[AppendedMessage, _Mapping]]] = ..., revision: _Optional[int] = ..., trims: _Optional[_Iterable[_Union[_window_pb2.Trim, _Mapping]]] = ..., window: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., last_seq: _Optional[int] = ..., stage_runs: _Optional[_Iterable[_Union[_window_pb2.StageRun, _Mapping]]] = ..., over_limit: _Optional[bool] = ...) -> None: ...

class AppendedMessage(_message.Message):
    __slots__ = ("message_id", "seq", "token_count")
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    message_id: str
    seq: int
    token_count: int
    def __init__(self, message_id: _Optional[str] = ..., seq: _Optional[int] = ..., token_count: _Optional[int] = ...) -> None: ...

class ListMessagesRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "filter", "order", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    filter: MessageFilter
    order: MessageOrder
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., filter: _Optional[_Union[MessageFilter, _Mapping]] = ..., order: _Optional[_Union[MessageOrder, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class MessageFilter(_message.Message):
    __slots__ = ("roles", "first_seq", "last_seq")
    ROLES_FIELD_NUMBER: _ClassVar[int]
    FIRST_SEQ_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    roles: _containers.RepeatedScalarFieldContainer[_message_pb2.Role]
    first_seq: int
    last_seq: int
    def __init__(self, roles: _Optional[_Iterable[_Union[_message_pb2.Role, str]]] = ..., first_seq: _Optional[int] = ..., last_seq: _Optional[int] = ...) -> None: ...

class ListMessagesResponse(_message.Message):
    __slots__ = ("messages", "next_page_token")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    next_page_token: str
    def __init__(self, messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

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
    __slots__ = ("message", "revision", "trims", "window")
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    TRIMS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    message: _message_pb2.Message
    revision: int
    trims: _containers.RepeatedCompositeFieldContainer[_window_pb2.Trim]
    window: _window_pb2.Totals
    def __init__(self, message: _Optional[_Union[_message_pb2.Message, _Mapping]] = ..., revision: _Optional[int] = ..., trims: _Optional[_Iterable[_Union[_window_pb2.Trim, _Mapping]]] = ..., window: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

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
    __slots__ = ("revision", "trims", "window")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    TRIMS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    revision: int
    trims: _containers.RepeatedCompositeFieldContainer[_window_pb2.Trim]
    window: _window_pb2.Totals
    def __init__(self, revision: _Optional[int] = ..., trims: _Optional[_Iterable[_Union[_window_pb2.Trim, _Mapping]]] = ..., window: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...
