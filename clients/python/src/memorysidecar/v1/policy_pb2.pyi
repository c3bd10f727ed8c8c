import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from memorysidecar.v1 import rules_pb2 as _rules_pb2
from memorysidecar.v1 import window_pb2 as _window_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SystemProtection(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SYSTEM_PROTECTION_UNSPECIFIED: _ClassVar[SystemProtection]
    SYSTEM_PROTECTION_NONE: _ClassVar[SystemProtection]
    SYSTEM_PROTECTION_ALL: _ClassVar[SystemProtection]
    SYSTEM_PROTECTION_LEADING: _ClassVar[SystemProtection]
    SYSTEM_PROTECTION_EXCLUDED: _ClassVar[SystemProtection]

class ToolPairing(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOOL_PAIRING_UNSPECIFIED: _ClassVar[ToolPairing]
    TOOL_PAIRING_WHOLE: _ClassVar[ToolPairing]
    TOOL_PAIRING_GROUPED: _ClassVar[ToolPairing]
    TOOL_PAIRING_LOOSE: _ClassVar[ToolPairing]
    TOOL_PAIRING_ADJACENT: _ClassVar[ToolPairing]

class ToolResultFillRule(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOOL_RESULT_FILL_RULE_UNSPECIFIED: _ClassVar[ToolResultFillRule]
    TOOL_RESULT_FILL_RULE_MOVED_ON: _ClassVar[ToolResultFillRule]
    TOOL_RESULT_FILL_RULE_ALWAYS: _ClassVar[ToolResultFillRule]

class TokenRounding(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOKEN_ROUNDING_UNSPECIFIED: _ClassVar[TokenRounding]
    TOKEN_ROUNDING_UP: _ClassVar[TokenRounding]
    TOKEN_ROUNDING_DOWN: _ClassVar[TokenRounding]

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

class WindowUnit(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WINDOW_UNIT_UNSPECIFIED: _ClassVar[WindowUnit]
    WINDOW_UNIT_MESSAGE: _ClassVar[WindowUnit]
    WINDOW_UNIT_ASSISTANT_TURN: _ClassVar[WindowUnit]
    WINDOW_UNIT_TURN: _ClassVar[WindowUnit]

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

class SummaryKeep(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUMMARY_KEEP_UNSPECIFIED: _ClassVar[SummaryKeep]
    SUMMARY_KEEP_IN_PLACE: _ClassVar[SummaryKeep]
    SUMMARY_KEEP_APPEND: _ClassVar[SummaryKeep]
    SUMMARY_KEEP_REPLACE: _ClassVar[SummaryKeep]
    SUMMARY_KEEP_HIERARCHICAL: _ClassVar[SummaryKeep]

class SummaryFlow(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUMMARY_FLOW_UNSPECIFIED: _ClassVar[SummaryFlow]
    SUMMARY_FLOW_SINGLE: _ClassVar[SummaryFlow]
    SUMMARY_FLOW_DENSITY: _ClassVar[SummaryFlow]

class SummaryLeave(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUMMARY_LEAVE_UNSPECIFIED: _ClassVar[SummaryLeave]
    SUMMARY_LEAVE_WITH_SUMMARY: _ClassVar[SummaryLeave]
    SUMMARY_LEAVE_AT_ONCE: _ClassVar[SummaryLeave]

class SummaryFailure(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUMMARY_FAILURE_UNSPECIFIED: _ClassVar[SummaryFailure]
    SUMMARY_FAILURE_KEEP: _ClassVar[SummaryFailure]
    SUMMARY_FAILURE_DROP: _ClassVar[SummaryFailure]
    SUMMARY_FAILURE_PLACEHOLDER: _ClassVar[SummaryFailure]

class TranscriptStyle(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TRANSCRIPT_STYLE_UNSPECIFIED: _ClassVar[TranscriptStyle]
    TRANSCRIPT_STYLE_ROLES: _ClassVar[TranscriptStyle]
    TRANSCRIPT_STYLE_CAPITALS: _ClassVar[TranscriptStyle]
    TRANSCRIPT_STYLE_PARAGRAPHS: _ClassVar[TranscriptStyle]

class SummaryShape(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUMMARY_SHAPE_UNSPECIFIED: _ClassVar[SummaryShape]
    SUMMARY_SHAPE_SYSTEM: _ClassVar[SummaryShape]
    SUMMARY_SHAPE_EXCHANGE: _ClassVar[SummaryShape]

class SummaryShow(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUMMARY_SHOW_UNSPECIFIED: _ClassVar[SummaryShow]
    SUMMARY_SHOW_SYSTEM_FIRST: _ClassVar[SummaryShow]
    SUMMARY_SHOW_SYSTEM_SUFFIX: _ClassVar[SummaryShow]
    SUMMARY_SHOW_NONE: _ClassVar[SummaryShow]
    SUMMARY_SHOW_AFTER_SYSTEM: _ClassVar[SummaryShow]

class TokenRule(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOKEN_RULE_UNSPECIFIED: _ClassVar[TokenRule]
    TOKEN_RULE_BYTES_DIV_4: _ClassVar[TokenRule]
    TOKEN_RULE_CHARS_DIV_4: _ClassVar[TokenRule]
    TOKEN_RULE_O200K: _ClassVar[TokenRule]
    TOKEN_RULE_CL100K: _ClassVar[TokenRule]
    TOKEN_RULE_GIVEN: _ClassVar[TokenRule]
    TOKEN_RULE_MODEL: _ClassVar[TokenRule]
    TOKEN_RULE_CUSTOM: _ClassVar[TokenRule]
    TOKEN_RULE_WORDS: _ClassVar[TokenRule]
    TOKEN_RULE_PRESET: _ClassVar[TokenRule]

class PreviewSource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PREVIEW_SOURCE_UNSPECIFIED: _ClassVar[PreviewSource]
    PREVIEW_SOURCE_WINDOW: _ClassVar[PreviewSource]
    PREVIEW_SOURCE_LOG: _ClassVar[PreviewSource]

class Verdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VERDICT_UNSPECIFIED: _ClassVar[Verdict]
    VERDICT_KEPT: _ClassVar[Verdict]
    VERDICT_REMOVED: _ClassVar[Verdict]
    VERDICT_SHORTENED: _ClassVar[Verdict]
    VERDICT_AWAITS_SUMMARY: _ClassVar[Verdict]
SYSTEM_PROTECTION_UNSPECIFIED: SystemProtection
SYSTEM_PROTECTION_NONE: SystemProtection
SYSTEM_PROTECTION_ALL: SystemProtection
SYSTEM_PROTECTION_LEADING: SystemProtection
SYSTEM_PROTECTION_EXCLUDED: SystemProtection
TOOL_PAIRING_UNSPECIFIED: ToolPairing
TOOL_PAIRING_WHOLE: ToolPairing
TOOL_PAIRING_GROUPED: ToolPairing
TOOL_PAIRING_LOOSE: ToolPairing
TOOL_PAIRING_ADJACENT: ToolPairing
TOOL_RESULT_FILL_RULE_UNSPECIFIED: ToolResultFillRule
TOOL_RESULT_FILL_RULE_MOVED_ON: ToolResultFillRule
TOOL_RESULT_FILL_RULE_ALWAYS: ToolResultFillRule
TOKEN_ROUNDING_UNSPECIFIED: TokenRounding
TOKEN_ROUNDING_UP: TokenRounding
TOKEN_ROUNDING_DOWN: TokenRounding
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
WINDOW_UNIT_UNSPECIFIED: WindowUnit
WINDOW_UNIT_MESSAGE: WindowUnit
WINDOW_UNIT_ASSISTANT_TURN: WindowUnit
WINDOW_UNIT_TURN: WindowUnit
FILTER_SCOPE_UNSPECIFIED: FilterScope
FILTER_SCOPE_UNIT: FilterScope
FILTER_SCOPE_MESSAGE: FilterScope
BOUNDARY_RULE_UNSPECIFIED: BoundaryRule
BOUNDARY_RULE_POP_TOOL_HEAD: BoundaryRule
BOUNDARY_RULE_POP_ORPHAN_HEAD: BoundaryRule
BOUNDARY_RULE_GROW_RECENT: BoundaryRule
BOUNDARY_RULE_ABSORB_AND_GROW: BoundaryRule
SUMMARY_KEEP_UNSPECIFIED: SummaryKeep
SUMMARY_KEEP_IN_PLACE: SummaryKeep
SUMMARY_KEEP_APPEND: SummaryKeep
SUMMARY_KEEP_REPLACE: SummaryKeep
SUMMARY_KEEP_HIERARCHICAL: SummaryKeep
SUMMARY_FLOW_UNSPECIFIED: SummaryFlow
SUMMARY_FLOW_SINGLE: SummaryFlow
SUMMARY_FLOW_DENSITY: SummaryFlow
SUMMARY_LEAVE_UNSPECIFIED: SummaryLeave
SUMMARY_LEAVE_WITH_SUMMARY: SummaryLeave
SUMMARY_LEAVE_AT_ONCE: SummaryLeave
SUMMARY_FAILURE_UNSPECIFIED: SummaryFailure
SUMMARY_FAILURE_KEEP: SummaryFailure
SUMMARY_FAILURE_DROP: SummaryFailure
SUMMARY_FAILURE_PLACEHOLDER: SummaryFailure
TRANSCRIPT_STYLE_UNSPECIFIED: TranscriptStyle
TRANSCRIPT_STYLE_ROLES: TranscriptStyle
TRANSCRIPT_STYLE_CAPITALS: TranscriptStyle
TRANSCRIPT_STYLE_PARAGRAPHS: TranscriptStyle
SUMMARY_SHAPE_UNSPECIFIED: SummaryShape
SUMMARY_SHAPE_SYSTEM: SummaryShape
SUMMARY_SHAPE_EXCHANGE: SummaryShape
SUMMARY_SHOW_UNSPECIFIED: SummaryShow
SUMMARY_SHOW_SYSTEM_FIRST: SummaryShow
SUMMARY_SHOW_SYSTEM_SUFFIX: SummaryShow
SUMMARY_SHOW_NONE: SummaryShow
SUMMARY_SHOW_AFTER_SYSTEM: SummaryShow
TOKEN_RULE_UNSPECIFIED: TokenRule
TOKEN_RULE_BYTES_DIV_4: TokenRule
TOKEN_RULE_CHARS_DIV_4: TokenRule
TOKEN_RULE_O200K: TokenRule
TOKEN_RULE_CL100K: TokenRule
TOKEN_RULE_GIVEN: TokenRule
TOKEN_RULE_MODEL: TokenRule
TOKEN_RULE_CUSTOM: TokenRule
TOKEN_RULE_WORDS: TokenRule
TOKEN_RULE_PRESET: TokenRule
PREVIEW_SOURCE_UNSPECIFIED: PreviewSource
PREVIEW_SOURCE_WINDOW: PreviewSource
PREVIEW_SOURCE_LOG: PreviewSource
VERDICT_UNSPECIFIED: Verdict
VERDICT_KEPT: Verdict
VERDICT_REMOVED: Verdict
VERDICT_SHORTENED: Verdict
VERDICT_AWAITS_SUMMARY: Verdict

class Policy(_message.Message):
    __slots__ = ("token_rule", "image_token_count", "protections", "stages", "name", "model", "context_window", "custom_token_rule", "token_preset", "tool_pairing", "tool_result_fill", "summary_view", "count_stored_only")
    TOKEN_RULE_FIELD_NUMBER: _ClassVar[int]
    IMAGE_TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    PROTECTIONS_FIELD_NUMBER: _ClassVar[int]
    STAGES_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_WINDOW_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_TOKEN_RULE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_PRESET_FIELD_NUMBER: _ClassVar[int]
    TOOL_PAIRING_FIELD_NUMBER: _ClassVar[int]
    TOOL_RESULT_FILL_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_VIEW_FIELD_NUMBER: _ClassVar[int]
    COUNT_STORED_ONLY_FIELD_NUMBER: _ClassVar[int]
    token_rule: TokenRule
    image_token_count: int
    protections: Protections
    stages: _containers.RepeatedCompositeFieldContainer[PolicyStage]
    name: str
    model: str
    context_window: int
    custom_token_rule: CustomTokenRule
    token_preset: str
    tool_pairing: ToolPairing
    tool_result_fill: ToolResultFill
    summary_view: SummaryView
    count_stored_only: bool
    def __init__(self, token_rule: _Optional[_Union[TokenRule, str]] = ..., image_token_count: _Optional[int] = ..., protections: _Optional[_Union[Protections, _Mapping]] = ..., stages: _Optional[_Iterable[_Union[PolicyStage, _Mapping]]] = ..., name: _Optional[str] = ..., model: _Optional[str] = ..., context_window: _Optional[int] = ..., custom_token_rule: _Optional[_Union[CustomTokenRule, _Mapping]] = ..., token_preset: _Optional[str] = ..., tool_pairing: _Optional[_Union[ToolPairing, str]] = ..., tool_result_fill: _Optional[_Union[ToolResultFill, _Mapping]] = ..., summary_view: _Optional[_Union[SummaryView, _Mapping]] = ..., count_stored_only: _Optional[bool] = ...) -> None: ...

class PolicyChoice(_message.Message):
    __slots__ = ("policy", "preset")
    POLICY_FIELD_NUMBER: _ClassVar[int]
    PRESET_FIELD_NUMBER: _ClassVar[int]
    policy: Policy
    preset: Preset
    def __init__(self, policy: _Optional[_Union[Policy, _Mapping]] = ..., preset: _Optional[_Union[Preset, _Mapping]] = ...) -> None: ...

class Preset(_message.Message):
    __slots__ = ("name", "options")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    name: str
    options: _struct_pb2.Struct
    def __init__(self, name: _Optional[str] = ..., options: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class Protections(_message.Message):
    __slots__ = ("system", "pin_first", "min_messages", "release_last_user", "pin_message_ids")
    SYSTEM_FIELD_NUMBER: _ClassVar[int]
    PIN_FIRST_FIELD_NUMBER: _ClassVar[int]
    MIN_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    RELEASE_LAST_USER_FIELD_NUMBER: _ClassVar[int]
    PIN_MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    system: SystemProtection
    pin_first: int
    min_messages: int
    release_last_user: bool
    pin_message_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, system: _Optional[_Union[SystemProtection, str]] = ..., pin_first: _Optional[int] = ..., min_messages: _Optional[int] = ..., release_last_user: _Optional[bool] = ..., pin_message_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ToolResultFill(_message.Message):
    __slots__ = ("rule", "newest_only", "text")
    RULE_FIELD_NUMBER: _ClassVar[int]
    NEWEST_ONLY_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    rule: ToolResultFillRule
    newest_only: bool
    text: str
    def __init__(self, rule: _Optional[_Union[ToolResultFillRule, str]] = ..., newest_only: _Optional[bool] = ..., text: _Optional[str] = ...) -> None: ...

class CustomTokenRule(_message.Message):
    __slots__ = ("chars_per_token", "rounding", "per_message", "per_call", "min", "content_only")
    CHARS_PER_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ROUNDING_FIELD_NUMBER: _ClassVar[int]
    PER_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    PER_CALL_FIELD_NUMBER: _ClassVar[int]
    MIN_FIELD_NUMBER: _ClassVar[int]
    CONTENT_ONLY_FIELD_NUMBER: _ClassVar[int]
    chars_per_token: float
    rounding: TokenRounding
    per_message: int
    per_call: int
    min: int
    content_only: bool
    def __init__(self, chars_per_token: _Optional[float] = ..., rounding: _Optional[_Union[TokenRounding, str]] = ..., per_message: _Optional[int] = ..., per_call: _Optional[int] = ..., min: _Optional[int] = ..., content_only: _Optional[bool] = ...) -> None: ...

class PolicyStage(_message.Message):
    __slots__ = ("name", "on", "any_of", "unit", "drop_oldest", "keep_last", "pack_newest", "pin_middle_recent", "filter", "shorten", "drop_duplicates", "boundary_only", "count_if", "boundary", "effect", "removed_to", "summarize", "keep_assistant_turns", "count_whole")
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
    KEEP_ASSISTANT_TURNS_FIELD_NUMBER: _ClassVar[int]
    COUNT_WHOLE_FIELD_NUMBER: _ClassVar[int]
    name: str
    on: StageOn
    any_of: _containers.RepeatedCompositeFieldContainer[Trigger]
    unit: WindowUnit
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
    summarize: Summarize
    keep_assistant_turns: int
    count_whole: bool
    def __init__(self, name: _Optional[str] = ..., on: _Optional[_Union[StageOn, str]] = ..., any_of: _Optional[_Iterable[_Union[Trigger, _Mapping]]] = ..., unit: _Optional[_Union[WindowUnit, str]] = ..., drop_oldest: _Optional[_Union[DropOldest, _Mapping]] = ..., keep_last: _Optional[_Union[KeepLast, _Mapping]] = ..., pack_newest: _Optional[_Union[PackNewest, _Mapping]] = ..., pin_middle_recent: _Optional[_Union[PinMiddleRecent, _Mapping]] = ..., filter: _Optional[_Union[Filter, _Mapping]] = ..., shorten: _Optional[_Union[Shorten, _Mapping]] = ..., drop_duplicates: _Optional[_Union[DropDuplicates, _Mapping]] = ..., boundary_only: _Optional[_Union[BoundaryOnly, _Mapping]] = ..., count_if: _Optional[_Iterable[str]] = ..., boundary: _Optional[_Union[Boundary, _Mapping]] = ..., effect: _Optional[_Union[StageEffect, str]] = ..., removed_to: _Optional[_Union[RemovedTo, str]] = ..., summarize: _Optional[_Union[Summarize, _Mapping]] = ..., keep_assistant_turns: _Optional[int] = ..., count_whole: _Optional[bool] = ...) -> None: ...

class Trigger(_message.Message):
    __slots__ = ("message_count_over", "token_count_over", "context_share_at_least", "model_input_tokens_over", "turn_count_over", "turn_tokens_over", "new_messages_at_least", "new_tokens_at_least", "tool_success", "tool_error", "age_over", "always")
    MESSAGE_COUNT_OVER_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_OVER_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_SHARE_AT_LEAST_FIELD_NUMBER: _ClassVar[int]
    MODEL_INPUT_TOKENS_OVER_FIELD_NUMBER: _ClassVar[int]
    TURN_COUNT_OVER_FIELD_NUMBER: _ClassVar[int]
    TURN_TOKENS_OVER_FIELD_NUMBER: _ClassVar[int]
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
    turn_count_over: int
    turn_tokens_over: int
    new_messages_at_least: int
    new_tokens_at_least: int
    tool_success: ToolNames
    tool_error: ToolNames
    age_over: _duration_pb2.Duration
    always: Always
    def __init__(self, message_count_over: _Optional[int] = ..., token_count_over: _Optional[int] = ..., context_share_at_least: _Optional[float] = ..., model_input_tokens_over: _Optional[int] = ..., turn_count_over: _Optional[int] = ..., turn_tokens_over: _Optional[int] = ..., new_messages_at_least: _Optional[int] = ..., new_tokens_at_least: _Optional[int] = ..., tool_success: _Optional[_Union[ToolNames, _Mapping]] = ..., tool_error: _Optional[_Union[ToolNames, _Mapping]] = ..., age_over: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., always: _Optional[_Union[Always, _Mapping]] = ...) -> None: ...

class Always(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ToolNames(_message.Message):
    __slots__ = ("names",)
    NAMES_FIELD_NUMBER: _ClassVar[int]
    names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, names: _Optional[_Iterable[str]] = ...) -> None: ...

class DropOldest(_message.Message):
    __slots__ = ("max_messages", "max_tokens", "max_age", "stop_at_protected", "stop_at_zero_tokens")
    MAX_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    MAX_AGE_FIELD_NUMBER: _ClassVar[int]
    STOP_AT_PROTECTED_FIELD_NUMBER: _ClassVar[int]
    STOP_AT_ZERO_TOKENS_FIELD_NUMBER: _ClassVar[int]
    max_messages: int
    max_tokens: int
    max_age: _duration_pb2.Duration
    stop_at_protected: bool
    stop_at_zero_tokens: bool
    def __init__(self, max_messages: _Optional[int] = ..., max_tokens: _Optional[int] = ..., max_age: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., stop_at_protected: _Optional[bool] = ..., stop_at_zero_tokens: _Optional[bool] = ...) -> None: ...

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

class Summarize(_message.Message):
    __slots__ = ("hook", "max_tokens", "instructions", "keep", "flow", "max_loops", "leave", "on_failure", "placeholder", "separator", "last_chars", "prefix", "transcript", "fan_in", "shape", "collection_id", "last_chars_exact")
    HOOK_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    KEEP_FIELD_NUMBER: _ClassVar[int]
    FLOW_FIELD_NUMBER: _ClassVar[int]
    MAX_LOOPS_FIELD_NUMBER: _ClassVar[int]
    LEAVE_FIELD_NUMBER: _ClassVar[int]
    ON_FAILURE_FIELD_NUMBER: _ClassVar[int]
    PLACEHOLDER_FIELD_NUMBER: _ClassVar[int]
    SEPARATOR_FIELD_NUMBER: _ClassVar[int]
    LAST_CHARS_FIELD_NUMBER: _ClassVar[int]
    PREFIX_FIELD_NUMBER: _ClassVar[int]
    TRANSCRIPT_FIELD_NUMBER: _ClassVar[int]
    FAN_IN_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    LAST_CHARS_EXACT_FIELD_NUMBER: _ClassVar[int]
    hook: str
    max_tokens: int
    instructions: str
    keep: SummaryKeep
    flow: SummaryFlow
    max_loops: int
    leave: SummaryLeave
    on_failure: SummaryFailure
    placeholder: str
    separator: str
    last_chars: int
    prefix: str
    transcript: TranscriptStyle
    fan_in: int
    shape: SummaryShape
    collection_id: str
    last_chars_exact: bool
    def __init__(self, hook: _Optional[str] = ..., max_tokens: _Optional[int] = ..., instructions: _Optional[str] = ..., keep: _Optional[_Union[SummaryKeep, str]] = ..., flow: _Optional[_Union[SummaryFlow, str]] = ..., max_loops: _Optional[int] = ..., leave: _Optional[_Union[SummaryLeave, str]] = ..., on_failure: _Optional[_Union[SummaryFailure, str]] = ..., placeholder: _Optional[str] = ..., separator: _Optional[str] = ..., last_chars: _Optional[int] = ..., prefix: _Optional[str] = ..., transcript: _Optional[_Union[TranscriptStyle, str]] = ..., fan_in: _Optional[int] = ..., shape: _Optional[_Union[SummaryShape, str]] = ..., collection_id: _Optional[str] = ..., last_chars_exact: _Optional[bool] = ...) -> None: ...

class SummaryView(_message.Message):
    __slots__ = ("show", "prefix", "max_tokens")
    SHOW_FIELD_NUMBER: _ClassVar[int]
    PREFIX_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    show: SummaryShow
    prefix: str
    max_tokens: int
    def __init__(self, show: _Optional[_Union[SummaryShow, str]] = ..., prefix: _Optional[str] = ..., max_tokens: _Optional[int] = ...) -> None: ...

class PolicyPreview(_message.Message):
    __slots__ = ("policy", "before_totals", "after_totals", "trims", "stage_runs", "warnings", "over_limit", "messages", "truncated")
    POLICY_FIELD_NUMBER: _ClassVar[int]
    BEFORE_TOTALS_FIELD_NUMBER: _ClassVar[int]
    AFTER_TOTALS_FIELD_NUMBER: _ClassVar[int]
    TRIMS_FIELD_NUMBER: _ClassVar[int]
    STAGE_RUNS_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    OVER_LIMIT_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    policy: Policy
    before_totals: _window_pb2.Totals
    after_totals: _window_pb2.Totals
    trims: _containers.RepeatedCompositeFieldContainer[_window_pb2.Trim]
    stage_runs: _containers.RepeatedCompositeFieldContainer[_window_pb2.StageRun]
    warnings: _containers.RepeatedCompositeFieldContainer[_window_pb2.PolicyWarning]
    over_limit: bool
    messages: _containers.RepeatedCompositeFieldContainer[MessagePreview]
    truncated: bool
    def __init__(self, policy: _Optional[_Union[Policy, _Mapping]] = ..., before_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., after_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., trims: _Optional[_Iterable[_Union[_window_pb2.Trim, _Mapping]]] = ..., stage_runs: _Optional[_Iterable[_Union[_window_pb2.StageRun, _Mapping]]] = ..., warnings: _Optional[_Iterable[_Union[_window_pb2.PolicyWarning, _Mapping]]] = ..., over_limit: _Optional[bool] = ..., messages: _Optional[_Iterable[_Union[MessagePreview, _Mapping]]] = ..., truncated: _Optional[bool] = ...) -> None: ...

class MessagePreview(_message.Message):
    __slots__ = ("message_id", "seq", "verdict", "stage", "reason", "held_by", "token_count", "turn")
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    HELD_BY_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    message_id: str
    seq: int
    verdict: Verdict
    stage: str
    reason: _window_pb2.TrimReason
    held_by: _containers.RepeatedScalarFieldContainer[_window_pb2.HoldReason]
    token_count: int
    turn: int
    def __init__(self, message_id: _Optional[str] = ..., seq: _Optional[int] = ..., verdict: _Optional[_Union[Verdict, str]] = ..., stage: _Optional[str] = ..., reason: _Optional[_Union[_window_pb2.TrimReason, str]] = ..., held_by: _Optional[_Iterable[_Union[_window_pb2.HoldReason, str]]] = ..., token_count: _Optional[int] = ..., turn: _Optional[int] = ...) -> None: ...

class PolicyPreset(_message.Message):
    __slots__ = ("name", "description", "options", "policy")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    options: _containers.RepeatedCompositeFieldContainer[PresetOption]
    policy: Policy
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., options: _Optional[_Iterable[_Union[PresetOption, _Mapping]]] = ..., policy: _Optional[_Union[Policy, _Mapping]] = ...) -> None: ...

class PresetOption(_message.Message):
    __slots__ = ("name", "description", "default_value", "group", "required")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_VALUE_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    REQUIRED_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    default_value: _struct_pb2.Value
    group: str
    required: bool
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., default_value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., group: _Optional[str] = ..., required: _Optional[bool] = ...) -> None: ...
