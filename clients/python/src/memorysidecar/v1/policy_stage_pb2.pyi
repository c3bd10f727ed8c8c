import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from memorysidecar.v1 import policy_summary_pb2 as _policy_summary_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class StageOn(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STAGE_ON_UNSPECIFIED: _ClassVar[StageOn]
    STAGE_ON_APPEND: _ClassVar[StageOn]
    STAGE_ON_READ: _ClassVar[StageOn]
    STAGE_ON_TURN_END: _ClassVar[StageOn]
    STAGE_ON_REQUEST: _ClassVar[StageOn]

class StageEffect(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STAGE_EFFECT_UNSPECIFIED: _ClassVar[StageEffect]
    STAGE_EFFECT_STORE: _ClassVar[StageEffect]
    STAGE_EFFECT_VIEW: _ClassVar[StageEffect]

class RemovedTo(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REMOVED_TO_UNSPECIFIED: _ClassVar[RemovedTo]
    REMOVED_TO_LOG: _ClassVar[RemovedTo]
    REMOVED_TO_DISCARD: _ClassVar[RemovedTo]
    REMOVED_TO_SUMMARIZE: _ClassVar[RemovedTo]
    REMOVED_TO_PROMOTE: _ClassVar[RemovedTo]

class Unit(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    UNIT_UNSPECIFIED: _ClassVar[Unit]
    UNIT_MESSAGE: _ClassVar[Unit]
    UNIT_ASSISTANT_ROUND: _ClassVar[Unit]
    UNIT_INTERACTION: _ClassVar[Unit]

class FilterScope(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FILTER_SCOPE_UNSPECIFIED: _ClassVar[FilterScope]
    FILTER_SCOPE_UNIT: _ClassVar[FilterScope]
    FILTER_SCOPE_MESSAGE: _ClassVar[FilterScope]

class BoundaryRule(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BOUNDARY_RULE_UNSPECIFIED: _ClassVar[BoundaryRule]
    BOUNDARY_RULE_POP_TOOL_HEAD: _ClassVar[BoundaryRule]
    BOUNDARY_RULE_POP_ORPHAN_HEAD: _ClassVar[BoundaryRule]
    BOUNDARY_RULE_GROW_RECENT: _ClassVar[BoundaryRule]
    BOUNDARY_RULE_ABSORB_AND_GROW: _ClassVar[BoundaryRule]
STAGE_ON_UNSPECIFIED: StageOn
STAGE_ON_APPEND: StageOn
STAGE_ON_READ: StageOn
STAGE_ON_TURN_END: StageOn
STAGE_ON_REQUEST: StageOn
STAGE_EFFECT_UNSPECIFIED: StageEffect
STAGE_EFFECT_STORE: StageEffect
STAGE_EFFECT_VIEW: StageEffect
REMOVED_TO_UNSPECIFIED: RemovedTo
REMOVED_TO_LOG: RemovedTo
REMOVED_TO_DISCARD: RemovedTo
REMOVED_TO_SUMMARIZE: RemovedTo
REMOVED_TO_PROMOTE: RemovedTo
UNIT_UNSPECIFIED: Unit
UNIT_MESSAGE: Unit
UNIT_ASSISTANT_ROUND: Unit
UNIT_INTERACTION: Unit
FILTER_SCOPE_UNSPECIFIED: FilterScope
FILTER_SCOPE_UNIT: FilterScope
FILTER_SCOPE_MESSAGE: FilterScope
BOUNDARY_RULE_UNSPECIFIED: BoundaryRule
BOUNDARY_RULE_POP_TOOL_HEAD: BoundaryRule
BOUNDARY_RULE_POP_ORPHAN_HEAD: BoundaryRule
BOUNDARY_RULE_GROW_RECENT: BoundaryRule
BOUNDARY_RULE_ABSORB_AND_GROW: BoundaryRule

class PolicyStage(_message.Message):
    __slots__ = ("name", "on", "any_of", "unit", "drop_oldest", "keep_last", "pack_newest", "pin_middle_recent", "filter", "shorten", "drop_duplicates", "boundary_only", "count_if", "boundary", "effect", "removed_to", "summarize", "keep_rounds", "count_whole")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ON_FIELD_NUMBER: _ClassVar[int]
    ANY_OF_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    DROP_OLDEST_FIELD_NUMBER: _ClassVar[int]
    KEEP_LAST_FIELD_NUMBER: _ClassVar[int]
    PACK_NEWEST_FIELD_NUMBER: _ClassVar[int]
    PIN_MIDDLE_RECENT_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    SHORTEN_FIELD_NUMBER: _ClassVar[int]
    DROP_DUPLICATES_FIELD_NUMBER: _ClassVar[int]
    BOUNDARY_ONLY_FIELD_NUMBER: _ClassVar[int]
    COUNT_IF_FIELD_NUMBER: _ClassVar[int]
    BOUNDARY_FIELD_NUMBER: _ClassVar[int]
    EFFECT_FIELD_NUMBER: _ClassVar[int]
    REMOVED_TO_FIELD_NUMBER: _ClassVar[int]
    SUMMARIZE_FIELD_NUMBER: _ClassVar[int]
    KEEP_ROUNDS_FIELD_NUMBER: _ClassVar[int]
    COUNT_WHOLE_FIELD_NUMBER: _ClassVar[int]
    name: str
    on: StageOn
    any_of: _containers.RepeatedCompositeFieldContainer[Trigger]
    unit: Unit
    drop_oldest: DropOldest
    keep_last: KeepLast
    pack_newest: PackNewest
    pin_middle_recent: PinMiddleRecent
    filter: Filter
    shorten: Shorten
    drop_duplicates: DropDuplicates
    boundary_only: BoundaryOnly
    count_if: _containers.RepeatedScalarFieldContainer[str]
    boundary: Boundary
    effect: StageEffect
    removed_to: RemovedTo
    summarize: _policy_summary_pb2.Summarize
    keep_rounds: int
    count_whole: bool
    def __init__(self, name: _Optional[str] = ..., on: _Optional[_Union[StageOn, str]] = ..., any_of: _Optional[_Iterable[_Union[Trigger, _Mapping]]] = ..., unit: _Optional[_Union[Unit, str]] = ..., drop_oldest: _Optional[_Union[DropOldest, _Mapping]] = ..., keep_last: _Optional[_Union[KeepLast, _Mapping]] = ..., pack_newest: _Optional[_Union[PackNewest, _Mapping]] = ..., pin_middle_recent: _Optional[_Union[PinMiddleRecent, _Mapping]] = ..., filter: _Optional[_Union[Filter, _Mapping]] = ..., shorten: _Optional[_Union[Shorten, _Mapping]] = ..., drop_duplicates: _Optional[_Union[DropDuplicates, _Mapping]] = ..., boundary_only: _Optional[_Union[BoundaryOnly, _Mapping]] = ..., count_if: _Optional[_Iterable[str]] = ..., boundary: _Optional[_Union[Boundary, _Mapping]] = ..., effect: _Optional[_Union[StageEffect, str]] = ..., removed_to: _Optional[_Union[RemovedTo, str]] = ..., summarize: _Optional[_Union[_policy_summary_pb2.Summarize, _Mapping]] = ..., keep_rounds: _Optional[int] = ..., count_whole: _Optional[bool] = ...) -> None: ...

class Trigger(_message.Message):
    __slots__ = ("message_count_over", "token_count_over", "context_share_at_least", "model_input_tokens_over", "interaction_count_over", "interaction_tokens_over", "new_messages_at_least", "new_tokens_at_least", "tool_success", "tool_error", "age_over", "always")
    MESSAGE_COUNT_OVER_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_OVER_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_SHARE_AT_LEAST_FIELD_NUMBER: _ClassVar[int]
    MODEL_INPUT_TOKENS_OVER_FIELD_NUMBER: _ClassVar[int]
    INTERACTION_COUNT_OVER_FIELD_NUMBER: _ClassVar[int]
    INTERACTION_TOKENS_OVER_FIELD_NUMBER: _ClassVar[int]
    NEW_MESSAGES_AT_LEAST_FIELD_NUMBER: _ClassVar[int]
    NEW_TOKENS_AT_LEAST_FIELD_NUMBER: _ClassVar[int]
    TOOL_SUCCESS_FIELD_NUMBER: _ClassVar[int]
    TOOL_ERROR_FIELD_NUMBER: _ClassVar[int]
    AGE_OVER_FIELD_NUMBER: _ClassVar[int]
    ALWAYS_FIELD_NUMBER: _ClassVar[int]
    message_count_over: int
    token_count_over: int
    context_share_at_least: float
    model_input_tokens_over: int
    interaction_count_over: int
    interaction_tokens_over: int
    new_messages_at_least: int
    new_tokens_at_least: int
    tool_success: ToolNames
    tool_error: ToolNames
    age_over: _duration_pb2.Duration
    always: bool
    def __init__(self, message_count_over: _Optional[int] = ..., token_count_over: _Optional[int] = ..., context_share_at_least: _Optional[float] = ..., model_input_tokens_over: _Optional[int] = ..., interaction_count_over: _Optional[int] = ..., interaction_tokens_over: _Optional[int] = ..., new_messages_at_least: _Optional[int] = ..., new_tokens_at_least: _Optional[int] = ..., tool_success: _Optional[_Union[ToolNames, _Mapping]] = ..., tool_error: _Optional[_Union[ToolNames, _Mapping]] = ..., age_over: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., always: _Optional[bool] = ...) -> None: ...

class ToolNames(_message.Message):
    __slots__ = ("names",)
    NAMES_FIELD_NUMBER: _ClassVar[int]
    names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, names: _Optional[_Iterable[str]] = ...) -> None: ...

class DropOldest(_message.Message):
    __slots__ = ("max_messages", "max_tokens", "max_age", "stop_at_protected", "stop_at_free")
    MAX_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    MAX_AGE_FIELD_NUMBER: _ClassVar[int]
    STOP_AT_PROTECTED_FIELD_NUMBER: _ClassVar[int]
    STOP_AT_FREE_FIELD_NUMBER: _ClassVar[int]
    max_messages: int
    max_tokens: int
    max_age: _duration_pb2.Duration
    stop_at_protected: bool
    stop_at_free: bool
    def __init__(self, max_messages: _Optional[int] = ..., max_tokens: _Optional[int] = ..., max_age: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., stop_at_protected: _Optional[bool] = ..., stop_at_free: _Optional[bool] = ...) -> None: ...

class KeepLast(_message.Message):
    __slots__ = ("unit_count",)
    UNIT_COUNT_FIELD_NUMBER: _ClassVar[int]
    unit_count: int
    def __init__(self, unit_count: _Optional[int] = ...) -> None: ...

class PackNewest(_message.Message):
    __slots__ = ("max_tokens", "headroom", "skip_unfit")
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    HEADROOM_FIELD_NUMBER: _ClassVar[int]
    SKIP_UNFIT_FIELD_NUMBER: _ClassVar[int]
    max_tokens: int
    headroom: float
    skip_unfit: bool
    def __init__(self, max_tokens: _Optional[int] = ..., headroom: _Optional[float] = ..., skip_unfit: _Optional[bool] = ...) -> None: ...

class PinMiddleRecent(_message.Message):
    __slots__ = ("pin_first", "keep_recent", "min_removed")
    PIN_FIRST_FIELD_NUMBER: _ClassVar[int]
    KEEP_RECENT_FIELD_NUMBER: _ClassVar[int]
    MIN_REMOVED_FIELD_NUMBER: _ClassVar[int]
    pin_first: int
    keep_recent: int
    min_removed: int
    def __init__(self, pin_first: _Optional[int] = ..., keep_recent: _Optional[int] = ..., min_removed: _Optional[int] = ...) -> None: ...

class Filter(_message.Message):
    __slots__ = ("conditions", "scope")
    CONDITIONS_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    conditions: _containers.RepeatedScalarFieldContainer[str]
    scope: FilterScope
    def __init__(self, conditions: _Optional[_Iterable[str]] = ..., scope: _Optional[_Union[FilterScope, str]] = ...) -> None: ...

class Shorten(_message.Message):
    __slots__ = ("max_tokens", "all_roles", "keep_newest", "keep_chars", "marker", "min_saved_tokens")
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    ALL_ROLES_FIELD_NUMBER: _ClassVar[int]
    KEEP_NEWEST_FIELD_NUMBER: _ClassVar[int]
    KEEP_CHARS_FIELD_NUMBER: _ClassVar[int]
    MARKER_FIELD_NUMBER: _ClassVar[int]
    MIN_SAVED_TOKENS_FIELD_NUMBER: _ClassVar[int]
    max_tokens: int
    all_roles: bool
    keep_newest: int
    keep_chars: int
    marker: str
    min_saved_tokens: int
    def __init__(self, max_tokens: _Optional[int] = ..., all_roles: _Optional[bool] = ..., keep_newest: _Optional[int] = ..., keep_chars: _Optional[int] = ..., marker: _Optional[str] = ..., min_saved_tokens: _Optional[int] = ...) -> None: ...

class DropDuplicates(_message.Message):
    __slots__ = ("similarity", "lookahead")
    SIMILARITY_FIELD_NUMBER: _ClassVar[int]
    LOOKAHEAD_FIELD_NUMBER: _ClassVar[int]
    similarity: float
    lookahead: int
    def __init__(self, similarity: _Optional[float] = ..., lookahead: _Optional[int] = ...) -> None: ...

class BoundaryOnly(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Boundary(_message.Message):
    __slots__ = ("rule", "always")
    RULE_FIELD_NUMBER: _ClassVar[int]
    ALWAYS_FIELD_NUMBER: _ClassVar[int]
    rule: BoundaryRule
    always: bool
    def __init__(self, rule: _Optional[_Union[BoundaryRule, str]] = ..., always: _Optional[bool] = ...) -> None: ...
