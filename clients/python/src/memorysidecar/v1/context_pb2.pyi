import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import message_pb2 as _message_pb2
from memorysidecar.v1 import policy_pb2 as _policy_pb2
from memorysidecar.v1 import recall_rpc_pb2 as _recall_rpc_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ContextSectionKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONTEXT_SECTION_KIND_UNSPECIFIED: _ClassVar[ContextSectionKind]
    CONTEXT_SECTION_KIND_SUMMARY: _ClassVar[ContextSectionKind]
    CONTEXT_SECTION_KIND_LONG_TERM: _ClassVar[ContextSectionKind]
    CONTEXT_SECTION_KIND_ENTITIES: _ClassVar[ContextSectionKind]
    CONTEXT_SECTION_KIND_RELATIONS: _ClassVar[ContextSectionKind]
    CONTEXT_SECTION_KIND_EPISODES: _ClassVar[ContextSectionKind]
    CONTEXT_SECTION_KIND_RECALLED_MESSAGES: _ClassVar[ContextSectionKind]
    CONTEXT_SECTION_KIND_DOCUMENTS: _ClassVar[ContextSectionKind]
    CONTEXT_SECTION_KIND_CONVERSATION: _ClassVar[ContextSectionKind]
    CONTEXT_SECTION_KIND_DAILY_LOG: _ClassVar[ContextSectionKind]

class ContextProfile(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONTEXT_PROFILE_UNSPECIFIED: _ClassVar[ContextProfile]
    CONTEXT_PROFILE_DEFAULT: _ClassVar[ContextProfile]
    CONTEXT_PROFILE_SELECTOOLS: _ClassVar[ContextProfile]
    CONTEXT_PROFILE_LAUREN: _ClassVar[ContextProfile]
    CONTEXT_PROFILE_DEFINABLE: _ClassVar[ContextProfile]

class ContextCutReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONTEXT_CUT_REASON_UNSPECIFIED: _ClassVar[ContextCutReason]
    CONTEXT_CUT_REASON_BUDGET: _ClassVar[ContextCutReason]
    CONTEXT_CUT_REASON_LIMIT: _ClassVar[ContextCutReason]
    CONTEXT_CUT_REASON_DUPLICATE: _ClassVar[ContextCutReason]
    CONTEXT_CUT_REASON_RELEVANCE: _ClassVar[ContextCutReason]
    CONTEXT_CUT_REASON_COMPACTED: _ClassVar[ContextCutReason]
CONTEXT_SECTION_KIND_UNSPECIFIED: ContextSectionKind
CONTEXT_SECTION_KIND_SUMMARY: ContextSectionKind
CONTEXT_SECTION_KIND_LONG_TERM: ContextSectionKind
CONTEXT_SECTION_KIND_ENTITIES: ContextSectionKind
CONTEXT_SECTION_KIND_RELATIONS: ContextSectionKind
CONTEXT_SECTION_KIND_EPISODES: ContextSectionKind
CONTEXT_SECTION_KIND_RECALLED_MESSAGES: ContextSectionKind
CONTEXT_SECTION_KIND_DOCUMENTS: ContextSectionKind
CONTEXT_SECTION_KIND_CONVERSATION: ContextSectionKind
CONTEXT_SECTION_KIND_DAILY_LOG: ContextSectionKind
CONTEXT_PROFILE_UNSPECIFIED: ContextProfile
CONTEXT_PROFILE_DEFAULT: ContextProfile
CONTEXT_PROFILE_SELECTOOLS: ContextProfile
CONTEXT_PROFILE_LAUREN: ContextProfile
CONTEXT_PROFILE_DEFINABLE: ContextProfile
CONTEXT_CUT_REASON_UNSPECIFIED: ContextCutReason
CONTEXT_CUT_REASON_BUDGET: ContextCutReason
CONTEXT_CUT_REASON_LIMIT: ContextCutReason
CONTEXT_CUT_REASON_DUPLICATE: ContextCutReason
CONTEXT_CUT_REASON_RELEVANCE: ContextCutReason
CONTEXT_CUT_REASON_COMPACTED: ContextCutReason

class AssembleContextRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "user_id", "agent_id", "query", "max_tokens", "token_rule", "model", "custom_token_rule", "sections", "profile", "include_conversation", "compaction_threshold", "min_relevance", "weights", "reference_time", "fence")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    TOKEN_RULE_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_TOKEN_RULE_FIELD_NUMBER: _ClassVar[int]
    SECTIONS_FIELD_NUMBER: _ClassVar[int]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    MIN_RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    WEIGHTS_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_TIME_FIELD_NUMBER: _ClassVar[int]
    FENCE_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    user_id: str
    agent_id: str
    query: str
    max_tokens: int
    token_rule: _message_pb2.TokenRule
    model: str
    custom_token_rule: _policy_pb2.CustomTokenRule
    sections: _containers.RepeatedCompositeFieldContainer[ContextSection]
    profile: ContextProfile
    include_conversation: bool
    compaction_threshold: float
    min_relevance: float
    weights: _recall_rpc_pb2.RecallWeights
    reference_time: _timestamp_pb2.Timestamp
    fence: bool
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., user_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., query: _Optional[str] = ..., max_tokens: _Optional[int] = ..., token_rule: _Optional[_Union[_message_pb2.TokenRule, str]] = ..., model: _Optional[str] = ..., custom_token_rule: _Optional[_Union[_policy_pb2.CustomTokenRule, _Mapping]] = ..., sections: _Optional[_Iterable[_Union[ContextSection, _Mapping]]] = ..., profile: _Optional[_Union[ContextProfile, str]] = ..., include_conversation: _Optional[bool] = ..., compaction_threshold: _Optional[float] = ..., min_relevance: _Optional[float] = ..., weights: _Optional[_Union[_recall_rpc_pb2.RecallWeights, _Mapping]] = ..., reference_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., fence: _Optional[bool] = ...) -> None: ...

