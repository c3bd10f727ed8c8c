from google.protobuf import struct_pb2 as _struct_pb2
from memorysidecar.v1 import rules_pb2 as _rules_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MetadataCondition(_message.Message):
    __slots__ = ("path", "equal_to", "range", "exists", "one_of")
    PATH_FIELD_NUMBER: _ClassVar[int]
    EQUAL_TO_FIELD_NUMBER: _ClassVar[int]
    RANGE_FIELD_NUMBER: _ClassVar[int]
    EXISTS_FIELD_NUMBER: _ClassVar[int]
    ONE_OF_FIELD_NUMBER: _ClassVar[int]
    path: str
    equal_to: _struct_pb2.Value
    range: NumberRange
    exists: bool
    one_of: _struct_pb2.ListValue
    def __init__(self, path: _Optional[str] = ..., equal_to: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., range: _Optional[_Union[NumberRange, _Mapping]] = ..., exists: _Optional[bool] = ..., one_of: _Optional[_Union[_struct_pb2.ListValue, _Mapping]] = ...) -> None: ...

class NumberRange(_message.Message):
    __slots__ = ("min", "less_than", "max")
    MIN_FIELD_NUMBER: _ClassVar[int]
    LESS_THAN_FIELD_NUMBER: _ClassVar[int]
    MAX_FIELD_NUMBER: _ClassVar[int]
    min: float
    less_than: float
    max: float
    def __init__(self, min: _Optional[float] = ..., less_than: _Optional[float] = ..., max: _Optional[float] = ...) -> None: ...
