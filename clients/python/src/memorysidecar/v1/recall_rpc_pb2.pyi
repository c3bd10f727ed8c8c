import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import document_pb2 as _document_pb2
from memorysidecar.v1 import message_pb2 as _message_pb2
from memorysidecar.v1 import policy_pb2 as _policy_pb2
from memorysidecar.v1 import recall_pb2 as _recall_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

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

class EmbeddingPurpose(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EMBEDDING_PURPOSE_UNSPECIFIED: _ClassVar[EmbeddingPurpose]
    EMBEDDING_PURPOSE_PASSAGE: _ClassVar[EmbeddingPurpose]
    EMBEDDING_PURPOSE_QUERY: _ClassVar[EmbeddingPurpose]
DENSE_STATE_UNSPECIFIED: DenseState
DENSE_STATE_USED: DenseState
DENSE_STATE_OFF: DenseState
DENSE_STATE_UNAVAILABLE: DenseState
RERANK_STATE_UNSPECIFIED: RerankState
RERANK_STATE_USED: RerankState
RERANK_STATE_OFF: RerankState
RERANK_STATE_UNAVAILABLE: RerankState
EMBEDDING_PURPOSE_UNSPECIFIED: EmbeddingPurpose
EMBEDDING_PURPOSE_PASSAGE: EmbeddingPurpose
EMBEDDING_PURPOSE_QUERY: EmbeddingPurpose

class RecallRequest(_message.Message):
    __slots__ = ("namespace", "query", "embedding", "filter", "page_size", "page_token", "mode", "fusion", "weights", "min_score", "min_relevance", "diversity", "context_before", "context_after", "group_by_session", "rerank", "allow_partial", "reference_time")
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
    namespace: str
    query: str
    embedding: _document_pb2.Embedding
    filter: _recall_pb2.RecallFilter
    page_size: int
    page_token: str
    mode: _recall_pb2.RecallMode
    fusion: _recall_pb2.FusionMethod
    weights: RecallWeights
    min_score: float
    min_relevance: float
    diversity: float
    context_before: int
    context_after: int
    group_by_session: GroupBySession
    rerank: Rerank
    allow_partial: bool
    reference_time: _timestamp_pb2.Timestamp
    def __init__(self, namespace: _Optional[str] = ..., query: _Optional[str] = ..., embedding: _Optional[_Union[_document_pb2.Embedding, _Mapping]] = ..., filter: _Optional[_Union[_recall_pb2.RecallFilter, _Mapping]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., mode: _Optional[_Union[_recall_pb2.RecallMode, str]] = ..., fusion: _Optional[_Union[_recall_pb2.FusionMethod, str]] = ..., weights: _Optional[_Union[RecallWeights, _Mapping]] = ..., min_score: _Optional[float] = ..., min_relevance: _Optional[float] = ..., diversity: _Optional[float] = ..., context_before: _Optional[int] = ..., context_after: _Optional[int] = ..., group_by_session: _Optional[_Union[GroupBySession, _Mapping]] = ..., rerank: _Optional[_Union[Rerank, _Mapping]] = ..., allow_partial: _Optional[bool] = ..., reference_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class RecallWeights(_message.Message):
    __slots__ = ("words", "neighbors", "dense", "coverage", "author", "user_role", "length", "question", "date", "recency", "recency_half_life_days", "importance", "trust", "session", "near_words", "confidence", "facts", "entities")
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
    RECENCY_HALF_LIFE_DAYS_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    NEAR_WORDS_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    FACTS_FIELD_NUMBER: _ClassVar[int]
    ENTITIES_FIELD_NUMBER: _ClassVar[int]
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
    recency_half_life_days: float
    importance: float
    trust: float
    session: float
    near_words: float
    confidence: float
    facts: float
    entities: float
    def __init__(self, words: _Optional[float] = ..., neighbors: _Optional[float] = ..., dense: _Optional[float] = ..., coverage: _Optional[float] = ..., author: _Optional[float] = ..., user_role: _Optional[float] = ..., length: _Optional[float] = ..., question: _Optional[float] = ..., date: _Optional[float] = ..., recency: _Optional[float] = ..., recency_half_life_days: _Optional[float] = ..., importance: _Optional[float] = ..., trust: _Optional[float] = ..., session: _Optional[float] = ..., near_words: _Optional[float] = ..., confidence: _Optional[float] = ..., facts: _Optional[float] = ..., entities: _Optional[float] = ...) -> None: ...

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

class RecallResponse(_message.Message):
    __slots__ = ("hits", "next_page_token", "sessions", "coverage")
    HITS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    COVERAGE_FIELD_NUMBER: _ClassVar[int]
    hits: _containers.RepeatedCompositeFieldContainer[_recall_pb2.RecallHit]
    next_page_token: str
    sessions: _containers.RepeatedCompositeFieldContainer[RecalledSession]
    coverage: RecallCoverage
    def __init__(self, hits: _Optional[_Iterable[_Union[_recall_pb2.RecallHit, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., sessions: _Optional[_Iterable[_Union[RecalledSession, _Mapping]]] = ..., coverage: _Optional[_Union[RecallCoverage, _Mapping]] = ...) -> None: ...

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

class EmbedRequest(_message.Message):
    __slots__ = ("namespace", "texts", "purpose")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    texts: _containers.RepeatedScalarFieldContainer[str]
    purpose: EmbeddingPurpose
    def __init__(self, namespace: _Optional[str] = ..., texts: _Optional[_Iterable[str]] = ..., purpose: _Optional[_Union[EmbeddingPurpose, str]] = ...) -> None: ...

class EmbedResponse(_message.Message):
    __slots__ = ("embeddings",)
    EMBEDDINGS_FIELD_NUMBER: _ClassVar[int]
    embeddings: _containers.RepeatedCompositeFieldContainer[_document_pb2.Embedding]
    def __init__(self, embeddings: _Optional[_Iterable[_Union[_document_pb2.Embedding, _Mapping]]] = ...) -> None: ...

class CountTokensRequest(_message.Message):
    __slots__ = ("texts", "messages", "token_rule", "model", "custom_token_rule")
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    TOKEN_RULE_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_TOKEN_RULE_FIELD_NUMBER: _ClassVar[int]
    texts: _containers.RepeatedScalarFieldContainer[str]
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    token_rule: _message_pb2.TokenRule
    model: str
    custom_token_rule: _policy_pb2.CustomTokenRule
    def __init__(self, texts: _Optional[_Iterable[str]] = ..., messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., token_rule: _Optional[_Union[_message_pb2.TokenRule, str]] = ..., model: _Optional[str] = ..., custom_token_rule: _Optional[_Union[_policy_pb2.CustomTokenRule, _Mapping]] = ...) -> None: ...

class CountTokensResponse(_message.Message):
    __slots__ = ("text_token_counts", "message_token_counts", "total_token_count", "token_rule")
    TEXT_TOKEN_COUNTS_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_TOKEN_COUNTS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_RULE_FIELD_NUMBER: _ClassVar[int]
    text_token_counts: _containers.RepeatedScalarFieldContainer[int]
    message_token_counts: _containers.RepeatedScalarFieldContainer[int]
    total_token_count: int
    token_rule: _message_pb2.TokenRule
    def __init__(self, text_token_counts: _Optional[_Iterable[int]] = ..., message_token_counts: _Optional[_Iterable[int]] = ..., total_token_count: _Optional[int] = ..., token_rule: _Optional[_Union[_message_pb2.TokenRule, str]] = ...) -> None: ...
