import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import document_pb2 as _document_pb2
from memorysidecar.v1 import filter_pb2 as _filter_pb2
from memorysidecar.v1 import memory_pb2 as _memory_pb2
from memorysidecar.v1 import message_pb2 as _message_pb2
from memorysidecar.v1 import record_pb2 as _record_pb2
from memorysidecar.v1 import rules_pb2 as _rules_pb2
from memorysidecar.v1 import summary_pb2 as _summary_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RecallKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RECALL_KIND_UNSPECIFIED: _ClassVar[RecallKind]
    RECALL_KIND_MESSAGE: _ClassVar[RecallKind]
    RECALL_KIND_DOCUMENT: _ClassVar[RecallKind]
    RECALL_KIND_MEMORY: _ClassVar[RecallKind]

class RecallMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RECALL_MODE_UNSPECIFIED: _ClassVar[RecallMode]
    RECALL_MODE_HYBRID: _ClassVar[RecallMode]
    RECALL_MODE_LEXICAL: _ClassVar[RecallMode]
    RECALL_MODE_DENSE: _ClassVar[RecallMode]

class FusionMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FUSION_METHOD_UNSPECIFIED: _ClassVar[FusionMethod]
    FUSION_METHOD_SCORES: _ClassVar[FusionMethod]
    FUSION_METHOD_RECIPROCAL_RANK: _ClassVar[FusionMethod]

