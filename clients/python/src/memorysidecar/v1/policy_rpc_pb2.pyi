from google.protobuf import struct_pb2 as _struct_pb2
from memorysidecar.v1 import message_rpc_pb2 as _message_rpc_pb2
from memorysidecar.v1 import policy_pb2 as _policy_pb2
from memorysidecar.v1 import policy_stage_pb2 as _policy_stage_pb2
from memorysidecar.v1 import window_pb2 as _window_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PreviewSource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PREVIEW_SOURCE_UNSPECIFIED: _ClassVar[PreviewSource]
    PREVIEW_SOURCE_WINDOW: _ClassVar[PreviewSource]
    PREVIEW_SOURCE_LOG: _ClassVar[PreviewSource]

class Verdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VERDICT_UNSPECIFIED: _ClassVar[Verdict]
    VERDICT_KEPT: _ClassVar[Verdict]
    VERDICT_REMOVED: _ClassVar[Verdict]
    VERDICT_SHORTENED: _ClassVar[Verdict]
    VERDICT_AWAITS_SUMMARY: _ClassVar[Verdict]
PREVIEW_SOURCE_UNSPECIFIED: PreviewSource
PREVIEW_SOURCE_WINDOW: PreviewSource
PREVIEW_SOURCE_LOG: PreviewSource
VERDICT_UNSPECIFIED: Verdict
VERDICT_KEPT: Verdict
VERDICT_REMOVED: Verdict
VERDICT_SHORTENED: Verdict
VERDICT_AWAITS_SUMMARY: Verdict

class PreviewPolicyRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "policies", "occasions", "source", "model_input_tokens", "tool_outcomes")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    POLICIES_FIELD_NUMBER: _ClassVar[int]
    OCCASIONS_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    MODEL_INPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    TOOL_OUTCOMES_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    policies: _containers.RepeatedCompositeFieldContainer[_policy_pb2.Policy]
    occasions: _containers.RepeatedScalarFieldContainer[_policy_stage_pb2.StageOn]
    source: PreviewSource
    model_input_tokens: int
    tool_outcomes: _containers.RepeatedCompositeFieldContainer[_message_rpc_pb2.ToolOutcome]
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., policies: _Optional[_Iterable[_Union[_policy_pb2.Policy, _Mapping]]] = ..., occasions: _Optional[_Iterable[_Union[_policy_stage_pb2.StageOn, str]]] = ..., source: _Optional[_Union[PreviewSource, str]] = ..., model_input_tokens: _Optional[int] = ..., tool_outcomes: _Optional[_Iterable[_Union[_message_rpc_pb2.ToolOutcome, _Mapping]]] = ...) -> None: ...

class PreviewPolicyResponse(_message.Message):
    __slots__ = ("previews", "last_seq", "revision")
    PREVIEWS_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    previews: _containers.RepeatedCompositeFieldContainer[PolicyPreview]
    last_seq: int
    revision: int
    def __init__(self, previews: _Optional[_Iterable[_Union[PolicyPreview, _Mapping]]] = ..., last_seq: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class PolicyPreview(_message.Message):
    __slots__ = ("policy", "before", "after", "trims", "stage_runs", "warnings", "over_limit", "messages", "truncated")
    POLICY_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    TRIMS_FIELD_NUMBER: _ClassVar[int]
    STAGE_RUNS_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    OVER_LIMIT_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    policy: _policy_pb2.Policy
    before: _window_pb2.Totals
    after: _window_pb2.Totals
    trims: _containers.RepeatedCompositeFieldContainer[_window_pb2.Trim]
    stage_runs: _containers.RepeatedCompositeFieldContainer[_window_pb2.StageRun]
    warnings: _containers.RepeatedCompositeFieldContainer[_window_pb2.PolicyWarning]
    over_limit: bool
    messages: _containers.RepeatedCompositeFieldContainer[MessagePreview]
    truncated: bool
    def __init__(self, policy: _Optional[_Union[_policy_pb2.Policy, _Mapping]] = ..., before: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., after: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., trims: _Optional[_Iterable[_Union[_window_pb2.Trim, _Mapping]]] = ..., stage_runs: _Optional[_Iterable[_Union[_window_pb2.StageRun, _Mapping]]] = ..., warnings: _Optional[_Iterable[_Union[_window_pb2.PolicyWarning, _Mapping]]] = ..., over_limit: _Optional[bool] = ..., messages: _Optional[_Iterable[_Union[MessagePreview, _Mapping]]] = ..., truncated: _Optional[bool] = ...) -> None: ...

class MessagePreview(_message.Message):
    __slots__ = ("message_id", "seq", "verdict", "stage", "reason", "held_by", "token_count", "interaction")
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    HELD_BY_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    INTERACTION_FIELD_NUMBER: _ClassVar[int]
    message_id: str
    seq: int
    verdict: Verdict
    stage: str
    reason: _window_pb2.TrimReason
    held_by: _containers.RepeatedScalarFieldContainer[_window_pb2.HoldReason]
    token_count: int
    interaction: int
    def __init__(self, message_id: _Optional[str] = ..., seq: _Optional[int] = ..., verdict: _Optional[_Union[Verdict, str]] = ..., stage: _Optional[str] = ..., reason: _Optional[_Union[_window_pb2.TrimReason, str]] = ..., held_by: _Optional[_Iterable[_Union[_window_pb2.HoldReason, str]]] = ..., token_count: _Optional[int] = ..., interaction: _Optional[int] = ...) -> None: ...

class ListPolicyPresetsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListPolicyPresetsResponse(_message.Message):
    __slots__ = ("presets",)
    PRESETS_FIELD_NUMBER: _ClassVar[int]
    presets: _containers.RepeatedCompositeFieldContainer[PolicyPreset]
    def __init__(self, presets: _Optional[_Iterable[_Union[PolicyPreset, _Mapping]]] = ...) -> None: ...

class PolicyPreset(_message.Message):
    __slots__ = ("name", "description", "options", "policy")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    options: _containers.RepeatedCompositeFieldContainer[PresetOption]
    policy: _policy_pb2.Policy
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., options: _Optional[_Iterable[_Union[PresetOption, _Mapping]]] = ..., policy: _Optional[_Union[_policy_pb2.Policy, _Mapping]] = ...) -> None: ...

class PresetOption(_message.Message):
    __slots__ = ("name", "description", "default_value", "part", "required")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_VALUE_FIELD_NUMBER: _ClassVar[int]
    PART_FIELD_NUMBER: _ClassVar[int]
    REQUIRED_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    default_value: _struct_pb2.Value
    part: str
    required: bool
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., default_value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., part: _Optional[str] = ..., required: _Optional[bool] = ...) -> None: ...
