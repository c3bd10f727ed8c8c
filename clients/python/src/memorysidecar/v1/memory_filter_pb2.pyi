import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import memory_pb2 as _memory_pb2
from memorysidecar.v1 import message_pb2 as _message_pb2
from memorysidecar.v1 import recall_pb2 as _recall_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MemoryFilter(_message.Message):
    __slots__ = ("user_id", "agent_id", "session_id", "include_shared", "kinds", "states", "categories", "topics", "key", "text_contains", "labels", "metadata", "min_importance", "min_confidence", "min_trust", "persistent", "valid_at", "create_from_time", "create_before_time", "seen_from_time", "seen_before_time", "source_session_id", "origin", "exact_scope")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_SHARED_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    STATES_FIELD_NUMBER: _ClassVar[int]
    CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    TOPICS_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    TEXT_CONTAINS_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    MIN_IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    MIN_CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    MIN_TRUST_FIELD_NUMBER: _ClassVar[int]
    PERSISTENT_FIELD_NUMBER: _ClassVar[int]
    VALID_AT_FIELD_NUMBER: _ClassVar[int]
    CREATE_FROM_TIME_FIELD_NUMBER: _ClassVar[int]
    CREATE_BEFORE_TIME_FIELD_NUMBER: _ClassVar[int]
    SEEN_FROM_TIME_FIELD_NUMBER: _ClassVar[int]
    SEEN_BEFORE_TIME_FIELD_NUMBER: _ClassVar[int]
    SOURCE_SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    EXACT_SCOPE_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    agent_id: str
    session_id: str
    include_shared: bool
    kinds: _containers.RepeatedScalarFieldContainer[_memory_pb2.MemoryKind]
    states: _containers.RepeatedScalarFieldContainer[_memory_pb2.MemoryState]
    categories: _containers.RepeatedScalarFieldContainer[str]
    topics: _containers.RepeatedScalarFieldContainer[str]
    key: str
    text_contains: str
    labels: _containers.ScalarMap[str, str]
    metadata: _containers.RepeatedCompositeFieldContainer[_recall_pb2.MetadataCondition]
    min_importance: float
    min_confidence: float
    min_trust: _message_pb2.Trust
    persistent: bool
    valid_at: _timestamp_pb2.Timestamp
    create_from_time: _timestamp_pb2.Timestamp
    create_before_time: _timestamp_pb2.Timestamp
    seen_from_time: _timestamp_pb2.Timestamp
    seen_before_time: _timestamp_pb2.Timestamp
    source_session_id: str
    origin: _memory_pb2.MemoryOrigin
    exact_scope: bool
    def __init__(self, user_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., session_id: _Optional[str] = ..., include_shared: _Optional[bool] = ..., kinds: _Optional[_Iterable[_Union[_memory_pb2.MemoryKind, str]]] = ..., states: _Optional[_Iterable[_Union[_memory_pb2.MemoryState, str]]] = ..., categories: _Optional[_Iterable[str]] = ..., topics: _Optional[_Iterable[str]] = ..., key: _Optional[str] = ..., text_contains: _Optional[str] = ..., labels: _Optional[_Mapping[str, str]] = ..., metadata: _Optional[_Iterable[_Union[_recall_pb2.MetadataCondition, _Mapping]]] = ..., min_importance: _Optional[float] = ..., min_confidence: _Optional[float] = ..., min_trust: _Optional[_Union[_message_pb2.Trust, str]] = ..., persistent: _Optional[bool] = ..., valid_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., create_from_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., create_before_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., seen_from_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., seen_before_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., source_session_id: _Optional[str] = ..., origin: _Optional[_Union[_memory_pb2.MemoryOrigin, str]] = ..., exact_scope: _Optional[bool] = ...) -> None: ...
