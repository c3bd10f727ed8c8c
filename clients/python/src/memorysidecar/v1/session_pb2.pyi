import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import filter_pb2 as _filter_pb2
from memorysidecar.v1 import memory_pb2 as _memory_pb2
from memorysidecar.v1 import policy_pb2 as _policy_pb2
from memorysidecar.v1 import rules_pb2 as _rules_pb2
from memorysidecar.v1 import summary_pb2 as _summary_pb2
from memorysidecar.v1 import window_pb2 as _window_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SessionOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SESSION_ORDER_UNSPECIFIED: _ClassVar[SessionOrder]
    SESSION_ORDER_CREATE_TIME_DESC: _ClassVar[SessionOrder]
    SESSION_ORDER_CREATE_TIME_ASC: _ClassVar[SessionOrder]
    SESSION_ORDER_UPDATE_TIME_DESC: _ClassVar[SessionOrder]
    SESSION_ORDER_UPDATE_TIME_ASC: _ClassVar[SessionOrder]
SESSION_ORDER_UNSPECIFIED: SessionOrder
SESSION_ORDER_CREATE_TIME_DESC: SessionOrder
SESSION_ORDER_CREATE_TIME_ASC: SessionOrder
SESSION_ORDER_UPDATE_TIME_DESC: SessionOrder
SESSION_ORDER_UPDATE_TIME_ASC: SessionOrder

class Session(_message.Message):
    __slots__ = ("namespace", "session_id", "user_id", "agent_id", "labels", "metadata", "policy", "effective_policy", "ttl", "expire_time", "summary", "last_seq", "log_totals", "window_totals", "forked_from", "create_time", "update_time", "revision", "etag", "placed_summaries", "stage_states", "model_input_tokens", "memory_policy")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    EFFECTIVE_POLICY_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    LOG_TOTALS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_TOTALS_FIELD_NUMBER: _ClassVar[int]
    FORKED_FROM_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    PLACED_SUMMARIES_FIELD_NUMBER: _ClassVar[int]
    STAGE_STATES_FIELD_NUMBER: _ClassVar[int]
    MODEL_INPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    MEMORY_POLICY_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    user_id: str
    agent_id: str
    labels: _containers.ScalarMap[str, str]
    metadata: _struct_pb2.Struct
    policy: _policy_pb2.PolicyChoice
    effective_policy: _policy_pb2.Policy
    ttl: _duration_pb2.Duration
    expire_time: _timestamp_pb2.Timestamp
    summary: _summary_pb2.Summary
    last_seq: int
    log_totals: _window_pb2.Totals
    window_totals: _window_pb2.Totals
    forked_from: ForkOrigin
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    revision: int
    etag: str
    placed_summaries: _containers.RepeatedCompositeFieldContainer[_summary_pb2.Summary]
    stage_states: _containers.RepeatedCompositeFieldContainer[StageState]
    model_input_tokens: int
    memory_policy: _memory_pb2.MemoryPolicy
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., user_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., labels: _Optional[_Mapping[str, str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., policy: _Optional[_Union[_policy_pb2.PolicyChoice, _Mapping]] = ..., effective_policy: _Optional[_Union[_policy_pb2.Policy, _Mapping]] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., summary: _Optional[_Union[_summary_pb2.Summary, _Mapping]] = ..., last_seq: _Optional[int] = ..., log_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., window_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ..., forked_from: _Optional[_Union[ForkOrigin, _Mapping]] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., revision: _Optional[int] = ..., etag: _Optional[str] = ..., placed_summaries: _Optional[_Iterable[_Union[_summary_pb2.Summary, _Mapping]]] = ..., stage_states: _Optional[_Iterable[_Union[StageState, _Mapping]]] = ..., model_input_tokens: _Optional[int] = ..., memory_policy: _Optional[_Union[_memory_pb2.MemoryPolicy, _Mapping]] = ...) -> None: ...

class StageState(_message.Message):
    __slots__ = ("stage", "last_seq", "window_totals")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    WINDOW_TOTALS_FIELD_NUMBER: _ClassVar[int]
    stage: str
    last_seq: int
    window_totals: _window_pb2.Totals
    def __init__(self, stage: _Optional[str] = ..., last_seq: _Optional[int] = ..., window_totals: _Optional[_Union[_window_pb2.Totals, _Mapping]] = ...) -> None: ...

class ForkOrigin(_message.Message):
    __slots__ = ("session_id", "seq")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    seq: int
    def __init__(self, session_id: _Optional[str] = ..., seq: _Optional[int] = ...) -> None: ...

class SessionFilter(_message.Message):
    __slots__ = ("user_id", "agent_id", "labels", "create_time_from", "create_time_before", "update_time_from", "update_time_before", "session_id_prefix", "metadata")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FROM_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_BEFORE_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FROM_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_BEFORE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_PREFIX_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    agent_id: str
    labels: _containers.ScalarMap[str, str]
    create_time_from: _timestamp_pb2.Timestamp
    create_time_before: _timestamp_pb2.Timestamp
    update_time_from: _timestamp_pb2.Timestamp
    update_time_before: _timestamp_pb2.Timestamp
    session_id_prefix: str
    metadata: _containers.RepeatedCompositeFieldContainer[_filter_pb2.MetadataCondition]
    def __init__(self, user_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., labels: _Optional[_Mapping[str, str]] = ..., create_time_from: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., create_time_before: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_time_from: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_time_before: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., session_id_prefix: _Optional[str] = ..., metadata: _Optional[_Iterable[_Union[_filter_pb2.MetadataCondition, _Mapping]]] = ...) -> None: ...
