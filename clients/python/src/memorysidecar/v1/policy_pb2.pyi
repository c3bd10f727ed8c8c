from google.protobuf import struct_pb2 as _struct_pb2
from memorysidecar.v1 import message_pb2 as _message_pb2
from memorysidecar.v1 import policy_stage_pb2 as _policy_stage_pb2
from memorysidecar.v1 import policy_summary_pb2 as _policy_summary_pb2
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
    SYSTEM_PROTECTION_EXCLUDED: _ClassVar[SystemProtection]

class ToolPairs(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOOL_PAIRS_UNSPECIFIED: _ClassVar[ToolPairs]
    TOOL_PAIRS_WHOLE: _ClassVar[ToolPairs]
    TOOL_PAIRS_GROUPED: _ClassVar[ToolPairs]
    TOOL_PAIRS_LOOSE: _ClassVar[ToolPairs]
    TOOL_PAIRS_ADJACENT: _ClassVar[ToolPairs]

class HealWhen(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HEAL_WHEN_UNSPECIFIED: _ClassVar[HealWhen]
    HEAL_WHEN_MOVED_ON: _ClassVar[HealWhen]
    HEAL_WHEN_ALWAYS: _ClassVar[HealWhen]

class TokenRounding(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOKEN_ROUNDING_UNSPECIFIED: _ClassVar[TokenRounding]
    TOKEN_ROUNDING_UP: _ClassVar[TokenRounding]
    TOKEN_ROUNDING_DOWN: _ClassVar[TokenRounding]
SYSTEM_PROTECTION_UNSPECIFIED: SystemProtection
SYSTEM_PROTECTION_NONE: SystemProtection
SYSTEM_PROTECTION_ALL: SystemProtection
SYSTEM_PROTECTION_LEADING: SystemProtection
SYSTEM_PROTECTION_EXCLUDED: SystemProtection
TOOL_PAIRS_UNSPECIFIED: ToolPairs
TOOL_PAIRS_WHOLE: ToolPairs
TOOL_PAIRS_GROUPED: ToolPairs
TOOL_PAIRS_LOOSE: ToolPairs
TOOL_PAIRS_ADJACENT: ToolPairs
HEAL_WHEN_UNSPECIFIED: HealWhen
HEAL_WHEN_MOVED_ON: HealWhen
HEAL_WHEN_ALWAYS: HealWhen
TOKEN_ROUNDING_UNSPECIFIED: TokenRounding
TOKEN_ROUNDING_UP: TokenRounding
TOKEN_ROUNDING_DOWN: TokenRounding

class Policy(_message.Message):
    __slots__ = ("token_rule", "image_token_count", "protections", "stages", "name", "preset", "model", "context_window", "custom_token_rule", "tool_pairs", "healing", "summary_view")
    TOKEN_RULE_FIELD_NUMBER: _ClassVar[int]
    IMAGE_TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    PROTECTIONS_FIELD_NUMBER: _ClassVar[int]
    STAGES_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PRESET_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_WINDOW_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_TOKEN_RULE_FIELD_NUMBER: _ClassVar[int]
    TOOL_PAIRS_FIELD_NUMBER: _ClassVar[int]
    HEALING_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_VIEW_FIELD_NUMBER: _ClassVar[int]
    token_rule: _message_pb2.TokenRule
    image_token_count: int
    protections: Protections
    stages: _containers.RepeatedCompositeFieldContainer[_policy_stage_pb2.PolicyStage]
    name: str
    preset: Preset
    model: str
    context_window: int
    custom_token_rule: CustomTokenRule
    tool_pairs: ToolPairs
    healing: Healing
    summary_view: _policy_summary_pb2.SummaryView
    def __init__(self, token_rule: _Optional[_Union[_message_pb2.TokenRule, str]] = ..., image_token_count: _Optional[int] = ..., protections: _Optional[_Union[Protections, _Mapping]] = ..., stages: _Optional[_Iterable[_Union[_policy_stage_pb2.PolicyStage, _Mapping]]] = ..., name: _Optional[str] = ..., preset: _Optional[_Union[Preset, _Mapping]] = ..., model: _Optional[str] = ..., context_window: _Optional[int] = ..., custom_token_rule: _Optional[_Union[CustomTokenRule, _Mapping]] = ..., tool_pairs: _Optional[_Union[ToolPairs, str]] = ..., healing: _Optional[_Union[Healing, _Mapping]] = ..., summary_view: _Optional[_Union[_policy_summary_pb2.SummaryView, _Mapping]] = ...) -> None: ...

class Preset(_message.Message):
    __slots__ = ("name", "options")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    name: str
    options: _struct_pb2.Struct
    def __init__(self, name: _Optional[str] = ..., options: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class Protections(_message.Message):
    __slots__ = ("system", "pin_first", "min_messages", "last_user", "pin_message_ids")
    SYSTEM_FIELD_NUMBER: _ClassVar[int]
    PIN_FIRST_FIELD_NUMBER: _ClassVar[int]
    MIN_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    LAST_USER_FIELD_NUMBER: _ClassVar[int]
    PIN_MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    system: SystemProtection
    pin_first: int
    min_messages: int
    last_user: bool
    pin_message_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, system: _Optional[_Union[SystemProtection, str]] = ..., pin_first: _Optional[int] = ..., min_messages: _Optional[int] = ..., last_user: _Optional[bool] = ..., pin_message_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class Healing(_message.Message):
    __slots__ = ("when", "newest_only", "text")
    WHEN_FIELD_NUMBER: _ClassVar[int]
    NEWEST_ONLY_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    when: HealWhen
    newest_only: bool
    text: str
    def __init__(self, when: _Optional[_Union[HealWhen, str]] = ..., newest_only: _Optional[bool] = ..., text: _Optional[str] = ...) -> None: ...

class CustomTokenRule(_message.Message):
    __slots__ = ("chars_per_token", "rounding", "per_message", "per_call", "min", "content_only")
    CHARS_PER_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ROUNDING_FIELD_NUMBER: _ClassVar[int]
    PER_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    PER_CALL_FIELD_NUMBER: _ClassVar[int]
    MIN_FIELD_NUMBER: _ClassVar[int]
    CONTENT_ONLY_FIELD_NUMBER: _ClassVar[int]
    chars_per_token: float
    rounding: TokenRounding
    per_message: int
    per_call: int
    min: int
    content_only: bool
    def __init__(self, chars_per_token: _Optional[float] = ..., rounding: _Optional[_Union[TokenRounding, str]] = ..., per_message: _Optional[int] = ..., per_call: _Optional[int] = ..., min: _Optional[int] = ..., content_only: _Optional[bool] = ...) -> None: ...
