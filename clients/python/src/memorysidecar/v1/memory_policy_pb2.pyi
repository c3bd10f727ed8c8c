from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ExtractionTime(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EXTRACTION_TIME_UNSPECIFIED: _ClassVar[ExtractionTime]
    EXTRACTION_TIME_TURN_END: _ClassVar[ExtractionTime]
    EXTRACTION_TIME_TRIM: _ClassVar[ExtractionTime]

class ExtractionTarget(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EXTRACTION_TARGET_UNSPECIFIED: _ClassVar[ExtractionTarget]
    EXTRACTION_TARGET_FACTS: _ClassVar[ExtractionTarget]
    EXTRACTION_TARGET_ENTITIES: _ClassVar[ExtractionTarget]
    EXTRACTION_TARGET_RELATIONS: _ClassVar[ExtractionTarget]
EXTRACTION_TIME_UNSPECIFIED: ExtractionTime
EXTRACTION_TIME_TURN_END: ExtractionTime
EXTRACTION_TIME_TRIM: ExtractionTime
EXTRACTION_TARGET_UNSPECIFIED: ExtractionTarget
EXTRACTION_TARGET_FACTS: ExtractionTarget
EXTRACTION_TARGET_ENTITIES: ExtractionTarget
EXTRACTION_TARGET_RELATIONS: ExtractionTarget

class MemoryPolicy(_message.Message):
    __slots__ = ("auto_promote", "importance_threshold", "importance_rules", "score_hook", "long_term_limit", "episodes", "episodic_retention_days", "extraction", "entity_limit", "relation_limit", "agent_scope")
    AUTO_PROMOTE_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_RULES_FIELD_NUMBER: _ClassVar[int]
    SCORE_HOOK_FIELD_NUMBER: _ClassVar[int]
    LONG_TERM_LIMIT_FIELD_NUMBER: _ClassVar[int]
    EPISODES_FIELD_NUMBER: _ClassVar[int]
    EPISODIC_RETENTION_DAYS_FIELD_NUMBER: _ClassVar[int]
    EXTRACTION_FIELD_NUMBER: _ClassVar[int]
    ENTITY_LIMIT_FIELD_NUMBER: _ClassVar[int]
    RELATION_LIMIT_FIELD_NUMBER: _ClassVar[int]
    AGENT_SCOPE_FIELD_NUMBER: _ClassVar[int]
    auto_promote: bool
    importance_threshold: float
    importance_rules: _containers.RepeatedCompositeFieldContainer[ImportanceRule]
    score_hook: str
    long_term_limit: int
    episodes: bool
    episodic_retention_days: int
    extraction: ExtractionPolicy
    entity_limit: int
    relation_limit: int
    agent_scope: bool
    def __init__(self, auto_promote: _Optional[bool] = ..., importance_threshold: _Optional[float] = ..., importance_rules: _Optional[_Iterable[_Union[ImportanceRule, _Mapping]]] = ..., score_hook: _Optional[str] = ..., long_term_limit: _Optional[int] = ..., episodes: _Optional[bool] = ..., episodic_retention_days: _Optional[int] = ..., extraction: _Optional[_Union[ExtractionPolicy, _Mapping]] = ..., entity_limit: _Optional[int] = ..., relation_limit: _Optional[int] = ..., agent_scope: _Optional[bool] = ...) -> None: ...

class ImportanceRule(_message.Message):
    __slots__ = ("name", "phrases", "score")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PHRASES_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    name: str
    phrases: _containers.RepeatedScalarFieldContainer[str]
    score: float
    def __init__(self, name: _Optional[str] = ..., phrases: _Optional[_Iterable[str]] = ..., score: _Optional[float] = ...) -> None: ...

class ExtractionPolicy(_message.Message):
    __slots__ = ("hook", "on", "targets", "instructions", "supersede")
    HOOK_FIELD_NUMBER: _ClassVar[int]
    ON_FIELD_NUMBER: _ClassVar[int]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDE_FIELD_NUMBER: _ClassVar[int]
    hook: str
    on: ExtractionTime
    targets: _containers.RepeatedScalarFieldContainer[ExtractionTarget]
    instructions: str
    supersede: bool
    def __init__(self, hook: _Optional[str] = ..., on: _Optional[_Union[ExtractionTime, str]] = ..., targets: _Optional[_Iterable[_Union[ExtractionTarget, str]]] = ..., instructions: _Optional[str] = ..., supersede: _Optional[bool] = ...) -> None: ...