class ContextSection(_message.Message):
    __slots__ = ("kind", "share", "limit", "heading", "max_chars")
    KIND_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    HEADING_FIELD_NUMBER: _ClassVar[int]
    MAX_CHARS_FIELD_NUMBER: _ClassVar[int]
    kind: ContextSectionKind
    share: float
    limit: int
    heading: str
    max_chars: int
    def __init__(self, kind: _Optional[_Union[ContextSectionKind, str]] = ..., share: _Optional[float] = ..., limit: _Optional[int] = ..., heading: _Optional[str] = ..., max_chars: _Optional[int] = ...) -> None: ...

class AssembleContextResponse(_message.Message):
    __slots__ = ("text", "token_count", "budget_tokens", "parts", "cut", "cut_count", "coverage", "token_rule")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    BUDGET_TOKENS_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    CUT_FIELD_NUMBER: _ClassVar[int]
    CUT_COUNT_FIELD_NUMBER: _ClassVar[int]
    COVERAGE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_RULE_FIELD_NUMBER: _ClassVar[int]
    text: str
    token_count: int
    budget_tokens: int
    parts: _containers.RepeatedCompositeFieldContainer[ContextPart]
    cut: _containers.RepeatedCompositeFieldContainer[ContextCut]
    cut_count: int
    coverage: _recall_rpc_pb2.RecallCoverage
    token_rule: _message_pb2.TokenRule
    def __init__(self, text: _Optional[str] = ..., token_count: _Optional[int] = ..., budget_tokens: _Optional[int] = ..., parts: _Optional[_Iterable[_Union[ContextPart, _Mapping]]] = ..., cut: _Optional[_Iterable[_Union[ContextCut, _Mapping]]] = ..., cut_count: _Optional[int] = ..., coverage: _Optional[_Union[_recall_rpc_pb2.RecallCoverage, _Mapping]] = ..., token_rule: _Optional[_Union[_message_pb2.TokenRule, str]] = ...) -> None: ...

class ContextPart(_message.Message):
    __slots__ = ("kind", "heading", "token_count", "items")
    KIND_FIELD_NUMBER: _ClassVar[int]
    HEADING_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    kind: ContextSectionKind
    heading: str
    token_count: int
    items: _containers.RepeatedCompositeFieldContainer[ContextItem]
    def __init__(self, kind: _Optional[_Union[ContextSectionKind, str]] = ..., heading: _Optional[str] = ..., token_count: _Optional[int] = ..., items: _Optional[_Iterable[_Union[ContextItem, _Mapping]]] = ...) -> None: ...

class ContextItem(_message.Message):
    __slots__ = ("ref", "text", "token_count", "relevance", "trust")
    REF_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    ref: ContextItemRef
    text: str
    token_count: int
    relevance: float
    trust: _message_pb2.Trust
    def __init__(self, ref: _Optional[_Union[ContextItemRef, _Mapping]] = ..., text: _Optional[str] = ..., token_count: _Optional[int] = ..., relevance: _Optional[float] = ..., trust: _Optional[_Union[_message_pb2.Trust, str]] = ...) -> None: ...

class ContextItemRef(_message.Message):
    __slots__ = ("memory_id", "message", "document", "summary_version")
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_VERSION_FIELD_NUMBER: _ClassVar[int]
    memory_id: str
    message: ContextMessageRef
    document: ContextDocumentRef
    summary_version: int
    def __init__(self, memory_id: _Optional[str] = ..., message: _Optional[_Union[ContextMessageRef, _Mapping]] = ..., document: _Optional[_Union[ContextDocumentRef, _Mapping]] = ..., summary_version: _Optional[int] = ...) -> None: ...

class ContextMessageRef(_message.Message):
    __slots__ = ("session_id", "message_id", "seq")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    message_id: str
    seq: int
    def __init__(self, session_id: _Optional[str] = ..., message_id: _Optional[str] = ..., seq: _Optional[int] = ...) -> None: ...

class ContextDocumentRef(_message.Message):
    __slots__ = ("collection_id", "document_id")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    document_id: str
    def __init__(self, collection_id: _Optional[str] = ..., document_id: _Optional[str] = ...) -> None: ...

class ContextCut(_message.Message):
    __slots__ = ("kind", "ref", "token_count", "reason")
    KIND_FIELD_NUMBER: _ClassVar[int]
    REF_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    kind: ContextSectionKind
    ref: ContextItemRef
    token_count: int
    reason: ContextCutReason
    def __init__(self, kind: _Optional[_Union[ContextSectionKind, str]] = ..., ref: _Optional[_Union[ContextItemRef, _Mapping]] = ..., token_count: _Optional[int] = ..., reason: _Optional[_Union[ContextCutReason, str]] = ...) -> None: ...
