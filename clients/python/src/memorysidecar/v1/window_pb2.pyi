from memorysidecar.v1 import rules_pb2 as _rules_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TrimReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TRIM_REASON_UNSPECIFIED: _ClassVar[TrimReason]
    TRIM_REASON_MESSAGE_LIMIT: _ClassVar[TrimReason]
    TRIM_REASON_TOKEN_LIMIT: _ClassVar[TrimReason]
    TRIM_REASON_KEEP_LAST: _ClassVar[TrimReason]
    TRIM_REASON_CEILING: _ClassVar[TrimReason]
    TRIM_REASON_ORPHAN_TOOL_RESULT: _ClassVar[TrimReason]
    TRIM_REASON_AGE_LIMIT: _ClassVar[TrimReason]
    TRIM_REASON_BUDGET: _ClassVar[TrimReason]
    TRIM_REASON_MIDDLE: _ClassVar[TrimReason]
    TRIM_REASON_FILTER: _ClassVar[TrimReason]
    TRIM_REASON_DUPLICATE: _ClassVar[TrimReason]
    TRIM_REASON_BOUNDARY: _ClassVar[TrimReason]
    TRIM_REASON_SUMMARIZED: _ClassVar[TrimReason]
    TRIM_REASON_SUMMARY_FAILED: _ClassVar[TrimReason]

class TriggerKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TRIGGER_KIND_UNSPECIFIED: _ClassVar[TriggerKind]
    TRIGGER_KIND_MODEL_INPUT_TOKENS: _ClassVar[TriggerKind]
    TRIGGER_KIND_MESSAGE_COUNT: _ClassVar[TriggerKind]
    TRIGGER_KIND_TOKEN_COUNT: _ClassVar[TriggerKind]
    TRIGGER_KIND_CONTEXT_SHARE: _ClassVar[TriggerKind]
    TRIGGER_KIND_TURN_COUNT: _ClassVar[TriggerKind]
    TRIGGER_KIND_TURN_TOKENS: _ClassVar[TriggerKind]
    TRIGGER_KIND_NEW_MESSAGES: _ClassVar[TriggerKind]
    TRIGGER_KIND_NEW_TOKENS: _ClassVar[TriggerKind]
    TRIGGER_KIND_TOOL_SUCCESS: _ClassVar[TriggerKind]
    TRIGGER_KIND_TOOL_ERROR: _ClassVar[TriggerKind]
    TRIGGER_KIND_AGE: _ClassVar[TriggerKind]
    TRIGGER_KIND_ALWAYS: _ClassVar[TriggerKind]

class HoldReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HOLD_REASON_UNSPECIFIED: _ClassVar[HoldReason]
    HOLD_REASON_SYSTEM: _ClassVar[HoldReason]
    HOLD_REASON_PIN_FIRST: _ClassVar[HoldReason]
    HOLD_REASON_PIN_ID: _ClassVar[HoldReason]
    HOLD_REASON_MIN_MESSAGES: _ClassVar[HoldReason]
    HOLD_REASON_LAST_USER: _ClassVar[HoldReason]
    HOLD_REASON_WAITING_CALL: _ClassVar[HoldReason]
    HOLD_REASON_ZERO_TOKENS: _ClassVar[HoldReason]

class PolicyWarningKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    POLICY_WARNING_KIND_UNSPECIFIED: _ClassVar[PolicyWarningKind]
    POLICY_WARNING_KIND_CONDITION_FAILED: _ClassVar[PolicyWarningKind]
    POLICY_WARNING_KIND_OVER_LIMIT: _ClassVar[PolicyWarningKind]
TRIM_REASON_UNSPECIFIED: TrimReason
TRIM_REASON_MESSAGE_LIMIT: TrimReason
TRIM_REASON_TOKEN_LIMIT: TrimReason
TRIM_REASON_KEEP_LAST: TrimReason
TRIM_REASON_CEILING: TrimReason
TRIM_REASON_ORPHAN_TOOL_RESULT: TrimReason
TRIM_REASON_AGE_LIMIT: TrimReason
TRIM_REASON_BUDGET: TrimReason
TRIM_REASON_MIDDLE: TrimReason
TRIM_REASON_FILTER: TrimReason
TRIM_REASON_DUPLICATE: TrimReason
TRIM_REASON_BOUNDARY: TrimReason
TRIM_REASON_SUMMARIZED: TrimReason
TRIM_REASON_SUMMARY_FAILED: TrimReason
TRIGGER_KIND_UNSPECIFIED: TriggerKind
TRIGGER_KIND_MODEL_INPUT_TOKENS: TriggerKind
TRIGGER_KIND_MESSAGE_COUNT: TriggerKind
TRIGGER_KIND_TOKEN_COUNT: TriggerKind
TRIGGER_KIND_CONTEXT_SHARE: TriggerKind
TRIGGER_KIND_TURN_COUNT: TriggerKind
TRIGGER_KIND_TURN_TOKENS: TriggerKind
TRIGGER_KIND_NEW_MESSAGES: TriggerKind
TRIGGER_KIND_NEW_TOKENS: TriggerKind
TRIGGER_KIND_TOOL_SUCCESS: TriggerKind
TRIGGER_KIND_TOOL_ERROR: TriggerKind
TRIGGER_KIND_AGE: TriggerKind
TRIGGER_KIND_ALWAYS: TriggerKind
HOLD_REASON_UNSPECIFIED: HoldReason
HOLD_REASON_SYSTEM: HoldReason
HOLD_REASON_PIN_FIRST: HoldReason
HOLD_REASON_PIN_ID: HoldReason
HOLD_REASON_MIN_MESSAGES: HoldReason
HOLD_REASON_LAST_USER: HoldReason
HOLD_REASON_WAITING_CALL: HoldReason
HOLD_REASON_ZERO_TOKENS: HoldReason
POLICY_WARNING_KIND_UNSPECIFIED: PolicyWarningKind
POLICY_WARNING_KIND_CONDITION_FAILED: PolicyWarningKind
POLICY_WARNING_KIND_OVER_LIMIT: PolicyWarningKind

