import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

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
FILTER_SCOPE_UNSPECIFIED: FilterScope
FILTER_SCOPE_UNIT: FilterScope
FILTER_SCOPE_MESSAGE: FilterScope
BOUNDARY_RULE_UNSPECIFIED: BoundaryRule
BOUNDARY_RULE_POP_TOOL_HEAD: BoundaryRule
BOUNDARY_RULE_POP_ORPHAN_HEAD: BoundaryRule
BOUNDARY_RULE_GROW_RECENT: BoundaryRule
BOUNDARY_RULE_ABSORB_AND_GROW: BoundaryRule

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
