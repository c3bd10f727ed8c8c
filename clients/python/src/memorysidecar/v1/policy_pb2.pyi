from memorysidecar.v1 import message_pb2 as _message_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SystemProtection(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SYSTEM_PROTECTION_UNSPECIFIED: _ClassVar[SystemProtection]
    SYSTEM_PROTECTION_NONE: _ClassVar[SystemProtection]
    SYSTEM_PROTECTION_ALL: _ClassVar[SystemProtection]
    SYSTEM_PROTECTION_LEADING: _ClassVar[SystemProtection]

class StageOn(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STAGE_ON_UNSPECIFIED: _ClassVar[StageOn]
    STAGE_ON_APPEND: _ClassVar[StageOn]
    STAGE_ON_READ: _ClassVar[StageOn]

class Unit(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    UNIT_UNSPECIFIED: _ClassVar[Unit]
    UNIT_MESSAGE: _ClassVar[Unit]
    UNIT_ASSISTANT_ROUND: _ClassVar[Unit]
    UNIT_INTERACTION: _ClassVar[Unit]
SYSTEM_PROTECTION_UNSPECIFIED: SystemProtection
SYSTEM_PROTECTION_NONE: SystemProtection
SYSTEM_PROTECTION_ALL: SystemProtection
SYSTEM_PROTECTION_LEADING: SystemProtection
STAGE_ON_UNSPECIFIED: StageOn
STAGE_ON_APPEND: StageOn
STAGE_ON_READ: StageOn
UNIT_UNSPECIFIED: Unit
UNIT_MESSAGE: Unit
UNIT_ASSISTANT_ROUND: Unit
UNIT_INTERACTION: Unit

class Policy(_message.Message):
    __slots__ = ("token_rule", "image_token_count", "protections", "stages")
    TOKEN_RULE_FIELD_NUMBER: _ClassVar[int]
    IMAGE_TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    PROTECTIONS_FIELD_NUMBER: _ClassVar[int]
    STAGES_FIELD_NUMBER: _ClassVar[int]
    token_rule: _message_pb2.TokenRule
    image_token_count: int
    protections: Protections
    stages: _containers.RepeatedCompositeFieldContainer[PolicyStage]
    def __init__(self, token_rule: _Optional[_Union[_message_pb2.TokenRule, str]] = ..., image_token_count: _Optional[int] = ..., protections: _Optional[_Union[Protections, _Mapping]] = ..., stages: _Optional[_Iterable[_Union[PolicyStage, _Mapping]]] = ...) -> None: ...

class Protections(_message.Message):
    __slots__ = ("system", "pin_first", "min_messages", "last_user")
    SYSTEM_FIELD_NUMBER: _ClassVar[int]
    PIN_FIRST_FIELD_NUMBER: _ClassVar[int]
    MIN_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    LAST_USER_FIELD_NUMBER: _ClassVar[int]
    system: SystemProtection
    pin_first: int
    min_messages: int
    last_user: bool
    def __init__(self, system: _Optional[_Union[SystemProtection, str]] = ..., pin_first: _Optional[int] = ..., min_messages: _Optional[int] = ..., last_user: _Optional[bool] = ...) -> None: ...

class PolicyStage(_message.Message):
    __slots__ = ("name", "on", "any_of", "unit", "drop_oldest", "keep_last")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ON_FIELD_NUMBER: _ClassVar[int]
    ANY_OF_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    DROP_OLDEST_FIELD_NUMBER: _ClassVar[int]
    KEEP_LAST_FIELD_NUMBER: _ClassVar[int]
    name: str
    on: StageOn
    any_of: _containers.RepeatedCompositeFieldContainer[Trigger]
    unit: Unit
    drop_oldest: DropOldest
    keep_last: KeepLast
    def __init__(self, name: _Optional[str] = ..., on: _Optional[_Union[StageOn, str]] = ..., any_of: _Optional[_Iterable[_Union[Trigger, _Mapping]]] = ..., unit: _Optional[_Union[Unit, str]] = ..., drop_oldest: _Optional[_Union[DropOldest, _Mapping]] = ..., keep_last: _Optional[_Union[KeepLast, _Mapping]] = ...) -> None: ...

class Trigger(_message.Message):
    __slots__ = ("message_count_over", "token_count_over")
    MESSAGE_COUNT_OVER_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_OVER_FIELD_NUMBER: _ClassVar[int]
    message_count_over: int
    token_count_over: int
    def __init__(self, message_count_over: _Optional[int] = ..., token_count_over: _Optional[int] = ...) -> None: ...

class DropOldest(_message.Message):
    __slots__ = ("max_messages", "max_tokens")
    MAX_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    max_messages: int
    max_tokens: int
    def __init__(self, max_messages: _Optional[int] = ..., max_tokens: _Optional[int] = ...) -> None: ...

class KeepLast(_message.Message):
    __slots__ = ("unit_count",)
    UNIT_COUNT_FIELD_NUMBER: _ClassVar[int]
    unit_count: int
    def __init__(self, unit_count: _Optional[int] = ...) -> None: ...
