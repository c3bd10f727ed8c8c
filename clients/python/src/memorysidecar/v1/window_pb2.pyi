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
TRIM_REASON_UNSPECIFIED: TrimReason
TRIM_REASON_MESSAGE_LIMIT: TrimReason
TRIM_REASON_TOKEN_LIMIT: TrimReason
TRIM_REASON_KEEP_LAST: TrimReason
TRIM_REASON_CEILING: TrimReason
TRIM_REASON_ORPHAN_TOOL_RESULT: TrimReason

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
    __slots__ = ("stage", "reason", "message_ids", "seq_ranges", "removed", "before", "after")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    stage: str
    reason: TrimReason
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    seq_ranges: _containers.RepeatedCompositeFieldContainer[SeqRange]
    removed: Totals
    before: Totals
    after: Totals
    def __init__(self, stage: _Optional[str] = ..., reason: _Optional[_Union[TrimReason, str]] = ..., message_ids: _Optional[_Iterable[str]] = ..., seq_ranges: _Optional[_Iterable[_Union[SeqRange, _Mapping]]] = ..., removed: _Optional[_Union[Totals, _Mapping]] = ..., before: _Optional[_Union[Totals, _Mapping]] = ..., after: _Optional[_Union[Totals, _Mapping]] = ...) -> None: ...
