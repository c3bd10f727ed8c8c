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

class BatchGetMessagesRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "message_ids", "seq_ranges", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., message_ids: _Optional[_Iterable[str]] = ..., seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class BatchGetMessagesResponse(_message.Message):
    __slots__ = ("messages", "missing_message_ids", "next_page_token")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    MISSING_MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    missing_message_ids: _containers.RepeatedScalarFieldContainer[str]
    next_page_token: str
    def __init__(self, messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., missing_message_ids: _Optional[_Iterable[str]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class MessageSessions(_message.Message):
    __slots__ = ("session_ids", "filter")
    SESSION_IDS_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    session_ids: _containers.RepeatedScalarFieldContainer[str]
    filter: _session_pb2.SessionFilter
    def __init__(self, session_ids: _Optional[_Iterable[str]] = ..., filter: _Optional[_Union[_session_pb2.SessionFilter, _Mapping]] = ...) -> None: ...

class FindMessagesRequest(_message.Message):
    __slots__ = ("namespace", "message_ids", "filter", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    filter: _session_pb2.SessionFilter
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., message_ids: _Optional[_Iterable[str]] = ..., filter: _Optional[_Union[_session_pb2.SessionFilter, _Mapping]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class FoundMessage(_message.Message):
    __slots__ = ("session_id", "message")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    message: _message_pb2.Message
    def __init__(self, session_id: _Optional[str] = ..., message: _Optional[_Union[_message_pb2.Message, _Mapping]] = ...) -> None: ...

class FindMessagesResponse(_message.Message):
    __slots__ = ("messages", "next_page_token")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[FoundMessage]
    next_page_token: str
    def __init__(self, messages: _Optional[_Iterable[_Union[FoundMessage, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class BatchDeleteMessagesRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "message_ids", "seq_ranges", "allow_missing", "expected_last_seq", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    allow_missing: bool
    expected_last_seq: int
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., message_ids: _Optional[_Iterable[str]] = ..., seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., allow_missing: _Optional[bool] = ..., expected_last_seq: _Optional[int] = ..., request_id: _Optional[str] = ...) -> None: ...

class BatchDeleteMessagesResponse(_message.Message):
    __slots__ = ("revision", "deleted_count", "trims", "window_totals")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    DELETED_COUNT_FIELD_NUMBER: _ClassVar[int]
    TRIMS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_TOTALS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    deleted_count: int
    trims: _containers.RepeatedCompositeFieldContainer[_window_pb2.Trim]
    window_totals: _window_pb2.Totals
    def __init__(self, revision: _Optional[int] = ..., deleted_count: _Optional[int] = ..., trims: _Optional[_Iterable[_Union[_window_pb2.Trim, _Mapping]]] = ..., window_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class DeleteFoundMessagesRequest(_message.Message):
    __slots__ = ("namespace", "message_ids", "filter", "page_token", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    filter: _session_pb2.SessionFilter
    page_token: str
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., message_ids: _Optional[_Iterable[str]] = ..., filter: _Optional[_Union[_session_pb2.SessionFilter, _Mapping]] = ..., page_token: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class DeletedMessage(_message.Message):
    __slots__ = ("session_id", "message_id", "seq", "revision")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    message_id: str
    seq: int
    revision: int
    def __init__(self, session_id: _Optional[str] = ..., message_id: _Optional[str] = ..., seq: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class DeleteFoundMessagesResponse(_message.Message):
    __slots__ = ("messages", "next_page_token")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[DeletedMessage]
    next_page_token: str
    def __init__(self, messages: _Optional[_Iterable[_Union[DeletedMessage, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class PopMessagesRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "count", "expected_last_seq", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    count: int
    expected_last_seq: int
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., count: _Optional[int] = ..., expected_last_seq: _Optional[int] = ..., request_id: _Optional[str] = ...) -> None: ...

class PopMessagesResponse(_message.Message):
    __slots__ = ("messages", "revision", "trims", "window_totals")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    TRIMS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_TOTALS_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    revision: int
    trims: _containers.RepeatedCompositeFieldContainer[_window_pb2.Trim]
    window_totals: _window_pb2.Totals
    def __init__(self, messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., revision: _Optional[int] = ..., trims: _Optional[_Iterable[_Union[_window_pb2.Trim, _Mapping]]] = ..., window_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class ReplaceMessagesRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "messages", "from_seq", "all", "keep_common_prefix", "expected_last_seq", "create_session", "request_id", "form", "form_messages")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    FROM_SEQ_FIELD_NUMBER: _ClassVar[int]
    ALL_FIELD_NUMBER: _ClassVar[int]
    KEEP_COMMON_PREFIX_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    CREATE_SESSION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    FORM_FIELD_NUMBER: _ClassVar[int]
    FORM_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    from_seq: int
    all: AllMessages
    keep_common_prefix: bool
    expected_last_seq: int
    create_session: bool
    request_id: str
    form: _message_pb2.MessageForm
    form_messages: bytes
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., from_seq: _Optional[int] = ..., all: _Optional[_Union[AllMessages, _Mapping]] = ..., keep_common_prefix: _Optional[bool] = ..., expected_last_seq: _Optional[int] = ..., create_session: _Optional[bool] = ..., request_id: _Optional[str] = ..., form: _Optional[_Union[_message_pb2.MessageForm, str]] = ..., form_messages: _Optional[bytes] = ...) -> None: ...

class AllMessages(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ReplaceMessagesResponse(_message.Message):
    __slots__ = ("messages", "revision", "deleted_totals", "trims", "window_totals", "last_seq")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    DELETED_TOTALS_FIELD_NUMBER: _ClassVar[int]
    TRIMS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_TOTALS_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.AppendedMessage]
    revision: int
    deleted_totals: _window_pb2.Totals
    trims: _containers.RepeatedCompositeFieldContainer[_window_pb2.Trim]
    window_totals: _window_pb2.Totals
    last_seq: int
    def __init__(self, messages: _Optional[_Iterable[_Union[_message_pb2.AppendedMessage, _Mapping]]] = ..., revision: _Optional[int] = ..., deleted_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., trims: _Optional[_Iterable[_Union[_window_pb2.Trim, _Mapping]]] = ..., window_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., last_seq: _Optional[int] = ...) -> None: ...
