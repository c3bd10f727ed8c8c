import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import filter_pb2 as _filter_pb2
from memorysidecar.v1 import policy_pb2 as _policy_pb2
from memorysidecar.v1 import rules_pb2 as _rules_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Role(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ROLE_UNSPECIFIED: _ClassVar[Role]
    ROLE_USER: _ClassVar[Role]
    ROLE_ASSISTANT: _ClassVar[Role]
    ROLE_SYSTEM: _ClassVar[Role]
    ROLE_TOOL: _ClassVar[Role]

class Source(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SOURCE_UNSPECIFIED: _ClassVar[Source]
    SOURCE_USER: _ClassVar[Source]
    SOURCE_MODEL: _ClassVar[Source]
    SOURCE_TOOL: _ClassVar[Source]
    SOURCE_SYSTEM: _ClassVar[Source]

class Trust(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TRUST_UNSPECIFIED: _ClassVar[Trust]
    TRUST_LOW: _ClassVar[Trust]
    TRUST_MEDIUM: _ClassVar[Trust]
    TRUST_HIGH: _ClassVar[Trust]

class OnExistingMessage(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ON_EXISTING_MESSAGE_UNSPECIFIED: _ClassVar[OnExistingMessage]
    ON_EXISTING_MESSAGE_FAIL: _ClassVar[OnExistingMessage]
    ON_EXISTING_MESSAGE_SKIP: _ClassVar[OnExistingMessage]
    ON_EXISTING_MESSAGE_UPDATE: _ClassVar[OnExistingMessage]

class AppendOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    APPEND_OUTCOME_UNSPECIFIED: _ClassVar[AppendOutcome]
    APPEND_OUTCOME_APPENDED: _ClassVar[AppendOutcome]
    APPEND_OUTCOME_SKIPPED: _ClassVar[AppendOutcome]
    APPEND_OUTCOME_UPDATED: _ClassVar[AppendOutcome]

class MessageOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MESSAGE_ORDER_UNSPECIFIED: _ClassVar[MessageOrder]
    MESSAGE_ORDER_SEQ_ASC: _ClassVar[MessageOrder]
    MESSAGE_ORDER_SEQ_DESC: _ClassVar[MessageOrder]

class MessageForm(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MESSAGE_FORM_UNSPECIFIED: _ClassVar[MessageForm]
    MESSAGE_FORM_OPENAI_CHAT: _ClassVar[MessageForm]
    MESSAGE_FORM_OPENAI_RESPONSES: _ClassVar[MessageForm]
    MESSAGE_FORM_ANTHROPIC: _ClassVar[MessageForm]
    MESSAGE_FORM_GEMINI: _ClassVar[MessageForm]

class FormNoteKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FORM_NOTE_KIND_UNSPECIFIED: _ClassVar[FormNoteKind]
    FORM_NOTE_KIND_DROPPED: _ClassVar[FormNoteKind]
    FORM_NOTE_KIND_AS_TEXT: _ClassVar[FormNoteKind]
    FORM_NOTE_KIND_ATTRIBUTE_DROPPED: _ClassVar[FormNoteKind]
    FORM_NOTE_KIND_MOVED: _ClassVar[FormNoteKind]
    FORM_NOTE_KIND_ADDED: _ClassVar[FormNoteKind]
    FORM_NOTE_KIND_ID_REPLACED: _ClassVar[FormNoteKind]
ROLE_UNSPECIFIED: Role
ROLE_USER: Role
ROLE_ASSISTANT: Role
ROLE_SYSTEM: Role
ROLE_TOOL: Role
SOURCE_UNSPECIFIED: Source
SOURCE_USER: Source
SOURCE_MODEL: Source
SOURCE_TOOL: Source
SOURCE_SYSTEM: Source
TRUST_UNSPECIFIED: Trust
TRUST_LOW: Trust
TRUST_MEDIUM: Trust
TRUST_HIGH: Trust
ON_EXISTING_MESSAGE_UNSPECIFIED: OnExistingMessage
ON_EXISTING_MESSAGE_FAIL: OnExistingMessage
ON_EXISTING_MESSAGE_SKIP: OnExistingMessage
ON_EXISTING_MESSAGE_UPDATE: OnExistingMessage
APPEND_OUTCOME_UNSPECIFIED: AppendOutcome
APPEND_OUTCOME_APPENDED: AppendOutcome
APPEND_OUTCOME_SKIPPED: AppendOutcome
APPEND_OUTCOME_UPDATED: AppendOutcome
MESSAGE_ORDER_UNSPECIFIED: MessageOrder
MESSAGE_ORDER_SEQ_ASC: MessageOrder
MESSAGE_ORDER_SEQ_DESC: MessageOrder
MESSAGE_FORM_UNSPECIFIED: MessageForm
MESSAGE_FORM_OPENAI_CHAT: MessageForm
MESSAGE_FORM_OPENAI_RESPONSES: MessageForm
MESSAGE_FORM_ANTHROPIC: MessageForm
MESSAGE_FORM_GEMINI: MessageForm
FORM_NOTE_KIND_UNSPECIFIED: FormNoteKind
FORM_NOTE_KIND_DROPPED: FormNoteKind
FORM_NOTE_KIND_AS_TEXT: FormNoteKind
FORM_NOTE_KIND_ATTRIBUTE_DROPPED: FormNoteKind
FORM_NOTE_KIND_MOVED: FormNoteKind
FORM_NOTE_KIND_ADDED: FormNoteKind
FORM_NOTE_KIND_ID_REPLACED: FormNoteKind

class Message(_message.Message):
    __slots__ = ("message_id", "seq", "role", "name", "text", "parts", "tool_calls", "agent_calls", "tool_call_id", "tool_error", "structured_data", "provider_payload", "metadata", "labels", "token_count", "token_rule", "token_preset", "sent_time", "source", "trust", "writer", "create_time", "update_time", "etag", "provider_role", "structured_json")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALLS_FIELD_NUMBER: _ClassVar[int]
    AGENT_CALLS_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_ERROR_FIELD_NUMBER: _ClassVar[int]
    STRUCTURED_DATA_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_PAYLOAD_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_RULE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_PRESET_FIELD_NUMBER: _ClassVar[int]
    SENT_TIME_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    WRITER_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_ROLE_FIELD_NUMBER: _ClassVar[int]
    STRUCTURED_JSON_FIELD_NUMBER: _ClassVar[int]
    message_id: str
    seq: int
    role: Role
    name: str
    text: str
    parts: _containers.RepeatedCompositeFieldContainer[ContentPart]
    tool_calls: _containers.RepeatedCompositeFieldContainer[ToolCall]
    agent_calls: _containers.RepeatedCompositeFieldContainer[AgentCall]
    tool_call_id: str
    tool_error: bool
    structured_data: _struct_pb2.Struct
    provider_payload: ProviderPayload
    metadata: _struct_pb2.Struct
    labels: _containers.ScalarMap[str, str]
    token_count: int
    token_rule: _policy_pb2.TokenRule
    token_preset: str
    sent_time: _timestamp_pb2.Timestamp
    source: Source
    trust: Trust
    writer: str
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    etag: str
    provider_role: str
    structured_json: bytes
    def __init__(self, message_id: _Optional[str] = ..., seq: _Optional[int] = ..., role: _Optional[_Union[Role, str]] = ..., name: _Optional[str] = ..., text: _Optional[str] = ..., parts: _Optional[_Iterable[_Union[ContentPart, _Mapping]]] = ..., tool_calls: _Optional[_Iterable[_Union[ToolCall, _Mapping]]] = ..., agent_calls: _Optional[_Iterable[_Union[AgentCall, _Mapping]]] = ..., tool_call_id: _Optional[str] = ..., tool_error: _Optional[bool] = ..., structured_data: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., provider_payload: _Optional[_Union[ProviderPayload, _Mapping]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., labels: _Optional[_Mapping[str, str]] = ..., token_count: _Optional[int] = ..., token_rule: _Optional[_Union[_policy_pb2.TokenRule, str]] = ..., token_preset: _Optional[str] = ..., sent_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., source: _Optional[_Union[Source, str]] = ..., trust: _Optional[_Union[Trust, str]] = ..., writer: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., etag: _Optional[str] = ..., provider_role: _Optional[str] = ..., structured_json: _Optional[bytes] = ...) -> None: ...

class ContentPart(_message.Message):
    __slots__ = ("text", "image", "data", "tool_result", "tool_call", "reasoning", "json")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    TOOL_RESULT_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALL_FIELD_NUMBER: _ClassVar[int]
    REASONING_FIELD_NUMBER: _ClassVar[int]
    JSON_FIELD_NUMBER: _ClassVar[int]
    text: str
    image: Image
    data: _struct_pb2.Struct
    tool_result: ToolResult
    tool_call: ToolCall
    reasoning: Reasoning
    json: bytes
    def __init__(self, text: _Optional[str] = ..., image: _Optional[_Union[Image, _Mapping]] = ..., data: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., tool_result: _Optional[_Union[ToolResult, _Mapping]] = ..., tool_call: _Optional[_Union[ToolCall, _Mapping]] = ..., reasoning: _Optional[_Union[Reasoning, _Mapping]] = ..., json: _Optional[bytes] = ...) -> None: ...

class Reasoning(_message.Message):
    __slots__ = ("text", "summaries", "signature", "reasoning_id", "redacted")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    SUMMARIES_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    REASONING_ID_FIELD_NUMBER: _ClassVar[int]
    REDACTED_FIELD_NUMBER: _ClassVar[int]
    text: str
    summaries: _containers.RepeatedScalarFieldContainer[str]
    signature: str
    reasoning_id: str
    redacted: bool
    def __init__(self, text: _Optional[str] = ..., summaries: _Optional[_Iterable[str]] = ..., signature: _Optional[str] = ..., reasoning_id: _Optional[str] = ..., redacted: _Optional[bool] = ...) -> None: ...

class ToolResult(_message.Message):
    __slots__ = ("tool_call_id", "text", "parts", "error")
    TOOL_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    tool_call_id: str
    text: str
    parts: _containers.RepeatedCompositeFieldContainer[ContentPart]
    error: bool
    def __init__(self, tool_call_id: _Optional[str] = ..., text: _Optional[str] = ..., parts: _Optional[_Iterable[_Union[ContentPart, _Mapping]]] = ..., error: _Optional[bool] = ...) -> None: ...

class Image(_message.Message):
    __slots__ = ("url", "data", "media_type", "detail")
    URL_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    url: str
    data: bytes
    media_type: str
    detail: str
    def __init__(self, url: _Optional[str] = ..., data: _Optional[bytes] = ..., media_type: _Optional[str] = ..., detail: _Optional[str] = ...) -> None: ...

class ToolCall(_message.Message):
    __slots__ = ("tool_call_id", "name", "arguments")
    TOOL_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    tool_call_id: str
    name: str
    arguments: str
    def __init__(self, tool_call_id: _Optional[str] = ..., name: _Optional[str] = ..., arguments: _Optional[str] = ...) -> None: ...

class AgentCall(_message.Message):
    __slots__ = ("agent_call_id", "agent_name", "request")
    AGENT_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    agent_call_id: str
    agent_name: str
    request: str
    def __init__(self, agent_call_id: _Optional[str] = ..., agent_name: _Optional[str] = ..., request: _Optional[str] = ...) -> None: ...

class ProviderPayload(_message.Message):
    __slots__ = ("provider", "media_type", "data")
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    provider: str
    media_type: str
    data: bytes
    def __init__(self, provider: _Optional[str] = ..., media_type: _Optional[str] = ..., data: _Optional[bytes] = ...) -> None: ...

class ToolOutcome(_message.Message):
    __slots__ = ("tool", "error")
    TOOL_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    tool: str
    error: bool
    def __init__(self, tool: _Optional[str] = ..., error: _Optional[bool] = ...) -> None: ...

class AppendedMessage(_message.Message):
    __slots__ = ("message_id", "seq", "token_count", "outcome")
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    message_id: str
    seq: int
    token_count: int
    outcome: AppendOutcome
    def __init__(self, message_id: _Optional[str] = ..., seq: _Optional[int] = ..., token_count: _Optional[int] = ..., outcome: _Optional[_Union[AppendOutcome, str]] = ...) -> None: ...

class MessageRef(_message.Message):
    __slots__ = ("session_id", "message_id", "seq")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    message_id: str
    seq: int
    def __init__(self, session_id: _Optional[str] = ..., message_id: _Optional[str] = ..., seq: _Optional[int] = ...) -> None: ...

class MessageFilter(_message.Message):
    __slots__ = ("roles", "first_seq", "last_seq", "time_from", "time_before", "labels", "metadata", "names", "called_tools", "message_ids")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    ROLES_FIELD_NUMBER: _ClassVar[int]
    FIRST_SEQ_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    TIME_FROM_FIELD_NUMBER: _ClassVar[int]
    TIME_BEFORE_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    CALLED_TOOLS_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    roles: _containers.RepeatedScalarFieldContainer[Role]
    first_seq: int
    last_seq: int
    time_from: _timestamp_pb2.Timestamp
    time_before: _timestamp_pb2.Timestamp
    labels: _containers.ScalarMap[str, str]
    metadata: _containers.RepeatedCompositeFieldContainer[_filter_pb2.MetadataCondition]
    names: _containers.RepeatedScalarFieldContainer[str]
    called_tools: _containers.RepeatedScalarFieldContainer[str]
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, roles: _Optional[_Iterable[_Union[Role, str]]] = ..., first_seq: _Optional[int] = ..., last_seq: _Optional[int] = ..., time_from: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., time_before: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., labels: _Optional[_Mapping[str, str]] = ..., metadata: _Optional[_Iterable[_Union[_filter_pb2.MetadataCondition, _Mapping]]] = ..., names: _Optional[_Iterable[str]] = ..., called_tools: _Optional[_Iterable[str]] = ..., message_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class RenderedMessages(_message.Message):
    __slots__ = ("form", "messages", "system", "notes", "total_note_count")
    FORM_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    SYSTEM_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_NOTE_COUNT_FIELD_NUMBER: _ClassVar[int]
    form: MessageForm
    messages: bytes
    system: bytes
    notes: _containers.RepeatedCompositeFieldContainer[FormNote]
    total_note_count: int
    def __init__(self, form: _Optional[_Union[MessageForm, str]] = ..., messages: _Optional[bytes] = ..., system: _Optional[bytes] = ..., notes: _Optional[_Iterable[_Union[FormNote, _Mapping]]] = ..., total_note_count: _Optional[int] = ...) -> None: ...

class FormNote(_message.Message):
    __slots__ = ("message_id", "kind", "subject")
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    message_id: str
    kind: FormNoteKind
    subject: str
    def __init__(self, message_id: _Optional[str] = ..., kind: _Optional[_Union[FormNoteKind, str]] = ..., subject: _Optional[str] = ...) -> None: ...
