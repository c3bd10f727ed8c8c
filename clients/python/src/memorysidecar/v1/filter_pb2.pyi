from google.protobuf import struct_pb2 as _struct_pb2
from memorysidecar.v1 import rules_pb2 as _rules_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MetadataCondition(_message.Message):
    __slots__ = ("path", "equal_to", "range", "exists", "one_of", "all_of", "any_of", "none_of", "starts_with", "contains", "text_range", "label")
    PATH_FIELD_NUMBER: _ClassVar[int]
    EQUAL_TO_FIELD_NUMBER: _ClassVar[int]
    RANGE_FIELD_NUMBER: _ClassVar[int]
    EXISTS_FIELD_NUMBER: _ClassVar[int]
    ONE_OF_FIELD_NUMBER: _ClassVar[int]
    ALL_OF_FIELD_NUMBER: _ClassVar[int]
    ANY_OF_FIELD_NUMBER: _ClassVar[int]
    NONE_OF_FIELD_NUMBER: _ClassVar[int]
    STARTS_WITH_FIELD_NUMBER: _ClassVar[int]
    CONTAINS_FIELD_NUMBER: _ClassVar[int]
    TEXT_RANGE_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    path: str
    equal_to: _struct_pb2.Value
    range: NumberRange
    exists: bool
    one_of: _struct_pb2.ListValue
    all_of: MetadataConditions
    any_of: MetadataConditions
    none_of: MetadataConditions
    starts_with: str
    contains: str
    text_range: TextRange
    label: LabelCondition
    def __init__(self, path: _Optional[str] = ..., equal_to: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., range: _Optional[_Union[NumberRange, _Mapping]] = ..., exists: _Optional[bool] = ..., one_of: _Optional[_Union[_struct_pb2.ListValue, _Mapping]] = ..., all_of: _Optional[_Union[MetadataConditions, _Mapping]] = ..., any_of: _Optional[_Union[MetadataConditions, _Mapping]] = ..., none_of: _Optional[_Union[MetadataConditions, _Mapping]] = ..., starts_with: _Optional[str] = ..., contains: _Optional[str] = ..., text_range: _Optional[_Union[TextRange, _Mapping]] = ..., label: _Optional[_Union[LabelCondition, _Mapping]] = ...) -> None: ...

class LabelCondition(_message.Message):
    __slots__ = ("key", "equal_to", "one_of", "starts_with", "contains", "text_range", "exists")
    KEY_FIELD_NUMBER: _ClassVar[int]
    EQUAL_TO_FIELD_NUMBER: _ClassVar[int]
    ONE_OF_FIELD_NUMBER: _ClassVar[int]
    STARTS_WITH_FIELD_NUMBER: _ClassVar[int]
    CONTAINS_FIELD_NUMBER: _ClassVar[int]
    TEXT_RANGE_FIELD_NUMBER: _ClassVar[int]
    EXISTS_FIELD_NUMBER: _ClassVar[int]
    key: str
    equal_to: str
    one_of: LabelValues
    starts_with: str
    contains: str
    text_range: TextRange
    exists: bool
    def __init__(self, key: _Optional[str] = ..., equal_to: _Optional[str] = ..., one_of: _Optional[_Union[LabelValues, _Mapping]] = ..., starts_with: _Optional[str] = ..., contains: _Optional[str] = ..., text_range: _Optional[_Union[TextRange, _Mapping]] = ..., exists: _Optional[bool] = ...) -> None: ...

class LabelValues(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, values: _Optional[_Iterable[str]] = ...) -> None: ...

class MetadataConditions(_message.Message):
    __slots__ = ("conditions",)
    CONDITIONS_FIELD_NUMBER: _ClassVar[int]
    conditions: _containers.RepeatedCompositeFieldContainer[MetadataCondition]
    def __init__(self, conditions: _Optional[_Iterable[_Union[MetadataCondition, _Mapping]]] = ...) -> None: ...

class ListTotal(_message.Message):
    __slots__ = ("count", "at_least")
    COUNT_FIELD_NUMBER: _ClassVar[int]
    AT_LEAST_FIELD_NUMBER: _ClassVar[int]
    count: int
    at_least: bool
    def __init__(self, count: _Optional[int] = ..., at_least: _Optional[bool] = ...) -> None: ...

class TextRange(_message.Message):
    __slots__ = ("min", "less_than", "max")
    MIN_FIELD_NUMBER: _ClassVar[int]
    LESS_THAN_FIELD_NUMBER: _ClassVar[int]
    MAX_FIELD_NUMBER: _ClassVar[int]
    min: str
    less_than: str
    max: str
    def __init__(self, min: _Optional[str] = ..., less_than: _Optional[str] = ..., max: _Optional[str] = ...) -> None: ...

class NumberRange(_message.Message):
    __slots__ = ("min", "less_than", "max")
    MIN_FIELD_NUMBER: _ClassVar[int]
    LESS_THAN_FIELD_NUMBER: _ClassVar[int]
    MAX_FIELD_NUMBER: _ClassVar[int]
    min: float
    less_than: float
    max: float
    def __init__(self, min: _Optional[float] = ..., less_than: _Optional[float] = ..., max: _Optional[float] = ...) -> None: ...
