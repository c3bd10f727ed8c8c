import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import document_pb2 as _document_pb2
from memorysidecar.v1 import memory_pb2 as _memory_pb2
from memorysidecar.v1 import message_pb2 as _message_pb2
from memorysidecar.v1 import policy_pb2 as _policy_pb2
from memorysidecar.v1 import recall_pb2 as _recall_pb2
from memorysidecar.v1 import rules_pb2 as _rules_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ItemGroupOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ITEM_GROUP_ORDER_UNSPECIFIED: _ClassVar[ItemGroupOrder]
    ITEM_GROUP_ORDER_COUNT_DESC: _ClassVar[ItemGroupOrder]
    ITEM_GROUP_ORDER_VALUE_ASC: _ClassVar[ItemGroupOrder]
ITEM_GROUP_ORDER_UNSPECIFIED: ItemGroupOrder
ITEM_GROUP_ORDER_COUNT_DESC: ItemGroupOrder
ITEM_GROUP_ORDER_VALUE_ASC: ItemGroupOrder

class RecallRequest(_message.Message):
    __slots__ = ("namespace", "query", "embedding", "filter", "page_size", "page_token", "mode", "fusion", "weights", "min_score", "min_relevance", "diversity", "context_before", "context_after", "group_by_session", "rerank", "allow_partial", "reference_time", "scoring", "include_embeddings", "include_payloads", "include_records", "best_of_record")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    EMBEDDING_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    FUSION_FIELD_NUMBER: _ClassVar[int]
    WEIGHTS_FIELD_NUMBER: _ClassVar[int]
    MIN_SCORE_FIELD_NUMBER: _ClassVar[int]
    MIN_RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    DIVERSITY_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_BEFORE_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_AFTER_FIELD_NUMBER: _ClassVar[int]
    GROUP_BY_SESSION_FIELD_NUMBER: _ClassVar[int]
    RERANK_FIELD_NUMBER: _ClassVar[int]
    ALLOW_PARTIAL_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_TIME_FIELD_NUMBER: _ClassVar[int]
    SCORING_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_EMBEDDINGS_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_PAYLOADS_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_RECORDS_FIELD_NUMBER: _ClassVar[int]
    BEST_OF_RECORD_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    query: str
    embedding: _document_pb2.Embedding
    filter: _recall_pb2.RecallFilter
    page_size: int
    page_token: str
    mode: _recall_pb2.RecallMode
    fusion: _recall_pb2.FusionMethod
    weights: _recall_pb2.RecallWeights
    min_score: float
    min_relevance: float
    diversity: float
    context_before: int
    context_after: int
    group_by_session: _recall_pb2.GroupBySession
    rerank: _recall_pb2.Rerank
    allow_partial: bool
    reference_time: _timestamp_pb2.Timestamp
    scoring: str
    include_embeddings: bool
    include_payloads: bool
    include_records: bool
    best_of_record: bool
    def __init__(self, namespace: _Optional[str] = ..., query: _Optional[str] = ..., embedding: _Optional[_Union[_document_pb2.Embedding, _Mapping]] = ..., filter: _Optional[_Union[_recall_pb2.RecallFilter, _Mapping]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., mode: _Optional[_Union[_recall_pb2.RecallMode, str]] = ..., fusion: _Optional[_Union[_recall_pb2.FusionMethod, str]] = ..., weights: _Optional[_Union[_recall_pb2.RecallWeights, _Mapping]] = ..., min_score: _Optional[float] = ..., min_relevance: _Optional[float] = ..., diversity: _Optional[float] = ..., context_before: _Optional[int] = ..., context_after: _Optional[int] = ..., group_by_session: _Optional[_Union[_recall_pb2.GroupBySession, _Mapping]] = ..., rerank: _Optional[_Union[_recall_pb2.Rerank, _Mapping]] = ..., allow_partial: _Optional[bool] = ..., reference_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., scoring: _Optional[str] = ..., include_embeddings: _Optional[bool] = ..., include_payloads: _Optional[bool] = ..., include_records: _Optional[bool] = ..., best_of_record: _Optional[bool] = ...) -> None: ...

class RecallResponse(_message.Message):
    __slots__ = ("hits", "next_page_token", "sessions", "coverage")
    HITS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    COVERAGE_FIELD_NUMBER: _ClassVar[int]
    hits: _containers.RepeatedCompositeFieldContainer[_recall_pb2.RecallHit]
    next_page_token: str
    sessions: _containers.RepeatedCompositeFieldContainer[_recall_pb2.RecalledSession]
    coverage: _recall_pb2.RecallCoverage
    def __init__(self, hits: _Optional[_Iterable[_Union[_recall_pb2.RecallHit, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., sessions: _Optional[_Iterable[_Union[_recall_pb2.RecalledSession, _Mapping]]] = ..., coverage: _Optional[_Union[_recall_pb2.RecallCoverage, _Mapping]] = ...) -> None: ...

class EmbedRequest(_message.Message):
    __slots__ = ("namespace", "texts", "purpose")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    texts: _containers.RepeatedScalarFieldContainer[str]
    purpose: _document_pb2.EmbeddingPurpose
    def __init__(self, namespace: _Optional[str] = ..., texts: _Optional[_Iterable[str]] = ..., purpose: _Optional[_Union[_document_pb2.EmbeddingPurpose, str]] = ...) -> None: ...

class EmbedResponse(_message.Message):
    __slots__ = ("embeddings",)
    EMBEDDINGS_FIELD_NUMBER: _ClassVar[int]
    embeddings: _containers.RepeatedCompositeFieldContainer[_document_pb2.Embedding]
    def __init__(self, embeddings: _Optional[_Iterable[_Union[_document_pb2.Embedding, _Mapping]]] = ...) -> None: ...

class AssembleContextRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "scope", "query", "max_tokens", "token_rule", "model", "custom_token_rule", "token_preset", "sections", "profile", "exclude_conversation", "compaction_threshold", "min_relevance", "min_best_relevance", "weights", "reference_time", "fence", "form", "blocks", "collection_ids")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    TOKEN_RULE_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_TOKEN_RULE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_PRESET_FIELD_NUMBER: _ClassVar[int]
    SECTIONS_FIELD_NUMBER: _ClassVar[int]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    EXCLUDE_CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    MIN_RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    MIN_BEST_RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    WEIGHTS_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_TIME_FIELD_NUMBER: _ClassVar[int]
    FENCE_FIELD_NUMBER: _ClassVar[int]
    FORM_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_IDS_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    scope: _memory_pb2.MemoryScope
    query: str
    max_tokens: int
    token_rule: _policy_pb2.TokenRule
    model: str
    custom_token_rule: _policy_pb2.CustomTokenRule
    token_preset: str
    sections: _containers.RepeatedCompositeFieldContainer[_recall_pb2.ContextSection]
    profile: str
    exclude_conversation: bool
    compaction_threshold: float
    min_relevance: float
    min_best_relevance: float
    weights: _recall_pb2.RecallWeights
    reference_time: _timestamp_pb2.Timestamp
    fence: _recall_pb2.ContextFence
    form: _message_pb2.MessageForm
    blocks: _containers.RepeatedCompositeFieldContainer[_recall_pb2.ContextBlock]
    collection_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., scope: _Optional[_Union[_memory_pb2.MemoryScope, _Mapping]] = ..., query: _Optional[str] = ..., max_tokens: _Optional[int] = ..., token_rule: _Optional[_Union[_policy_pb2.TokenRule, str]] = ..., model: _Optional[str] = ..., custom_token_rule: _Optional[_Union[_policy_pb2.CustomTokenRule, _Mapping]] = ..., token_preset: _Optional[str] = ..., sections: _Optional[_Iterable[_Union[_recall_pb2.ContextSection, _Mapping]]] = ..., profile: _Optional[str] = ..., exclude_conversation: _Optional[bool] = ..., compaction_threshold: _Optional[float] = ..., min_relevance: _Optional[float] = ..., min_best_relevance: _Optional[float] = ..., weights: _Optional[_Union[_recall_pb2.RecallWeights, _Mapping]] = ..., reference_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., fence: _Optional[_Union[_recall_pb2.ContextFence, str]] = ..., form: _Optional[_Union[_message_pb2.MessageForm, str]] = ..., blocks: _Optional[_Iterable[_Union[_recall_pb2.ContextBlock, _Mapping]]] = ..., collection_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class AssembleContextResponse(_message.Message):
    __slots__ = ("text", "token_count", "budget_tokens", "parts", "cuts", "total_cut_count", "coverage", "token_rule", "token_preset", "rendered", "blocks")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    BUDGET_TOKENS_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    CUTS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_CUT_COUNT_FIELD_NUMBER: _ClassVar[int]
    COVERAGE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_RULE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_PRESET_FIELD_NUMBER: _ClassVar[int]
    RENDERED_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    text: str
    token_count: int
    budget_tokens: int
    parts: _containers.RepeatedCompositeFieldContainer[_recall_pb2.ContextPart]
    cuts: _containers.RepeatedCompositeFieldContainer[_recall_pb2.ContextCut]
    total_cut_count: int
    coverage: _recall_pb2.RecallCoverage
    token_rule: _policy_pb2.TokenRule
    token_preset: str
    rendered: _message_pb2.RenderedMessages
    blocks: _containers.RepeatedCompositeFieldContainer[_recall_pb2.AssembledBlock]
    def __init__(self, text: _Optional[str] = ..., token_count: _Optional[int] = ..., budget_tokens: _Optional[int] = ..., parts: _Optional[_Iterable[_Union[_recall_pb2.ContextPart, _Mapping]]] = ..., cuts: _Optional[_Iterable[_Union[_recall_pb2.ContextCut, _Mapping]]] = ..., total_cut_count: _Optional[int] = ..., coverage: _Optional[_Union[_recall_pb2.RecallCoverage, _Mapping]] = ..., token_rule: _Optional[_Union[_policy_pb2.TokenRule, str]] = ..., token_preset: _Optional[str] = ..., rendered: _Optional[_Union[_message_pb2.RenderedMessages, _Mapping]] = ..., blocks: _Optional[_Iterable[_Union[_recall_pb2.AssembledBlock, _Mapping]]] = ...) -> None: ...

class CountItemsRequest(_message.Message):
    __slots__ = ("namespace", "filter", "metadata_path", "label_key", "order", "max_groups", "allow_partial", "reference_time")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    METADATA_PATH_FIELD_NUMBER: _ClassVar[int]
    LABEL_KEY_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    MAX_GROUPS_FIELD_NUMBER: _ClassVar[int]
    ALLOW_PARTIAL_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_TIME_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    filter: _recall_pb2.RecallFilter
    metadata_path: str
    label_key: str
    order: ItemGroupOrder
    max_groups: int
    allow_partial: bool
    reference_time: _timestamp_pb2.Timestamp
    def __init__(self, namespace: _Optional[str] = ..., filter: _Optional[_Union[_recall_pb2.RecallFilter, _Mapping]] = ..., metadata_path: _Optional[str] = ..., label_key: _Optional[str] = ..., order: _Optional[_Union[ItemGroupOrder, str]] = ..., max_groups: _Optional[int] = ..., allow_partial: _Optional[bool] = ..., reference_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CountItemsResponse(_message.Message):
    __slots__ = ("count", "message_count", "document_count", "memory_count", "groups", "value_count", "without_value_count", "groups_cut", "coverage")
    COUNT_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_COUNT_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    MEMORY_COUNT_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    VALUE_COUNT_FIELD_NUMBER: _ClassVar[int]
    WITHOUT_VALUE_COUNT_FIELD_NUMBER: _ClassVar[int]
    GROUPS_CUT_FIELD_NUMBER: _ClassVar[int]
    COVERAGE_FIELD_NUMBER: _ClassVar[int]
    count: int
    message_count: int
    document_count: int
    memory_count: int
    groups: _containers.RepeatedCompositeFieldContainer[ItemGroup]
    value_count: int
    without_value_count: int
    groups_cut: bool
    coverage: _recall_pb2.RecallCoverage
    def __init__(self, count: _Optional[int] = ..., message_count: _Optional[int] = ..., document_count: _Optional[int] = ..., memory_count: _Optional[int] = ..., groups: _Optional[_Iterable[_Union[ItemGroup, _Mapping]]] = ..., value_count: _Optional[int] = ..., without_value_count: _Optional[int] = ..., groups_cut: _Optional[bool] = ..., coverage: _Optional[_Union[_recall_pb2.RecallCoverage, _Mapping]] = ...) -> None: ...

class ItemGroup(_message.Message):
    __slots__ = ("value", "count")
    VALUE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    value: _struct_pb2.Value
    count: int
    def __init__(self, value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., count: _Optional[int] = ...) -> None: ...
