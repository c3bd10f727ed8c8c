import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import document_pb2 as _document_pb2
from memorysidecar.v1 import memory_pb2 as _memory_pb2
from memorysidecar.v1 import message_pb2 as _message_pb2
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

class RecallFilter(_message.Message):
    __slots__ = ("kinds", "session_ids", "exclude_session_ids", "user_id", "agent_id", "session_labels", "roles", "collection_ids", "labels", "metadata", "from_time", "before_time", "min_trust", "memory_kinds", "include_shared", "valid_at", "include_superseded", "categories", "min_confidence")
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
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_LABELS_FIELD_NUMBER: _ClassVar[int]
    ROLES_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_IDS_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    FROM_TIME_FIELD_NUMBER: _ClassVar[int]
    BEFORE_TIME_FIELD_NUMBER: _ClassVar[int]
    MIN_TRUST_FIELD_NUMBER: _ClassVar[int]
    MEMORY_KINDS_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_SHARED_FIELD_NUMBER: _ClassVar[int]
    VALID_AT_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    MIN_CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    kinds: _containers.RepeatedScalarFieldContainer[RecallKind]
    session_ids: _containers.RepeatedScalarFieldContainer[str]
    exclude_session_ids: _containers.RepeatedScalarFieldContainer[str]
    user_id: str
    agent_id: str
    session_labels: _containers.ScalarMap[str, str]
    roles: _containers.RepeatedScalarFieldContainer[_message_pb2.Role]
    collection_ids: _containers.RepeatedScalarFieldContainer[str]
    labels: _containers.ScalarMap[str, str]
    metadata: _containers.RepeatedCompositeFieldContainer[MetadataCondition]
    from_time: _timestamp_pb2.Timestamp
    before_time: _timestamp_pb2.Timestamp
    min_trust: _message_pb2.Trust
    memory_kinds: _containers.RepeatedScalarFieldContainer[_memory_pb2.MemoryKind]
    include_shared: bool
    valid_at: _timestamp_pb2.Timestamp
    include_superseded: bool
    categories: _containers.RepeatedScalarFieldContainer[str]
    min_confidence: float
    def __init__(self, kinds: _Optional[_Iterable[_Union[RecallKind, str]]] = ..., session_ids: _Optional[_Iterable[str]] = ..., exclude_session_ids: _Optional[_Iterable[str]] = ..., user_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., session_labels: _Optional[_Mapping[str, str]] = ..., roles: _Optional[_Iterable[_Union[_message_pb2.Role, str]]] = ..., collection_ids: _Optional[_Iterable[str]] = ..., labels: _Optional[_Mapping[str, str]] = ..., metadata: _Optional[_Iterable[_Union[MetadataCondition, _Mapping]]] = ..., from_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., before_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., min_trust: _Optional[_Union[_message_pb2.Trust, str]] = ..., memory_kinds: _Optional[_Iterable[_Union[_memory_pb2.MemoryKind, str]]] = ..., include_shared: _Optional[bool] = ..., valid_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., include_superseded: _Optional[bool] = ..., categories: _Optional[_Iterable[str]] = ..., min_confidence: _Optional[float] = ...) -> None: ...

class MetadataCondition(_message.Message):
    __slots__ = ("path", "equals", "range", "exists", "one_of")
    PATH_FIELD_NUMBER: _ClassVar[int]
    EQUALS_FIELD_NUMBER: _ClassVar[int]
    RANGE_FIELD_NUMBER: _ClassVar[int]
    EXISTS_FIELD_NUMBER: _ClassVar[int]
    ONE_OF_FIELD_NUMBER: _ClassVar[int]
    path: str
    equals: _struct_pb2.Value
    range: NumberRange
    exists: bool
    one_of: _struct_pb2.ListValue
    def __init__(self, path: _Optional[str] = ..., equals: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., range: _Optional[_Union[NumberRange, _Mapping]] = ..., exists: _Optional[bool] = ..., one_of: _Optional[_Union[_struct_pb2.ListValue, _Mapping]] = ...) -> None: ...

class NumberRange(_message.Message):
    __slots__ = ("before", "to")
    FROM_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    before: float
    to: float
    def __init__(self, before: _Optional[float] = ..., to: _Optional[float] = ..., **kwargs) -> None: ...

class RecallHit(_message.Message):
    __slots__ = ("score", "relevance", "parts", "message", "document", "memory", "passage", "rerank_score")
    SCORE_FIELD_NUMBER: _ClassVar[int]
    RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    PASSAGE_FIELD_NUMBER: _ClassVar[int]
    RERANK_SCORE_FIELD_NUMBER: _ClassVar[int]
    score: float
    relevance: float
    parts: _containers.RepeatedCompositeFieldContainer[ScorePart]
    message: RecalledMessage
    document: _document_pb2.Document
    memory: _memory_pb2.Memory
    passage: str
    rerank_score: float
    def __init__(self, score: _Optional[float] = ..., relevance: _Optional[float] = ..., parts: _Optional[_Iterable[_Union[ScorePart, _Mapping]]] = ..., message: _Optional[_Union[RecalledMessage, _Mapping]] = ..., document: _Optional[_Union[_document_pb2.Document, _Mapping]] = ..., memory: _Optional[_Union[_memory_pb2.Memory, _Mapping]] = ..., passage: _Optional[str] = ..., rerank_score: _Optional[float] = ...) -> None: ...

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
