import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from memorysidecar.v1 import policy_select_pb2 as _policy_select_pb2
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
    drop_oldest: _policy_select_pb2.DropOldest
    keep_last: _policy_select_pb2.KeepLast
    pack_newest: _policy_select_pb2.PackNewest
    pin_middle_recent: _policy_select_pb2.PinMiddleRecent
    filter: _policy_select_pb2.Filter
    shorten: _policy_select_pb2.Shorten
    drop_duplicates: _policy_select_pb2.DropDuplicates
    boundary_only: _policy_select_pb2.BoundaryOnly
    count_if: _containers.RepeatedScalarFieldContainer[str]
    boundary: _policy_select_pb2.Boundary
    effect: StageEffect
    removed_to: RemovedTo
    summarize: _policy_summary_pb2.Summarize
    keep_rounds: int
    count_whole: bool
    def __init__(self, name: _Optional[str] = ..., on: _Optional[_Union[StageOn, str]] = ..., any_of: _Optional[_Iterable[_Union[Trigger, _Mapping]]] = ..., unit: _Optional[_Union[Unit, str]] = ..., drop_oldest: _Optional[_Union[_policy_select_pb2.DropOldest, _Mapping]] = ..., keep_last: _Optional[_Union[_policy_select_pb2.KeepLast, _Mapping]] = ..., pack_newest: _Optional[_Union[_policy_select_pb2.PackNewest, _Mapping]] = ..., pin_middle_recent: _Optional[_Union[_policy_select_pb2.PinMiddleRecent, _Mapping]] = ..., filter: _Optional[_Union[_policy_select_pb2.Filter, _Mapping]] = ..., shorten: _Optional[_Union[_policy_select_pb2.Shorten, _Mapping]] = ..., drop_duplicates: _Optional[_Union[_policy_select_pb2.DropDuplicates, _Mapping]] = ..., boundary_only: _Optional[_Union[_policy_select_pb2.BoundaryOnly, _Mapping]] = ..., count_if: _Optional[_Iterable[str]] = ..., boundary: _Optional[_Union[_policy_select_pb2.Boundary, _Mapping]] = ..., effect: _Optional[_Union[StageEffect, str]] = ..., removed_to: _Optional[_Union[RemovedTo, str]] = ..., summarize: _Optional[_Union[_policy_summary_pb2.Summarize, _Mapping]] = ..., keep_rounds: _Optional[int] = ..., count_whole: _Optional[bool] = ...) -> None: ...

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