class Totals(_message.Message):
    __slots__ = ("message_count", "token_count")
    MESSAGE_COUNT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    message_count: int
    token_count: int
    def __init__(self, message_count: _Optional[int] = ..., token_count: _Optional[int] = ...) -> None: ...

class SeqRange(_message.Message):
    __slots__ = ("first_seq", "last_seq")
    FIRST_SEQ_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    first_seq: int
    last_seq: int
    def __init__(self, first_seq: _Optional[int] = ..., last_seq: _Optional[int] = ...) -> None: ...

class Trim(_message.Message):
    __slots__ = ("stage", "reason", "message_ids", "seq_ranges", "removed_totals", "before_totals", "after_totals", "discarded")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    REMOVED_TOTALS_FIELD_NUMBER: _ClassVar[int]
    BEFORE_TOTALS_FIELD_NUMBER: _ClassVar[int]
    AFTER_TOTALS_FIELD_NUMBER: _ClassVar[int]
    DISCARDED_FIELD_NUMBER: _ClassVar[int]
    stage: str
    reason: TrimReason
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    seq_ranges: _containers.RepeatedCompositeFieldContainer[SeqRange]
    removed_totals: Totals
    before_totals: Totals
    after_totals: Totals
    discarded: bool
    def __init__(self, stage: _Optional[str] = ..., reason: _Optional[_Union[TrimReason, str]] = ..., message_ids: _Optional[_Iterable[str]] = ..., seq_ranges: _Optional[_Iterable[_Union[SeqRange, _Mapping]]] = ..., removed_totals: _Optional[_Union[Totals, _Mapping]] = ..., before_totals: _Optional[_Union[Totals, _Mapping]] = ..., after_totals: _Optional[_Union[Totals, _Mapping]] = ..., discarded: _Optional[bool] = ...) -> None: ...

class StageRun(_message.Message):
    __slots__ = ("stage", "triggers", "over_limit", "held_by", "awaiting_message_ids", "task_id")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    TRIGGERS_FIELD_NUMBER: _ClassVar[int]
    OVER_LIMIT_FIELD_NUMBER: _ClassVar[int]
    HELD_BY_FIELD_NUMBER: _ClassVar[int]
    AWAITING_MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    stage: str
    triggers: _containers.RepeatedCompositeFieldContainer[TriggerHit]
    over_limit: bool
    held_by: _containers.RepeatedScalarFieldContainer[HoldReason]
    awaiting_message_ids: _containers.RepeatedScalarFieldContainer[str]
    task_id: str
    def __init__(self, stage: _Optional[str] = ..., triggers: _Optional[_Iterable[_Union[TriggerHit, _Mapping]]] = ..., over_limit: _Optional[bool] = ..., held_by: _Optional[_Iterable[_Union[HoldReason, str]]] = ..., awaiting_message_ids: _Optional[_Iterable[str]] = ..., task_id: _Optional[str] = ...) -> None: ...

class TriggerHit(_message.Message):
    __slots__ = ("kind", "tool")
    KIND_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    kind: TriggerKind
    tool: str
    def __init__(self, kind: _Optional[_Union[TriggerKind, str]] = ..., tool: _Optional[str] = ...) -> None: ...

class PolicyWarning(_message.Message):
    __slots__ = ("stage", "kind", "field", "message_id", "message_count")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_COUNT_FIELD_NUMBER: _ClassVar[int]
    stage: str
    kind: PolicyWarningKind
    field: str
    message_id: str
    message_count: int
    def __init__(self, stage: _Optional[str] = ..., kind: _Optional[_Union[PolicyWarningKind, str]] = ..., field: _Optional[str] = ..., message_id: _Optional[str] = ..., message_count: _Optional[int] = ...) -> None: ...
