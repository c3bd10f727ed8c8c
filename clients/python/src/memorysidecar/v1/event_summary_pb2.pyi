import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import policy_summary_pb2 as _policy_summary_pb2
from memorysidecar.v1 import task_pb2 as _task_pb2
from memorysidecar.v1 import window_pb2 as _window_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SupersedeReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUPERSEDE_REASON_UNSPECIFIED: _ClassVar[SupersedeReason]
    SUPERSEDE_REASON_MESSAGES_CHANGED: _ClassVar[SupersedeReason]
    SUPERSEDE_REASON_SUMMARY_CHANGED: _ClassVar[SupersedeReason]
    SUPERSEDE_REASON_POLICY_CHANGED: _ClassVar[SupersedeReason]
    SUPERSEDE_REASON_SESSION_RESET: _ClassVar[SupersedeReason]
    SUPERSEDE_REASON_DELETED: _ClassVar[SupersedeReason]
SUPERSEDE_REASON_UNSPECIFIED: SupersedeReason
SUPERSEDE_REASON_MESSAGES_CHANGED: SupersedeReason
SUPERSEDE_REASON_SUMMARY_CHANGED: SupersedeReason
SUPERSEDE_REASON_POLICY_CHANGED: SupersedeReason
SUPERSEDE_REASON_SESSION_RESET: SupersedeReason
SUPERSEDE_REASON_DELETED: SupersedeReason

class SummarySet(_message.Message):
    __slots__ = ("version", "placed_message_id", "token_count", "seq_ranges", "task_id", "stage", "hook", "model", "added", "call_count", "input_tokens", "output_tokens", "duration", "placeholder")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    PLACED_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    HOOK_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    ADDED_FIELD_NUMBER: _ClassVar[int]
    CALL_COUNT_FIELD_NUMBER: _ClassVar[int]
    INPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    PLACEHOLDER_FIELD_NUMBER: _ClassVar[int]
    version: int
    placed_message_id: str
    token_count: int
    seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    task_id: str
    stage: str
    hook: str
    model: str
    added: _window_pb2.Totals
    call_count: int
    input_tokens: int
    output_tokens: int
    duration: _duration_pb2.Duration
    placeholder: bool
    def __init__(self, version: _Optional[int] = ..., placed_message_id: _Optional[str] = ..., token_count: _Optional[int] = ..., seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., task_id: _Optional[str] = ..., stage: _Optional[str] = ..., hook: _Optional[str] = ..., model: _Optional[str] = ..., added: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., call_count: _Optional[int] = ..., input_tokens: _Optional[int] = ..., output_tokens: _Optional[int] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., placeholder: _Optional[bool] = ...) -> None: ...

class SummaryRequested(_message.Message):
    __slots__ = ("task_id", "stage", "hook", "triggers", "seq_ranges", "sources", "joined")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    HOOK_FIELD_NUMBER: _ClassVar[int]
    TRIGGERS_FIELD_NUMBER: _ClassVar[int]
    SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    JOINED_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    stage: str
    hook: str
    triggers: _containers.RepeatedCompositeFieldContainer[_window_pb2.TriggerHit]
    seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    sources: _window_pb2.Totals
    joined: bool
    def __init__(self, task_id: _Optional[str] = ..., stage: _Optional[str] = ..., hook: _Optional[str] = ..., triggers: _Optional[_Iterable[_Union[_window_pb2.TriggerHit, _Mapping]]] = ..., seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., sources: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., joined: _Optional[bool] = ...) -> None: ...

class SummaryFailed(_message.Message):
    __slots__ = ("task_id", "stage", "hook", "reason", "failed_attempts", "duration", "retry_time")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    HOOK_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FAILED_ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    RETRY_TIME_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    stage: str
    hook: str
    reason: _task_pb2.TaskFailureReason
    failed_attempts: int
    duration: _duration_pb2.Duration
    retry_time: _timestamp_pb2.Timestamp
    def __init__(self, task_id: _Optional[str] = ..., stage: _Optional[str] = ..., hook: _Optional[str] = ..., reason: _Optional[_Union[_task_pb2.TaskFailureReason, str]] = ..., failed_attempts: _Optional[int] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., retry_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class SummarySuperseded(_message.Message):
    __slots__ = ("task_id", "stage", "hook", "reason")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    HOOK_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    stage: str
    hook: str
    reason: SupersedeReason
    def __init__(self, task_id: _Optional[str] = ..., stage: _Optional[str] = ..., hook: _Optional[str] = ..., reason: _Optional[_Union[SupersedeReason, str]] = ...) -> None: ...

class TaskDead(_message.Message):
    __slots__ = ("task_id", "type", "stage", "hook", "reason", "failed_attempts", "call_count", "effect", "seq_ranges", "duration")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    HOOK_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FAILED_ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    CALL_COUNT_FIELD_NUMBER: _ClassVar[int]
    EFFECT_FIELD_NUMBER: _ClassVar[int]
    SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    type: _task_pb2.TaskType
    stage: str
    hook: str
    reason: _task_pb2.TaskFailureReason
    failed_attempts: int
    call_count: int
    effect: _policy_summary_pb2.SummaryFailure
    seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    duration: _duration_pb2.Duration
    def __init__(self, task_id: _Optional[str] = ..., type: _Optional[_Union[_task_pb2.TaskType, str]] = ..., stage: _Optional[str] = ..., hook: _Optional[str] = ..., reason: _Optional[_Union[_task_pb2.TaskFailureReason, str]] = ..., failed_attempts: _Optional[int] = ..., call_count: _Optional[int] = ..., effect: _Optional[_Union[_policy_summary_pb2.SummaryFailure, str]] = ..., seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...
