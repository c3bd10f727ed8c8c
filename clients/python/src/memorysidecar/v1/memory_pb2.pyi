import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import filter_pb2 as _filter_pb2
from memorysidecar.v1 import message_pb2 as _message_pb2
from memorysidecar.v1 import rules_pb2 as _rules_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MemoryKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEMORY_KIND_UNSPECIFIED: _ClassVar[MemoryKind]
    MEMORY_KIND_FACT: _ClassVar[MemoryKind]
    MEMORY_KIND_PREFERENCE: _ClassVar[MemoryKind]
    MEMORY_KIND_KNOWLEDGE: _ClassVar[MemoryKind]
    MEMORY_KIND_ENTITY: _ClassVar[MemoryKind]
    MEMORY_KIND_RELATION: _ClassVar[MemoryKind]
    MEMORY_KIND_EPISODE: _ClassVar[MemoryKind]
    MEMORY_KIND_SUMMARY: _ClassVar[MemoryKind]

class MemoryState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEMORY_STATE_UNSPECIFIED: _ClassVar[MemoryState]
    MEMORY_STATE_ACTIVE: _ClassVar[MemoryState]
    MEMORY_STATE_SUPERSEDED: _ClassVar[MemoryState]

class MemoryOrigin(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEMORY_ORIGIN_UNSPECIFIED: _ClassVar[MemoryOrigin]
    MEMORY_ORIGIN_CALLER: _ClassVar[MemoryOrigin]
    MEMORY_ORIGIN_PROMOTION: _ClassVar[MemoryOrigin]
    MEMORY_ORIGIN_EXTRACTION: _ClassVar[MemoryOrigin]
    MEMORY_ORIGIN_TURN: _ClassVar[MemoryOrigin]

class SourceErasure(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SOURCE_ERASURE_UNSPECIFIED: _ClassVar[SourceErasure]
    SOURCE_ERASURE_FORGET: _ClassVar[SourceErasure]
    SOURCE_ERASURE_MARK: _ClassVar[SourceErasure]
    SOURCE_ERASURE_KEEP: _ClassVar[SourceErasure]

class PromotionSelection(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PROMOTION_SELECTION_UNSPECIFIED: _ClassVar[PromotionSelection]
    PROMOTION_SELECTION_USER_STATEMENTS: _ClassVar[PromotionSelection]
    PROMOTION_SELECTION_ANY_TEXT: _ClassVar[PromotionSelection]

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

class DedupeMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DEDUPE_MODE_UNSPECIFIED: _ClassVar[DedupeMode]
    DEDUPE_MODE_SAME_TEXT: _ClassVar[DedupeMode]
    DEDUPE_MODE_SIMILAR: _ClassVar[DedupeMode]
    DEDUPE_MODE_NONE: _ClassVar[DedupeMode]

class ConflictMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONFLICT_MODE_UNSPECIFIED: _ClassVar[ConflictMode]
    CONFLICT_MODE_KEEP_BOTH: _ClassVar[ConflictMode]
    CONFLICT_MODE_SUPERSEDE: _ClassVar[ConflictMode]
    CONFLICT_MODE_MERGE: _ClassVar[ConflictMode]
    CONFLICT_MODE_ASK_HOOK: _ClassVar[ConflictMode]

class RememberOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REMEMBER_OUTCOME_UNSPECIFIED: _ClassVar[RememberOutcome]
    REMEMBER_OUTCOME_CREATED: _ClassVar[RememberOutcome]
    REMEMBER_OUTCOME_REINFORCED: _ClassVar[RememberOutcome]
    REMEMBER_OUTCOME_UNCHANGED: _ClassVar[RememberOutcome]
    REMEMBER_OUTCOME_UPDATED: _ClassVar[RememberOutcome]
    REMEMBER_OUTCOME_SUPERSEDED: _ClassVar[RememberOutcome]
    REMEMBER_OUTCOME_DROPPED: _ClassVar[RememberOutcome]

class MemoryOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEMORY_ORDER_UNSPECIFIED: _ClassVar[MemoryOrder]
    MEMORY_ORDER_CREATE_TIME_ASC: _ClassVar[MemoryOrder]
    MEMORY_ORDER_CREATE_TIME_DESC: _ClassVar[MemoryOrder]
    MEMORY_ORDER_IMPORTANCE_DESC: _ClassVar[MemoryOrder]
    MEMORY_ORDER_CONFIDENCE_DESC: _ClassVar[MemoryOrder]
    MEMORY_ORDER_LAST_SEEN_TIME_DESC: _ClassVar[MemoryOrder]
MEMORY_KIND_UNSPECIFIED: MemoryKind
MEMORY_KIND_FACT: MemoryKind
MEMORY_KIND_PREFERENCE: MemoryKind
MEMORY_KIND_KNOWLEDGE: MemoryKind
MEMORY_KIND_ENTITY: MemoryKind
MEMORY_KIND_RELATION: MemoryKind
MEMORY_KIND_EPISODE: MemoryKind
MEMORY_KIND_SUMMARY: MemoryKind
MEMORY_STATE_UNSPECIFIED: MemoryState
MEMORY_STATE_ACTIVE: MemoryState
MEMORY_STATE_SUPERSEDED: MemoryState
MEMORY_ORIGIN_UNSPECIFIED: MemoryOrigin
MEMORY_ORIGIN_CALLER: MemoryOrigin
MEMORY_ORIGIN_PROMOTION: MemoryOrigin
MEMORY_ORIGIN_EXTRACTION: MemoryOrigin
MEMORY_ORIGIN_TURN: MemoryOrigin
SOURCE_ERASURE_UNSPECIFIED: SourceErasure
SOURCE_ERASURE_FORGET: SourceErasure
SOURCE_ERASURE_MARK: SourceErasure
SOURCE_ERASURE_KEEP: SourceErasure
PROMOTION_SELECTION_UNSPECIFIED: PromotionSelection
PROMOTION_SELECTION_USER_STATEMENTS: PromotionSelection
PROMOTION_SELECTION_ANY_TEXT: PromotionSelection
EXTRACTION_TIME_UNSPECIFIED: ExtractionTime
EXTRACTION_TIME_TURN_END: ExtractionTime
EXTRACTION_TIME_TRIM: ExtractionTime
EXTRACTION_TARGET_UNSPECIFIED: ExtractionTarget
EXTRACTION_TARGET_FACTS: ExtractionTarget
EXTRACTION_TARGET_ENTITIES: ExtractionTarget
EXTRACTION_TARGET_RELATIONS: ExtractionTarget
DEDUPE_MODE_UNSPECIFIED: DedupeMode
DEDUPE_MODE_SAME_TEXT: DedupeMode
DEDUPE_MODE_SIMILAR: DedupeMode
DEDUPE_MODE_NONE: DedupeMode
CONFLICT_MODE_UNSPECIFIED: ConflictMode
CONFLICT_MODE_KEEP_BOTH: ConflictMode
CONFLICT_MODE_SUPERSEDE: ConflictMode
CONFLICT_MODE_MERGE: ConflictMode
CONFLICT_MODE_ASK_HOOK: ConflictMode
REMEMBER_OUTCOME_UNSPECIFIED: RememberOutcome
REMEMBER_OUTCOME_CREATED: RememberOutcome
REMEMBER_OUTCOME_REINFORCED: RememberOutcome
REMEMBER_OUTCOME_UNCHANGED: RememberOutcome
REMEMBER_OUTCOME_UPDATED: RememberOutcome
REMEMBER_OUTCOME_SUPERSEDED: RememberOutcome
REMEMBER_OUTCOME_DROPPED: RememberOutcome
MEMORY_ORDER_UNSPECIFIED: MemoryOrder
MEMORY_ORDER_CREATE_TIME_ASC: MemoryOrder
MEMORY_ORDER_CREATE_TIME_DESC: MemoryOrder
MEMORY_ORDER_IMPORTANCE_DESC: MemoryOrder
MEMORY_ORDER_CONFIDENCE_DESC: MemoryOrder
MEMORY_ORDER_LAST_SEEN_TIME_DESC: MemoryOrder

class Memory(_message.Message):
    __slots__ = ("memory_id", "kind", "user_id", "agent_id", "session_id", "text", "entity", "relation", "episode", "key", "category", "topics", "importance", "confidence", "trust", "persistent", "labels", "metadata", "valid_from_time", "valid_until_time", "ttl", "source", "state", "superseded_by_memory_id", "mention_count", "last_seen_time", "version", "writer", "reason", "create_time", "update_time", "expire_time", "etag", "contradicts_memory_ids")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    ENTITY_FIELD_NUMBER: _ClassVar[int]
    RELATION_FIELD_NUMBER: _ClassVar[int]
    EPISODE_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    TOPICS_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    PERSISTENT_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    VALID_FROM_TIME_FIELD_NUMBER: _ClassVar[int]
    VALID_UNTIL_TIME_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_BY_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    MENTION_COUNT_FIELD_NUMBER: _ClassVar[int]
    LAST_SEEN_TIME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    WRITER_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    CONTRADICTS_MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    memory_id: str
    kind: MemoryKind
    user_id: str
    agent_id: str
    session_id: str
    text: str
    entity: Entity
    relation: Relation
    episode: Episode
    key: str
    category: str
    topics: _containers.RepeatedScalarFieldContainer[str]
    importance: float
    confidence: float
    trust: _message_pb2.Trust
    persistent: bool
    labels: _containers.ScalarMap[str, str]
    metadata: _struct_pb2.Struct
    valid_from_time: _timestamp_pb2.Timestamp
    valid_until_time: _timestamp_pb2.Timestamp
    ttl: _duration_pb2.Duration
    source: MemorySource
    state: MemoryState
    superseded_by_memory_id: str
    mention_count: int
    last_seen_time: _timestamp_pb2.Timestamp
    version: int
    writer: str
    reason: str
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    expire_time: _timestamp_pb2.Timestamp
    etag: str
    contradicts_memory_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, memory_id: _Optional[str] = ..., kind: _Optional[_Union[MemoryKind, str]] = ..., user_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., session_id: _Optional[str] = ..., text: _Optional[str] = ..., entity: _Optional[_Union[Entity, _Mapping]] = ..., relation: _Optional[_Union[Relation, _Mapping]] = ..., episode: _Optional[_Union[Episode, _Mapping]] = ..., key: _Optional[str] = ..., category: _Optional[str] = ..., topics: _Optional[_Iterable[str]] = ..., importance: _Optional[float] = ..., confidence: _Optional[float] = ..., trust: _Optional[_Union[_message_pb2.Trust, str]] = ..., persistent: _Optional[bool] = ..., labels: _Optional[_Mapping[str, str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., valid_from_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., valid_until_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., source: _Optional[_Union[MemorySource, _Mapping]] = ..., state: _Optional[_Union[MemoryState, str]] = ..., superseded_by_memory_id: _Optional[str] = ..., mention_count: _Optional[int] = ..., last_seen_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., version: _Optional[int] = ..., writer: _Optional[str] = ..., reason: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., etag: _Optional[str] = ..., contradicts_memory_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class Entity(_message.Message):
    __slots__ = ("name", "type", "aliases", "attributes")
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
    name: str
    type: str
    aliases: _containers.RepeatedScalarFieldContainer[str]
    attributes: _containers.ScalarMap[str, str]
    def __init__(self, name: _Optional[str] = ..., type: _Optional[str] = ..., aliases: _Optional[_Iterable[str]] = ..., attributes: _Optional[_Mapping[str, str]] = ...) -> None: ...

class Relation(_message.Message):
    __slots__ = ("subject", "predicate", "object_value")
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    PREDICATE_FIELD_NUMBER: _ClassVar[int]
    OBJECT_VALUE_FIELD_NUMBER: _ClassVar[int]
    subject: str
    predicate: str
    object_value: str
    def __init__(self, subject: _Optional[str] = ..., predicate: _Optional[str] = ..., object_value: _Optional[str] = ...) -> None: ...

class Episode(_message.Message):
    __slots__ = ("user_text", "assistant_text")
    USER_TEXT_FIELD_NUMBER: _ClassVar[int]
    ASSISTANT_TEXT_FIELD_NUMBER: _ClassVar[int]
    user_text: str
    assistant_text: str
    def __init__(self, user_text: _Optional[str] = ..., assistant_text: _Optional[str] = ...) -> None: ...

class MemorySource(_message.Message):
    __slots__ = ("origin", "session_id", "message_ids", "hook", "model", "erase_time")
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    HOOK_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    ERASE_TIME_FIELD_NUMBER: _ClassVar[int]
    origin: MemoryOrigin
    session_id: str
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    hook: str
    model: str
    erase_time: _timestamp_pb2.Timestamp
    def __init__(self, origin: _Optional[_Union[MemoryOrigin, str]] = ..., session_id: _Optional[str] = ..., message_ids: _Optional[_Iterable[str]] = ..., hook: _Optional[str] = ..., model: _Optional[str] = ..., erase_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class MemoryPolicy(_message.Message):
    __slots__ = ("promotion", "episodes", "extraction", "long_term_limit", "entity_limit", "relation_limit", "agent_scope", "on_source_erased")
    PROMOTION_FIELD_NUMBER: _ClassVar[int]
    EPISODES_FIELD_NUMBER: _ClassVar[int]
    EXTRACTION_FIELD_NUMBER: _ClassVar[int]
    LONG_TERM_LIMIT_FIELD_NUMBER: _ClassVar[int]
    ENTITY_LIMIT_FIELD_NUMBER: _ClassVar[int]
    RELATION_LIMIT_FIELD_NUMBER: _ClassVar[int]
    AGENT_SCOPE_FIELD_NUMBER: _ClassVar[int]
    ON_SOURCE_ERASED_FIELD_NUMBER: _ClassVar[int]
    promotion: PromotionPolicy
    episodes: EpisodePolicy
    extraction: ExtractionPolicy
    long_term_limit: int
    entity_limit: int
    relation_limit: int
    agent_scope: bool
    on_source_erased: SourceErasure
    def __init__(self, promotion: _Optional[_Union[PromotionPolicy, _Mapping]] = ..., episodes: _Optional[_Union[EpisodePolicy, _Mapping]] = ..., extraction: _Optional[_Union[ExtractionPolicy, _Mapping]] = ..., long_term_limit: _Optional[int] = ..., entity_limit: _Optional[int] = ..., relation_limit: _Optional[int] = ..., agent_scope: _Optional[bool] = ..., on_source_erased: _Optional[_Union[SourceErasure, str]] = ...) -> None: ...

class PromotionPolicy(_message.Message):
    __slots__ = ("selection", "importance_threshold", "importance_rules", "score_hook", "marked_stages_only")
    SELECTION_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_RULES_FIELD_NUMBER: _ClassVar[int]
    SCORE_HOOK_FIELD_NUMBER: _ClassVar[int]
    MARKED_STAGES_ONLY_FIELD_NUMBER: _ClassVar[int]
    selection: PromotionSelection
    importance_threshold: float
    importance_rules: _containers.RepeatedCompositeFieldContainer[ImportanceRule]
    score_hook: str
    marked_stages_only: bool
    def __init__(self, selection: _Optional[_Union[PromotionSelection, str]] = ..., importance_threshold: _Optional[float] = ..., importance_rules: _Optional[_Iterable[_Union[ImportanceRule, _Mapping]]] = ..., score_hook: _Optional[str] = ..., marked_stages_only: _Optional[bool] = ...) -> None: ...

class EpisodePolicy(_message.Message):
    __slots__ = ("retention",)
    RETENTION_FIELD_NUMBER: _ClassVar[int]
    retention: _duration_pb2.Duration
    def __init__(self, retention: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

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
    __slots__ = ("hook", "on", "targets", "instructions", "keep_contradictions")
    HOOK_FIELD_NUMBER: _ClassVar[int]
    ON_FIELD_NUMBER: _ClassVar[int]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    KEEP_CONTRADICTIONS_FIELD_NUMBER: _ClassVar[int]
    hook: str
    on: ExtractionTime
    targets: _containers.RepeatedScalarFieldContainer[ExtractionTarget]
    instructions: str
    keep_contradictions: bool
    def __init__(self, hook: _Optional[str] = ..., on: _Optional[_Union[ExtractionTime, str]] = ..., targets: _Optional[_Iterable[_Union[ExtractionTarget, str]]] = ..., instructions: _Optional[str] = ..., keep_contradictions: _Optional[bool] = ...) -> None: ...

class MemoryScope(_message.Message):
    __slots__ = ("user_id", "agent_id", "session_id")
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    agent_id: str
    session_id: str
    def __init__(self, user_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class Everyone(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ScopeFilter(_message.Message):
    __slots__ = ("visible_to", "exact", "owned_by", "everyone")
    VISIBLE_TO_FIELD_NUMBER: _ClassVar[int]
    EXACT_FIELD_NUMBER: _ClassVar[int]
    OWNED_BY_FIELD_NUMBER: _ClassVar[int]
    EVERYONE_FIELD_NUMBER: _ClassVar[int]
    visible_to: MemoryScope
    exact: MemoryScope
    owned_by: MemoryScope
    everyone: Everyone
    def __init__(self, visible_to: _Optional[_Union[MemoryScope, _Mapping]] = ..., exact: _Optional[_Union[MemoryScope, _Mapping]] = ..., owned_by: _Optional[_Union[MemoryScope, _Mapping]] = ..., everyone: _Optional[_Union[Everyone, _Mapping]] = ...) -> None: ...

class MemoryFilter(_message.Message):
    __slots__ = ("scope", "kinds", "states", "categories", "topics", "key", "text_contains", "labels", "metadata", "min_importance", "min_confidence", "min_trust", "persistent", "valid_at_time", "create_time_from", "create_time_before", "last_seen_time_from", "last_seen_time_before", "source_session_id", "origin", "source_erased")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    SCOPE_FIELD_NUMBER: _ClassVar[int]
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
    VALID_AT_TIME_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FROM_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_BEFORE_FIELD_NUMBER: _ClassVar[int]
    LAST_SEEN_TIME_FROM_FIELD_NUMBER: _ClassVar[int]
    LAST_SEEN_TIME_BEFORE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    SOURCE_ERASED_FIELD_NUMBER: _ClassVar[int]
    scope: ScopeFilter
    kinds: _containers.RepeatedScalarFieldContainer[MemoryKind]
    states: _containers.RepeatedScalarFieldContainer[MemoryState]
    categories: _containers.RepeatedScalarFieldContainer[str]
    topics: _containers.RepeatedScalarFieldContainer[str]
    key: str
    text_contains: str
    labels: _containers.ScalarMap[str, str]
    metadata: _containers.RepeatedCompositeFieldContainer[_filter_pb2.MetadataCondition]
    min_importance: float
    min_confidence: float
    min_trust: _message_pb2.Trust
    persistent: bool
    valid_at_time: _timestamp_pb2.Timestamp
    create_time_from: _timestamp_pb2.Timestamp
    create_time_before: _timestamp_pb2.Timestamp
    last_seen_time_from: _timestamp_pb2.Timestamp
    last_seen_time_before: _timestamp_pb2.Timestamp
    source_session_id: str
    origin: MemoryOrigin
    source_erased: bool
    def __init__(self, scope: _Optional[_Union[ScopeFilter, _Mapping]] = ..., kinds: _Optional[_Iterable[_Union[MemoryKind, str]]] = ..., states: _Optional[_Iterable[_Union[MemoryState, str]]] = ..., categories: _Optional[_Iterable[str]] = ..., topics: _Optional[_Iterable[str]] = ..., key: _Optional[str] = ..., text_contains: _Optional[str] = ..., labels: _Optional[_Mapping[str, str]] = ..., metadata: _Optional[_Iterable[_Union[_filter_pb2.MetadataCondition, _Mapping]]] = ..., min_importance: _Optional[float] = ..., min_confidence: _Optional[float] = ..., min_trust: _Optional[_Union[_message_pb2.Trust, str]] = ..., persistent: _Optional[bool] = ..., valid_at_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., create_time_from: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., create_time_before: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last_seen_time_from: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last_seen_time_before: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., source_session_id: _Optional[str] = ..., origin: _Optional[_Union[MemoryOrigin, str]] = ..., source_erased: _Optional[bool] = ...) -> None: ...

class DedupeRule(_message.Message):
    __slots__ = ("mode", "threshold", "window", "keep_unchanged")
    MODE_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    KEEP_UNCHANGED_FIELD_NUMBER: _ClassVar[int]
    mode: DedupeMode
    threshold: float
    window: int
    keep_unchanged: bool
    def __init__(self, mode: _Optional[_Union[DedupeMode, str]] = ..., threshold: _Optional[float] = ..., window: _Optional[int] = ..., keep_unchanged: _Optional[bool] = ...) -> None: ...

class ConflictRule(_message.Message):
    __slots__ = ("mode", "hook", "single_object")
    MODE_FIELD_NUMBER: _ClassVar[int]
    HOOK_FIELD_NUMBER: _ClassVar[int]
    SINGLE_OBJECT_FIELD_NUMBER: _ClassVar[int]
    mode: ConflictMode
    hook: str
    single_object: bool
    def __init__(self, mode: _Optional[_Union[ConflictMode, str]] = ..., hook: _Optional[str] = ..., single_object: _Optional[bool] = ...) -> None: ...

class RememberedMemory(_message.Message):
    __slots__ = ("memory_id", "outcome", "etag", "superseded_memory_ids")
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    memory_id: str
    outcome: RememberOutcome
    etag: str
    superseded_memory_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, memory_id: _Optional[str] = ..., outcome: _Optional[_Union[RememberOutcome, str]] = ..., etag: _Optional[str] = ..., superseded_memory_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class FoundRelation(_message.Message):
    __slots__ = ("memory", "hop")
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    HOP_FIELD_NUMBER: _ClassVar[int]
    memory: Memory
    hop: int
    def __init__(self, memory: _Optional[_Union[Memory, _Mapping]] = ..., hop: _Optional[int] = ...) -> None: ...

class ImportanceScore(_message.Message):
    __slots__ = ("score", "rule", "message_id")
    SCORE_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    score: float
    rule: str
    message_id: str
    def __init__(self, score: _Optional[float] = ..., rule: _Optional[str] = ..., message_id: _Optional[str] = ...) -> None: ...
