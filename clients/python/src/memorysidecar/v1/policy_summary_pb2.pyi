from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

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
    SUMMARY_SHOW_NOT: _ClassVar[SummaryShow]
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
SUMMARY_SHOW_NOT: SummaryShow

class Summarize(_message.Message):
    __slots__ = ("hook", "max_tokens", "instructions", "keep", "flow", "max_loops", "leave", "on_failure", "placeholder", "separator", "last_chars", "prefix", "transcript", "fan_in", "shape", "collection_id")
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
    def __init__(self, hook: _Optional[str] = ..., max_tokens: _Optional[int] = ..., instructions: _Optional[str] = ..., keep: _Optional[_Union[SummaryKeep, str]] = ..., flow: _Optional[_Union[SummaryFlow, str]] = ..., max_loops: _Optional[int] = ..., leave: _Optional[_Union[SummaryLeave, str]] = ..., on_failure: _Optional[_Union[SummaryFailure, str]] = ..., placeholder: _Optional[str] = ..., separator: _Optional[str] = ..., last_chars: _Optional[int] = ..., prefix: _Optional[str] = ..., transcript: _Optional[_Union[TranscriptStyle, str]] = ..., fan_in: _Optional[int] = ..., shape: _Optional[_Union[SummaryShape, str]] = ..., collection_id: _Optional[str] = ...) -> None: ...

class SummaryView(_message.Message):
    __slots__ = ("show", "prefix")
    SHOW_FIELD_NUMBER: _ClassVar[int]
    PREFIX_FIELD_NUMBER: _ClassVar[int]
    show: SummaryShow
    prefix: str
    def __init__(self, show: _Optional[_Union[SummaryShow, str]] = ..., prefix: _Optional[str] = ...) -> None: ...
