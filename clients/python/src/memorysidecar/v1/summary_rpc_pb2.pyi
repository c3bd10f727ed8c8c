import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from memorysidecar.v1 import message_pb2 as _message_pb2
from memorysidecar.v1 import policy_summary_pb2 as _policy_summary_pb2
from memorysidecar.v1 import summary_pb2 as _summary_pb2
from memorysidecar.v1 import task_pb2 as _task_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CompactOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COMPACT_OUTCOME_UNSPECIFIED: _ClassVar[CompactOutcome]
    COMPACT_OUTCOME_NOTHING: _ClassVar[CompactOutcome]
    COMPACT_OUTCOME_PENDING: _ClassVar[CompactOutcome]
    COMPACT_OUTCOME_DONE: _ClassVar[CompactOutcome]
    COMPACT_OUTCOME_FAILED: _ClassVar[CompactOutcome]
    COMPACT_OUTCOME_SUPERSEDED: _ClassVar[CompactOutcome]
COMPACT_OUTCOME_UNSPECIFIED: CompactOutcome
COMPACT_OUTCOME_NOTHING: CompactOutcome
COMPACT_OUTCOME_PENDING: CompactOutcome
COMPACT_OUTCOME_DONE: CompactOutcome
COMPACT_OUTCOME_FAILED: CompactOutcome
COMPACT_OUTCOME_SUPERSEDED: CompactOutcome

class CompactSessionRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "keep_recent", "stage", "summarize", "wait", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    KEEP_RECENT_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    SUMMARIZE_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    keep_recent: int
    stage: str
    summarize: _policy_summary_pb2.Summarize
    wait: _duration_pb2.Duration
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., keep_recent: _Optional[int] = ..., stage: _Optional[str] = ..., summarize: _Optional[_Union[_policy_summary_pb2.Summarize, _Mapping]] = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class CompactSessionResponse(_message.Message):
    __slots__ = ("revision", "task", "outcome", "summary")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    revision: int
    task: _task_pb2.Task
    outcome: CompactOutcome
    summary: _summary_pb2.SummaryVersion
    def __init__(self, revision: _Optional[int] = ..., task: _Optional[_Union[_task_pb2.Task, _Mapping]] = ..., outcome: _Optional[_Union[CompactOutcome, str]] = ..., summary: _Optional[_Union[_summary_pb2.SummaryVersion, _Mapping]] = ...) -> None: ...

class ListSummariesRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "current_only", "oldest_first", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CURRENT_ONLY_FIELD_NUMBER: _ClassVar[int]
    OLDEST_FIRST_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    current_only: bool
    oldest_first: bool
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., current_only: _Optional[bool] = ..., oldest_first: _Optional[bool] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListSummariesResponse(_message.Message):
    __slots__ = ("summaries", "next_page_token")
    SUMMARIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    summaries: _containers.RepeatedCompositeFieldContainer[_summary_pb2.SummaryVersion]
    next_page_token: str
    def __init__(self, summaries: _Optional[_Iterable[_Union[_summary_pb2.SummaryVersion, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListSummarySourcesRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "version", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    version: int
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., version: _Optional[int] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListSummarySourcesResponse(_message.Message):
    __slots__ = ("messages", "next_page_token")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    next_page_token: str
    def __init__(self, messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...
