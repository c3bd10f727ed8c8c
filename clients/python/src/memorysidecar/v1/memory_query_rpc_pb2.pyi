import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import memory_pb2 as _memory_pb2
from memorysidecar.v1 import memory_filter_pb2 as _memory_filter_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MemoryScoring(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEMORY_SCORING_UNSPECIFIED: _ClassVar[MemoryScoring]
    MEMORY_SCORING_RECALL: _ClassVar[MemoryScoring]
    MEMORY_SCORING_OVERLAP: _ClassVar[MemoryScoring]
    MEMORY_SCORING_WORD_COUNT: _ClassVar[MemoryScoring]
    MEMORY_SCORING_SUBSTRING: _ClassVar[MemoryScoring]
MEMORY_SCORING_UNSPECIFIED: MemoryScoring
MEMORY_SCORING_RECALL: MemoryScoring
MEMORY_SCORING_OVERLAP: MemoryScoring
MEMORY_SCORING_WORD_COUNT: MemoryScoring
MEMORY_SCORING_SUBSTRING: MemoryScoring

class QueryRelationsRequest(_message.Message):
    __slots__ = ("namespace", "filter", "subject", "predicate", "object", "entity", "max_hops", "keywords", "limit")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    PREDICATE_FIELD_NUMBER: _ClassVar[int]
    OBJECT_FIELD_NUMBER: _ClassVar[int]
    ENTITY_FIELD_NUMBER: _ClassVar[int]
    MAX_HOPS_FIELD_NUMBER: _ClassVar[int]
    KEYWORDS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    filter: _memory_filter_pb2.MemoryFilter
    subject: str
    predicate: str
    object: str
    entity: str
    max_hops: int
    keywords: _containers.RepeatedScalarFieldContainer[str]
    limit: int
    def __init__(self, namespace: _Optional[str] = ..., filter: _Optional[_Union[_memory_filter_pb2.MemoryFilter, _Mapping]] = ..., subject: _Optional[str] = ..., predicate: _Optional[str] = ..., object: _Optional[str] = ..., entity: _Optional[str] = ..., max_hops: _Optional[int] = ..., keywords: _Optional[_Iterable[str]] = ..., limit: _Optional[int] = ...) -> None: ...

class QueryRelationsResponse(_message.Message):
    __slots__ = ("relations", "truncated")
    RELATIONS_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    relations: _containers.RepeatedCompositeFieldContainer[FoundRelation]
    truncated: bool
    def __init__(self, relations: _Optional[_Iterable[_Union[FoundRelation, _Mapping]]] = ..., truncated: _Optional[bool] = ...) -> None: ...

class FoundRelation(_message.Message):
    __slots__ = ("memory", "hop")
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    HOP_FIELD_NUMBER: _ClassVar[int]
    memory: _memory_pb2.Memory
    hop: int
    def __init__(self, memory: _Optional[_Union[_memory_pb2.Memory, _Mapping]] = ..., hop: _Optional[int] = ...) -> None: ...

class SearchMemoriesRequest(_message.Message):
    __slots__ = ("namespace", "query", "filter", "scoring", "limit", "min_score", "reference_time", "episode_days")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    SCORING_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    MIN_SCORE_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_TIME_FIELD_NUMBER: _ClassVar[int]
    EPISODE_DAYS_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    query: str
    filter: _memory_filter_pb2.MemoryFilter
    scoring: MemoryScoring
    limit: int
    min_score: float
    reference_time: _timestamp_pb2.Timestamp
    episode_days: int
    def __init__(self, namespace: _Optional[str] = ..., query: _Optional[str] = ..., filter: _Optional[_Union[_memory_filter_pb2.MemoryFilter, _Mapping]] = ..., scoring: _Optional[_Union[MemoryScoring, str]] = ..., limit: _Optional[int] = ..., min_score: _Optional[float] = ..., reference_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., episode_days: _Optional[int] = ...) -> None: ...

class SearchMemoriesResponse(_message.Message):
    __slots__ = ("matches",)
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedCompositeFieldContainer[MemoryMatch]
    def __init__(self, matches: _Optional[_Iterable[_Union[MemoryMatch, _Mapping]]] = ...) -> None: ...

class MemoryMatch(_message.Message):
    __slots__ = ("memory", "score")
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    memory: _memory_pb2.Memory
    score: float
    def __init__(self, memory: _Optional[_Union[_memory_pb2.Memory, _Mapping]] = ..., score: _Optional[float] = ...) -> None: ...
