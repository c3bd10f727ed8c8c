import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import memory_policy_pb2 as _memory_policy_pb2
from memorysidecar.v1 import message_pb2 as _message_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ResolveAction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RESOLVE_ACTION_UNSPECIFIED: _ClassVar[ResolveAction]
    RESOLVE_ACTION_KEEP_BOTH: _ClassVar[ResolveAction]
    RESOLVE_ACTION_SUPERSEDE: _ClassVar[ResolveAction]
    RESOLVE_ACTION_MERGE: _ClassVar[ResolveAction]
    RESOLVE_ACTION_DROP: _ClassVar[ResolveAction]
RESOLVE_ACTION_UNSPECIFIED: ResolveAction
RESOLVE_ACTION_KEEP_BOTH: ResolveAction
RESOLVE_ACTION_SUPERSEDE: ResolveAction
RESOLVE_ACTION_MERGE: ResolveAction
RESOLVE_ACTION_DROP: ResolveAction

class ExtractInput(_message.Message):
    __slots__ = ("messages", "text", "transcript", "targets", "instructions", "known")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TRANSCRIPT_FIELD_NUMBER: _ClassVar[int]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    KNOWN_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    text: str
    transcript: str
    targets: _containers.RepeatedScalarFieldContainer[_memory_policy_pb2.ExtractionTarget]
    instructions: str
    known: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., text: _Optional[str] = ..., transcript: _Optional[str] = ..., targets: _Optional[_Iterable[_Union[_memory_policy_pb2.ExtractionTarget, str]]] = ..., instructions: _Optional[str] = ..., known: _Optional[_Iterable[str]] = ...) -> None: ...

class ExtractOutput(_message.Message):
    __slots__ = ("facts", "entities", "relations", "model")
    FACTS_FIELD_NUMBER: _ClassVar[int]
    ENTITIES_FIELD_NUMBER: _ClassVar[int]
    RELATIONS_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    facts: _containers.RepeatedCompositeFieldContainer[ExtractedFact]
    entities: _containers.RepeatedCompositeFieldContainer[ExtractedEntity]
    relations: _containers.RepeatedCompositeFieldContainer[ExtractedRelation]
    model: str
    def __init__(self, facts: _Optional[_Iterable[_Union[ExtractedFact, _Mapping]]] = ..., entities: _Optional[_Iterable[_Union[ExtractedEntity, _Mapping]]] = ..., relations: _Optional[_Iterable[_Union[ExtractedRelation, _Mapping]]] = ..., model: _Optional[str] = ...) -> None: ...

class ExtractedFact(_message.Message):
    __slots__ = ("text", "is_preference", "key", "category", "topics", "importance", "confidence", "valid_from", "message_ids")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    IS_PREFERENCE_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    TOPICS_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    VALID_FROM_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    text: str
    is_preference: bool
    key: str
    category: str
    topics: _containers.RepeatedScalarFieldContainer[str]
    importance: float
    confidence: float
    valid_from: _timestamp_pb2.Timestamp
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, text: _Optional[str] = ..., is_preference: _Optional[bool] = ..., key: _Optional[str] = ..., category: _Optional[str] = ..., topics: _Optional[_Iterable[str]] = ..., importance: _Optional[float] = ..., confidence: _Optional[float] = ..., valid_from: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., message_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ExtractedEntity(_message.Message):
    __slots__ = ("name", "type", "aliases", "attributes", "message_ids")
    class AttributesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    ALIASES_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    name: str
    type: str
    aliases: _containers.RepeatedScalarFieldContainer[str]
    attributes: _containers.ScalarMap[str, str]
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., type: _Optional[str] = ..., aliases: _Optional[_Iterable[str]] = ..., attributes: _Optional[_Mapping[str, str]] = ..., message_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ExtractedRelation(_message.Message):
    __slots__ = ("subject", "predicate", "object", "confidence", "message_ids")
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    PREDICATE_FIELD_NUMBER: _ClassVar[int]
    OBJECT_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    subject: str
    predicate: str
    object: str
    confidence: float
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, subject: _Optional[str] = ..., predicate: _Optional[str] = ..., object: _Optional[str] = ..., confidence: _Optional[float] = ..., message_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ScoreInput(_message.Message):
    __slots__ = ("texts",)
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    texts: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, texts: _Optional[_Iterable[str]] = ...) -> None: ...

class ScoreOutput(_message.Message):
    __slots__ = ("scores",)
    SCORES_FIELD_NUMBER: _ClassVar[int]
    scores: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, scores: _Optional[_Iterable[float]] = ...) -> None: ...

class ResolveInput(_message.Message):
    __slots__ = ("text", "known", "key")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    KNOWN_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    text: str
    known: _containers.RepeatedScalarFieldContainer[str]
    key: str
    def __init__(self, text: _Optional[str] = ..., known: _Optional[_Iterable[str]] = ..., key: _Optional[str] = ...) -> None: ...

class ResolveOutput(_message.Message):
    __slots__ = ("action", "text")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    action: ResolveAction
    text: str
    def __init__(self, action: _Optional[_Union[ResolveAction, str]] = ..., text: _Optional[str] = ...) -> None: ...
