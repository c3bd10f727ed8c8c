from google.protobuf import descriptor_pb2 as _descriptor_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TextForm(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TEXT_FORM_UNSPECIFIED: _ClassVar[TextForm]
    TEXT_FORM_ID: _ClassVar[TextForm]
    TEXT_FORM_NAMESPACE: _ClassVar[TextForm]
    TEXT_FORM_NAME: _ClassVar[TextForm]
    TEXT_FORM_COLLECTION_ID: _ClassVar[TextForm]
    TEXT_FORM_LABEL_KEY: _ClassVar[TextForm]
    TEXT_FORM_NOT_BLANK: _ClassVar[TextForm]
TEXT_FORM_UNSPECIFIED: TextForm
TEXT_FORM_ID: TextForm
TEXT_FORM_NAMESPACE: TextForm
TEXT_FORM_NAME: TextForm
TEXT_FORM_COLLECTION_ID: TextForm
TEXT_FORM_LABEL_KEY: TextForm
TEXT_FORM_NOT_BLANK: TextForm
FIELD_RULES_FIELD_NUMBER: _ClassVar[int]
field_rules: _descriptor.FieldDescriptor
REQUIRED_ONEOF_FIELD_NUMBER: _ClassVar[int]
required_oneof: _descriptor.FieldDescriptor
DESTRUCTIVE_FIELD_NUMBER: _ClassVar[int]
destructive: _descriptor.FieldDescriptor
TEXT_PATTERN_FIELD_NUMBER: _ClassVar[int]
text_pattern: _descriptor.FieldDescriptor

class FieldRules(_message.Message):
    __slots__ = ("required", "output_only", "max_bytes", "max_items", "required_entries", "min", "max", "above", "below", "form", "key_form", "max_key_bytes", "max_depth", "checked_by_rpc", "not_empty", "destructive")
    REQUIRED_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_ONLY_FIELD_NUMBER: _ClassVar[int]
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_ITEMS_FIELD_NUMBER: _ClassVar[int]
    REQUIRED_ENTRIES_FIELD_NUMBER: _ClassVar[int]
    MIN_FIELD_NUMBER: _ClassVar[int]
    MAX_FIELD_NUMBER: _ClassVar[int]
    ABOVE_FIELD_NUMBER: _ClassVar[int]
    BELOW_FIELD_NUMBER: _ClassVar[int]
    FORM_FIELD_NUMBER: _ClassVar[int]
    KEY_FORM_FIELD_NUMBER: _ClassVar[int]
    MAX_KEY_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_DEPTH_FIELD_NUMBER: _ClassVar[int]
    CHECKED_BY_RPC_FIELD_NUMBER: _ClassVar[int]
    NOT_EMPTY_FIELD_NUMBER: _ClassVar[int]
    DESTRUCTIVE_FIELD_NUMBER: _ClassVar[int]
    required: bool
    output_only: bool
    max_bytes: int
    max_items: int
    required_entries: bool
    min: float
    max: float
    above: float
    below: float
    form: TextForm
    key_form: TextForm
    max_key_bytes: int
    max_depth: int
    checked_by_rpc: bool
    not_empty: bool
    destructive: bool
    def __init__(self, required: _Optional[bool] = ..., output_only: _Optional[bool] = ..., max_bytes: _Optional[int] = ..., max_items: _Optional[int] = ..., required_entries: _Optional[bool] = ..., min: _Optional[float] = ..., max: _Optional[float] = ..., above: _Optional[float] = ..., below: _Optional[float] = ..., form: _Optional[_Union[TextForm, str]] = ..., key_form: _Optional[_Union[TextForm, str]] = ..., max_key_bytes: _Optional[int] = ..., max_depth: _Optional[int] = ..., checked_by_rpc: _Optional[bool] = ..., not_empty: _Optional[bool] = ..., destructive: _Optional[bool] = ...) -> None: ...

class TextPattern(_message.Message):
    __slots__ = ("pattern", "meaning", "max_chars")
    PATTERN_FIELD_NUMBER: _ClassVar[int]
    MEANING_FIELD_NUMBER: _ClassVar[int]
    MAX_CHARS_FIELD_NUMBER: _ClassVar[int]
    pattern: str
    meaning: str
    max_chars: int
    def __init__(self, pattern: _Optional[str] = ..., meaning: _Optional[str] = ..., max_chars: _Optional[int] = ...) -> None: ...