class ScoreFeature(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SCORE_FEATURE_UNSPECIFIED: _ClassVar[ScoreFeature]
    SCORE_FEATURE_WORDS: _ClassVar[ScoreFeature]
    SCORE_FEATURE_NEIGHBORS: _ClassVar[ScoreFeature]
    SCORE_FEATURE_DENSE: _ClassVar[ScoreFeature]
    SCORE_FEATURE_COVERAGE: _ClassVar[ScoreFeature]
    SCORE_FEATURE_AUTHOR: _ClassVar[ScoreFeature]
    SCORE_FEATURE_USER_ROLE: _ClassVar[ScoreFeature]
    SCORE_FEATURE_LENGTH: _ClassVar[ScoreFeature]
    SCORE_FEATURE_QUESTION: _ClassVar[ScoreFeature]
    SCORE_FEATURE_DATE: _ClassVar[ScoreFeature]
    SCORE_FEATURE_RECENCY: _ClassVar[ScoreFeature]
    SCORE_FEATURE_IMPORTANCE: _ClassVar[ScoreFeature]
    SCORE_FEATURE_TRUST: _ClassVar[ScoreFeature]
    SCORE_FEATURE_SESSION: _ClassVar[ScoreFeature]
    SCORE_FEATURE_WORDS_RANK: _ClassVar[ScoreFeature]
    SCORE_FEATURE_DENSE_RANK: _ClassVar[ScoreFeature]
    SCORE_FEATURE_NEAR_WORDS: _ClassVar[ScoreFeature]
    SCORE_FEATURE_CONFIDENCE: _ClassVar[ScoreFeature]
    SCORE_FEATURE_FACTS: _ClassVar[ScoreFeature]
    SCORE_FEATURE_ENTITIES: _ClassVar[ScoreFeature]
    SCORE_FEATURE_IDENTIFIER: _ClassVar[ScoreFeature]

class DenseState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DENSE_STATE_UNSPECIFIED: _ClassVar[DenseState]
    DENSE_STATE_USED: _ClassVar[DenseState]
    DENSE_STATE_OFF: _ClassVar[DenseState]
    DENSE_STATE_UNAVAILABLE: _ClassVar[DenseState]

class RerankState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RERANK_STATE_UNSPECIFIED: _ClassVar[RerankState]
    RERANK_STATE_USED: _ClassVar[RerankState]
    RERANK_STATE_OFF: _ClassVar[RerankState]
    RERANK_STATE_UNAVAILABLE: _ClassVar[RerankState]

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

class ContextFence(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONTEXT_FENCE_UNSPECIFIED: _ClassVar[ContextFence]
    CONTEXT_FENCE_ON: _ClassVar[ContextFence]
    CONTEXT_FENCE_OFF: _ClassVar[ContextFence]

class ContextPlace(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONTEXT_PLACE_UNSPECIFIED: _ClassVar[ContextPlace]
    CONTEXT_PLACE_SYSTEM: _ClassVar[ContextPlace]
    CONTEXT_PLACE_USER_MESSAGE: _ClassVar[ContextPlace]
    CONTEXT_PLACE_TOOL_RESULT: _ClassVar[ContextPlace]

class ContextCutReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONTEXT_CUT_REASON_UNSPECIFIED: _ClassVar[ContextCutReason]
    CONTEXT_CUT_REASON_BUDGET: _ClassVar[ContextCutReason]
    CONTEXT_CUT_REASON_LIMIT: _ClassVar[ContextCutReason]
    CONTEXT_CUT_REASON_DUPLICATE: _ClassVar[ContextCutReason]
    CONTEXT_CUT_REASON_RELEVANCE: _ClassVar[ContextCutReason]
    CONTEXT_CUT_REASON_COMPACTED: _ClassVar[ContextCutReason]
RECALL_KIND_UNSPECIFIED: RecallKind
RECALL_KIND_MESSAGE: RecallKind
RECALL_KIND_DOCUMENT: RecallKind
RECALL_KIND_MEMORY: RecallKind
RECALL_MODE_UNSPECIFIED: RecallMode
RECALL_MODE_HYBRID: RecallMode
RECALL_MODE_LEXICAL: RecallMode
RECALL_MODE_DENSE: RecallMode
FUSION_METHOD_UNSPECIFIED: FusionMethod
FUSION_METHOD_SCORES: FusionMethod
FUSION_METHOD_RECIPROCAL_RANK: FusionMethod
SCORE_FEATURE_UNSPECIFIED: ScoreFeature
SCORE_FEATURE_WORDS: ScoreFeature
SCORE_FEATURE_NEIGHBORS: ScoreFeature
SCORE_FEATURE_DENSE: ScoreFeature
SCORE_FEATURE_COVERAGE: ScoreFeature
SCORE_FEATURE_AUTHOR: ScoreFeature
SCORE_FEATURE_USER_ROLE: ScoreFeature
SCORE_FEATURE_LENGTH: ScoreFeature
SCORE_FEATURE_QUESTION: ScoreFeature
SCORE_FEATURE_DATE: ScoreFeature
SCORE_FEATURE_RECENCY: ScoreFeature
SCORE_FEATURE_IMPORTANCE: ScoreFeature
SCORE_FEATURE_TRUST: ScoreFeature
SCORE_FEATURE_SESSION: ScoreFeature
SCORE_FEATURE_WORDS_RANK: ScoreFeature
SCORE_FEATURE_DENSE_RANK: ScoreFeature
SCORE_FEATURE_NEAR_WORDS: ScoreFeature
SCORE_FEATURE_CONFIDENCE: ScoreFeature
SCORE_FEATURE_FACTS: ScoreFeature
SCORE_FEATURE_ENTITIES: ScoreFeature
SCORE_FEATURE_IDENTIFIER: ScoreFeature
DENSE_STATE_UNSPECIFIED: DenseState
DENSE_STATE_USED: DenseState
DENSE_STATE_OFF: DenseState
DENSE_STATE_UNAVAILABLE: DenseState
RERANK_STATE_UNSPECIFIED: RerankState
RERANK_STATE_USED: RerankState
RERANK_STATE_OFF: RerankState
RERANK_STATE_UNAVAILABLE: RerankState
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
CONTEXT_FENCE_UNSPECIFIED: ContextFence
CONTEXT_FENCE_ON: ContextFence
CONTEXT_FENCE_OFF: ContextFence
CONTEXT_PLACE_UNSPECIFIED: ContextPlace
CONTEXT_PLACE_SYSTEM: ContextPlace
CONTEXT_PLACE_USER_MESSAGE: ContextPlace
CONTEXT_PLACE_TOOL_RESULT: ContextPlace
CONTEXT_CUT_REASON_UNSPECIFIED: ContextCutReason
CONTEXT_CUT_REASON_BUDGET: ContextCutReason
CONTEXT_CUT_REASON_LIMIT: ContextCutReason
CONTEXT_CUT_REASON_DUPLICATE: ContextCutReason
CONTEXT_CUT_REASON_RELEVANCE: ContextCutReason
CONTEXT_CUT_REASON_COMPACTED: ContextCutReason

class RecallFilter(_message.Message):
    __slots__ = ("kinds", "session_ids", "exclude_session_ids", "scope", "session_labels", "roles", "collection_ids", "labels", "metadata", "time_from", "time_before", "min_trust", "memory_kinds", "valid_at_time", "include_superseded", "categories", "min_confidence", "source_document_id", "session_id_prefix", "recursive_collections")
    class SessionLabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    KINDS_FIELD_NUMBER: _ClassVar[int]
    SESSION_IDS_FIELD_NUMBER: _ClassVar[int]
    EXCLUDE_SESSION_IDS_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    SESSION_LABELS_FIELD_NUMBER: _ClassVar[int]
    ROLES_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_IDS_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    TIME_FROM_FIELD_NUMBER: _ClassVar[int]
    TIME_BEFORE_FIELD_NUMBER: _ClassVar[int]
    MIN_TRUST_FIELD_NUMBER: _ClassVar[int]
    MEMORY_KINDS_FIELD_NUMBER: _ClassVar[int]
    VALID_AT_TIME_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    MIN_CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_PREFIX_FIELD_NUMBER: _ClassVar[int]
    RECURSIVE_COLLECTIONS_FIELD_NUMBER: _ClassVar[int]
    kinds: _containers.RepeatedScalarFieldContainer[RecallKind]
    session_ids: _containers.RepeatedScalarFieldContainer[str]
    exclude_session_ids: _containers.RepeatedScalarFieldContainer[str]
    scope: _memory_pb2.ScopeFilter
    session_labels: _containers.ScalarMap[str, str]
    roles: _containers.RepeatedScalarFieldContainer[_message_pb2.Role]
    collection_ids: _containers.RepeatedScalarFieldContainer[str]
    labels: _containers.ScalarMap[str, str]
    metadata: _containers.RepeatedCompositeFieldContainer[_filter_pb2.MetadataCondition]
    time_from: _timestamp_pb2.Timestamp
    time_before: _timestamp_pb2.Timestamp
    min_trust: _message_pb2.Trust
    memory_kinds: _containers.RepeatedScalarFieldContainer[_memory_pb2.MemoryKind]
    valid_at_time: _timestamp_pb2.Timestamp
    include_superseded: bool
    categories: _containers.RepeatedScalarFieldContainer[str]
    min_confidence: float
    source_document_id: str
    session_id_prefix: str
    recursive_collections: bool
    def __init__(self, kinds: _Optional[_Iterable[_Union[RecallKind, str]]] = ..., session_ids: _Optional[_Iterable[str]] = ..., exclude_session_ids: _Optional[_Iterable[str]] = ..., scope: _Optional[_Union[_memory_pb2.ScopeFilter, _Mapping]] = ..., session_labels: _Optional[_Mapping[str, str]] = ..., roles: _Optional[_Iterable[_Union[_message_pb2.Role, str]]] = ..., collection_ids: _Optional[_Iterable[str]] = ..., labels: _Optional[_Mapping[str, str]] = ..., metadata: _Optional[_Iterable[_Union[_filter_pb2.MetadataCondition, _Mapping]]] = ..., time_from: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., time_before: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., min_trust: _Optional[_Union[_message_pb2.Trust, str]] = ..., memory_kinds: _Optional[_Iterable[_Union[_memory_pb2.MemoryKind, str]]] = ..., valid_at_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., include_superseded: _Optional[bool] = ..., categories: _Optional[_Iterable[str]] = ..., min_confidence: _Optional[float] = ..., source_document_id: _Optional[str] = ..., session_id_prefix: _Optional[str] = ..., recursive_collections: _Optional[bool] = ...) -> None: ...

class RecallHit(_message.Message):
    __slots__ = ("score", "relevance", "parts", "message", "document", "memory", "passage", "rerank_score", "found_record")
    SCORE_FIELD_NUMBER: _ClassVar[int]
    RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    PASSAGE_FIELD_NUMBER: _ClassVar[int]
    RERANK_SCORE_FIELD_NUMBER: _ClassVar[int]
    FOUND_RECORD_FIELD_NUMBER: _ClassVar[int]
    score: float
    relevance: float
    parts: _containers.RepeatedCompositeFieldContainer[ScorePart]
    message: RecalledMessage
    document: _document_pb2.Document
    memory: _memory_pb2.Memory
    passage: str
    rerank_score: float
    found_record: _record_pb2.RecordLookup
    def __init__(self, score: _Optional[float] = ..., relevance: _Optional[float] = ..., parts: _Optional[_Iterable[_Union[ScorePart, _Mapping]]] = ..., message: _Optional[_Union[RecalledMessage, _Mapping]] = ..., document: _Optional[_Union[_document_pb2.Document, _Mapping]] = ..., memory: _Optional[_Union[_memory_pb2.Memory, _Mapping]] = ..., passage: _Optional[str] = ..., rerank_score: _Optional[float] = ..., found_record: _Optional[_Union[_record_pb2.RecordLookup, _Mapping]] = ...) -> None: ...

class RecalledMessage(_message.Message):
    __slots__ = ("session_id", "user_id", "message", "before", "after")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    user_id: str
    message: _message_pb2.Message
    before: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    after: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    def __init__(self, session_id: _Optional[str] = ..., user_id: _Optional[str] = ..., message: _Optional[_Union[_message_pb2.Message, _Mapping]] = ..., before: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., after: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ...) -> None: ...

class ScorePart(_message.Message):
    __slots__ = ("feature", "value", "weight", "score")
    FEATURE_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    feature: ScoreFeature
    value: float
    weight: float
    score: float
    def __init__(self, feature: _Optional[_Union[ScoreFeature, str]] = ..., value: _Optional[float] = ..., weight: _Optional[float] = ..., score: _Optional[float] = ...) -> None: ...

class RecallWeights(_message.Message):
    __slots__ = ("words", "neighbors", "dense", "coverage", "author", "user_role", "length", "question", "date", "recency", "recency_half_life", "importance", "trust", "session", "near_words", "confidence", "facts", "entities", "identifier")
    WORDS_FIELD_NUMBER: _ClassVar[int]
    NEIGHBORS_FIELD_NUMBER: _ClassVar[int]
    DENSE_FIELD_NUMBER: _ClassVar[int]
    COVERAGE_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    USER_ROLE_FIELD_NUMBER: _ClassVar[int]
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    DATE_FIELD_NUMBER: _ClassVar[int]
    RECENCY_FIELD_NUMBER: _ClassVar[int]
    RECENCY_HALF_LIFE_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    NEAR_WORDS_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    FACTS_FIELD_NUMBER: _ClassVar[int]
    ENTITIES_FIELD_NUMBER: _ClassVar[int]
    IDENTIFIER_FIELD_NUMBER: _ClassVar[int]
    words: float
    neighbors: float
    dense: float
    coverage: float
    author: float
    user_role: float
    length: float
    question: float
    date: float
    recency: float
    recency_half_life: _duration_pb2.Duration
    importance: float
    trust: float
    session: float
    near_words: float
    confidence: float
    facts: float
    entities: float
    identifier: float
    def __init__(self, words: _Optional[float] = ..., neighbors: _Optional[float] = ..., dense: _Optional[float] = ..., coverage: _Optional[float] = ..., author: _Optional[float] = ..., user_role: _Optional[float] = ..., length: _Optional[float] = ..., question: _Optional[float] = ..., date: _Optional[float] = ..., recency: _Optional[float] = ..., recency_half_life: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., importance: _Optional[float] = ..., trust: _Optional[float] = ..., session: _Optional[float] = ..., near_words: _Optional[float] = ..., confidence: _Optional[float] = ..., facts: _Optional[float] = ..., entities: _Optional[float] = ..., identifier: _Optional[float] = ...) -> None: ...

class GroupBySession(_message.Message):
    __slots__ = ("hits_per_session",)
    HITS_PER_SESSION_FIELD_NUMBER: _ClassVar[int]
    hits_per_session: int
    def __init__(self, hits_per_session: _Optional[int] = ...) -> None: ...

class Rerank(_message.Message):
    __slots__ = ("hook", "candidates")
    HOOK_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    hook: str
    candidates: int
    def __init__(self, hook: _Optional[str] = ..., candidates: _Optional[int] = ...) -> None: ...

class RecalledSession(_message.Message):
    __slots__ = ("session_id", "collection_id", "score", "hit_count")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    HIT_COUNT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    collection_id: str
    score: float
    hit_count: int
    def __init__(self, session_id: _Optional[str] = ..., collection_id: _Optional[str] = ..., score: _Optional[float] = ..., hit_count: _Optional[int] = ...) -> None: ...

class RecallCoverage(_message.Message):
    __slots__ = ("complete", "pending_count", "left_out_count", "dense", "embedding_model", "without_vector_count", "rerank")
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    PENDING_COUNT_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_COUNT_FIELD_NUMBER: _ClassVar[int]
    DENSE_FIELD_NUMBER: _ClassVar[int]
    EMBEDDING_MODEL_FIELD_NUMBER: _ClassVar[int]
    WITHOUT_VECTOR_COUNT_FIELD_NUMBER: _ClassVar[int]
    RERANK_FIELD_NUMBER: _ClassVar[int]
    complete: bool
    pending_count: int
    left_out_count: int
    dense: DenseState
    embedding_model: str
    without_vector_count: int
    rerank: RerankState
    def __init__(self, complete: _Optional[bool] = ..., pending_count: _Optional[int] = ..., left_out_count: _Optional[int] = ..., dense: _Optional[_Union[DenseState, str]] = ..., embedding_model: _Optional[str] = ..., without_vector_count: _Optional[int] = ..., rerank: _Optional[_Union[RerankState, str]] = ...) -> None: ...

class ContextSection(_message.Message):
    __slots__ = ("kind", "share", "limit", "heading", "max_chars", "first_share")
    KIND_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    HEADING_FIELD_NUMBER: _ClassVar[int]
    MAX_CHARS_FIELD_NUMBER: _ClassVar[int]
    FIRST_SHARE_FIELD_NUMBER: _ClassVar[int]
    kind: ContextSectionKind
    share: float
    limit: int
    heading: str
    max_chars: int
    first_share: float
    def __init__(self, kind: _Optional[_Union[ContextSectionKind, str]] = ..., share: _Optional[float] = ..., limit: _Optional[int] = ..., heading: _Optional[str] = ..., max_chars: _Optional[int] = ..., first_share: _Optional[float] = ...) -> None: ...

class ContextBlock(_message.Message):
    __slots__ = ("name", "place", "sections", "fence", "max_tokens", "tool_name", "tool_call_id", "tool_arguments")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    SECTIONS_FIELD_NUMBER: _ClassVar[int]
    FENCE_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    name: str
    place: ContextPlace
    sections: _containers.RepeatedScalarFieldContainer[ContextSectionKind]
    fence: BlockFence
    max_tokens: int
    tool_name: str
    tool_call_id: str
    tool_arguments: str
    def __init__(self, name: _Optional[str] = ..., place: _Optional[_Union[ContextPlace, str]] = ..., sections: _Optional[_Iterable[_Union[ContextSectionKind, str]]] = ..., fence: _Optional[_Union[BlockFence, _Mapping]] = ..., max_tokens: _Optional[int] = ..., tool_name: _Optional[str] = ..., tool_call_id: _Optional[str] = ..., tool_arguments: _Optional[str] = ...) -> None: ...

class BlockFence(_message.Message):
    __slots__ = ("tag", "lines")
    TAG_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    tag: str
    lines: FenceLines
    def __init__(self, tag: _Optional[str] = ..., lines: _Optional[_Union[FenceLines, _Mapping]] = ...) -> None: ...

class FenceLines(_message.Message):
    __slots__ = ("open", "close")
    OPEN_FIELD_NUMBER: _ClassVar[int]
    CLOSE_FIELD_NUMBER: _ClassVar[int]
    open: str
    close: str
    def __init__(self, open: _Optional[str] = ..., close: _Optional[str] = ...) -> None: ...

class AssembledBlock(_message.Message):
    __slots__ = ("name", "place", "text", "token_count", "sections", "tool_name", "tool_call_id", "tool_arguments")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    SECTIONS_FIELD_NUMBER: _ClassVar[int]
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    name: str
    place: ContextPlace
    text: str
    token_count: int
    sections: _containers.RepeatedScalarFieldContainer[ContextSectionKind]
    tool_name: str
    tool_call_id: str
    tool_arguments: str
    def __init__(self, name: _Optional[str] = ..., place: _Optional[_Union[ContextPlace, str]] = ..., text: _Optional[str] = ..., token_count: _Optional[int] = ..., sections: _Optional[_Iterable[_Union[ContextSectionKind, str]]] = ..., tool_name: _Optional[str] = ..., tool_call_id: _Optional[str] = ..., tool_arguments: _Optional[str] = ...) -> None: ...

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
    ref: ItemRef
    text: str
    token_count: int
    relevance: float
    trust: _message_pb2.Trust
    def __init__(self, ref: _Optional[_Union[ItemRef, _Mapping]] = ..., text: _Optional[str] = ..., token_count: _Optional[int] = ..., relevance: _Optional[float] = ..., trust: _Optional[_Union[_message_pb2.Trust, str]] = ...) -> None: ...

class ItemRef(_message.Message):
    __slots__ = ("memory_id", "message", "document", "summary")
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    memory_id: str
    message: _message_pb2.MessageRef
    document: _document_pb2.DocumentRef
    summary: _summary_pb2.SummaryRef
    def __init__(self, memory_id: _Optional[str] = ..., message: _Optional[_Union[_message_pb2.MessageRef, _Mapping]] = ..., document: _Optional[_Union[_document_pb2.DocumentRef, _Mapping]] = ..., summary: _Optional[_Union[_summary_pb2.SummaryRef, _Mapping]] = ...) -> None: ...

class ContextCut(_message.Message):
    __slots__ = ("kind", "ref", "token_count", "reason")
    KIND_FIELD_NUMBER: _ClassVar[int]
    REF_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    kind: ContextSectionKind
    ref: ItemRef
    token_count: int
    reason: ContextCutReason
    def __init__(self, kind: _Optional[_Union[ContextSectionKind, str]] = ..., ref: _Optional[_Union[ItemRef, _Mapping]] = ..., token_count: _Optional[int] = ..., reason: _Optional[_Union[ContextCutReason, str]] = ...) -> None: ...
