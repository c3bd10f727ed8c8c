import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import message_pb2 as _message_pb2
from memorysidecar.v1 import rules_pb2 as _rules_pb2
from memorysidecar.v1 import window_pb2 as _window_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SummaryPlacement(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUMMARY_PLACEMENT_UNSPECIFIED: _ClassVar[SummaryPlacement]
    SUMMARY_PLACEMENT_SESSION: _ClassVar[SummaryPlacement]
    SUMMARY_PLACEMENT_IN_PLACE: _ClassVar[SummaryPlacement]

class SummaryOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUMMARY_ORDER_UNSPECIFIED: _ClassVar[SummaryOrder]
    SUMMARY_ORDER_VERSION_DESC: _ClassVar[SummaryOrder]
    SUMMARY_ORDER_VERSION_ASC: _ClassVar[SummaryOrder]

class CompactOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COMPACT_OUTCOME_UNSPECIFIED: _ClassVar[CompactOutcome]
    COMPACT_OUTCOME_NOTHING: _ClassVar[CompactOutcome]
    COMPACT_OUTCOME_PENDING: _ClassVar[CompactOutcome]
    COMPACT_OUTCOME_DONE: _ClassVar[CompactOutcome]
    COMPACT_OUTCOME_FAILED: _ClassVar[CompactOutcome]
    COMPACT_OUTCOME_SUPERSEDED: _ClassVar[CompactOutcome]
SUMMARY_PLACEMENT_UNSPECIFIED: SummaryPlacement
SUMMARY_PLACEMENT_SESSION: SummaryPlacement
SUMMARY_PLACEMENT_IN_PLACE: SummaryPlacement
SUMMARY_ORDER_UNSPECIFIED: SummaryOrder
SUMMARY_ORDER_VERSION_DESC: SummaryOrder
SUMMARY_ORDER_VERSION_ASC: SummaryOrder
COMPACT_OUTCOME_UNSPECIFIED: CompactOutcome
COMPACT_OUTCOME_NOTHING: CompactOutcome
COMPACT_OUTCOME_PENDING: CompactOutcome
COMPACT_OUTCOME_DONE: CompactOutcome
COMPACT_OUTCOME_FAILED: CompactOutcome
COMPACT_OUTCOME_SUPERSEDED: CompactOutcome

class Summary(_message.Message):
    __slots__ = ("text", "token_count", "version", "create_time", "seq_ranges", "hook", "trust", "placement", "placed_message_id", "first_message_time", "level", "stage", "current", "origin")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    HOOK_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    PLACEMENT_FIELD_NUMBER: _ClassVar[int]
    PLACED_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    FIRST_MESSAGE_TIME_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    CURRENT_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    text: str
    token_count: int
    version: int
    create_time: _timestamp_pb2.Timestamp
    seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    hook: str
    trust: _message_pb2.Trust
    placement: SummaryPlacement
    placed_message_id: str
    first_message_time: _timestamp_pb2.Timestamp
    level: int
    stage: str
    current: bool
    origin: SummaryOrigin
    def __init__(self, text: _Optional[str] = ..., token_count: _Optional[int] = ..., version: _Optional[int] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., hook: _Optional[str] = ..., trust: _Optional[_Union[_message_pb2.Trust, str]] = ..., placement: _Optional[_Union[SummaryPlacement, str]] = ..., placed_message_id: _Optional[str] = ..., first_message_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., level: _Optional[int] = ..., stage: _Optional[str] = ..., current: _Optional[bool] = ..., origin: _Optional[_Union[SummaryOrigin, _Mapping]] = ...) -> None: ...

class SummaryOrigin(_message.Message):
    __slots__ = ("added_seq_ranges", "source_totals", "source_versions", "task_id", "model", "input_tokens", "output_tokens", "call_count", "duration", "placeholder")
    ADDED_SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    SOURCE_TOTALS_FIELD_NUMBER: _ClassVar[int]
    SOURCE_VERSIONS_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    INPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    CALL_COUNT_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    PLACEHOLDER_FIELD_NUMBER: _ClassVar[int]
    added_seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    source_totals: _window_pb2.Totals
    source_versions: _containers.RepeatedScalarFieldContainer[int]
    task_id: str
    model: str
    input_tokens: int
    output_tokens: int
    call_count: int
    duration: _duration_pb2.Duration
    placeholder: bool
    def __init__(self, added_seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., source_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., source_versions: _Optional[_Iterable[int]] = ..., task_id: _Optional[str] = ..., model: _Optional[str] = ..., input_tokens: _Optional[int] = ..., output_tokens: _Optional[int] = ..., call_count: _Optional[int] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., placeholder: _Optional[bool] = ...) -> None: ...

class SummaryRef(_message.Message):
    __slots__ = ("session_id", "version")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    version: int
    def __init__(self, session_id: _Optional[str] = ..., version: _Optional[int] = ...) -> None: ...
