import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import rules_pb2 as _rules_pb2
from memorysidecar.v1 import task_pb2 as _task_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PollTasksRequest(_message.Message):
    __slots__ = ("namespace", "hooks", "max_tasks", "wait", "lease", "worker_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    HOOKS_FIELD_NUMBER: _ClassVar[int]
    MAX_TASKS_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    LEASE_FIELD_NUMBER: _ClassVar[int]
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    hooks: _containers.RepeatedScalarFieldContainer[str]
    max_tasks: int
    wait: _duration_pb2.Duration
    lease: _duration_pb2.Duration
    worker_id: str
    def __init__(self, namespace: _Optional[str] = ..., hooks: _Optional[_Iterable[str]] = ..., max_tasks: _Optional[int] = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., lease: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., worker_id: _Optional[str] = ...) -> None: ...

class PollTasksResponse(_message.Message):
    __slots__ = ("tasks",)
    TASKS_FIELD_NUMBER: _ClassVar[int]
    tasks: _containers.RepeatedCompositeFieldContainer[_task_pb2.LeasedTask]
    def __init__(self, tasks: _Optional[_Iterable[_Union[_task_pb2.LeasedTask, _Mapping]]] = ...) -> None: ...

class CompleteTaskRequest(_message.Message):
    __slots__ = ("namespace", "task_id", "lease_token", "request_id", "summarize", "embed", "rerank", "extract", "score", "resolve")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    LEASE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    SUMMARIZE_FIELD_NUMBER: _ClassVar[int]
    EMBED_FIELD_NUMBER: _ClassVar[int]
    RERANK_FIELD_NUMBER: _ClassVar[int]
    EXTRACT_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    RESOLVE_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    task_id: str
    lease_token: str
    request_id: str
    summarize: _task_pb2.SummarizeOutput
    embed: _task_pb2.EmbedOutput
    rerank: _task_pb2.RerankOutput
    extract: _task_pb2.ExtractOutput
    score: _task_pb2.ScoreOutput
    resolve: _task_pb2.ResolveOutput
    def __init__(self, namespace: _Optional[str] = ..., task_id: _Optional[str] = ..., lease_token: _Optional[str] = ..., request_id: _Optional[str] = ..., summarize: _Optional[_Union[_task_pb2.SummarizeOutput, _Mapping]] = ..., embed: _Optional[_Union[_task_pb2.EmbedOutput, _Mapping]] = ..., rerank: _Optional[_Union[_task_pb2.RerankOutput, _Mapping]] = ..., extract: _Optional[_Union[_task_pb2.ExtractOutput, _Mapping]] = ..., score: _Optional[_Union[_task_pb2.ScoreOutput, _Mapping]] = ..., resolve: _Optional[_Union[_task_pb2.ResolveOutput, _Mapping]] = ...) -> None: ...

class CompleteTaskResponse(_message.Message):
    __slots__ = ("revision", "summary_version", "continues")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_VERSION_FIELD_NUMBER: _ClassVar[int]
    CONTINUES_FIELD_NUMBER: _ClassVar[int]
    revision: int
    summary_version: int
    continues: bool
    def __init__(self, revision: _Optional[int] = ..., summary_version: _Optional[int] = ..., continues: _Optional[bool] = ...) -> None: ...

class FailTaskRequest(_message.Message):
    __slots__ = ("namespace", "task_id", "lease_token", "message", "permanent", "retry_delay", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    LEASE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    PERMANENT_FIELD_NUMBER: _ClassVar[int]
    RETRY_DELAY_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    task_id: str
    lease_token: str
    message: str
    permanent: bool
    retry_delay: _duration_pb2.Duration
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., task_id: _Optional[str] = ..., lease_token: _Optional[str] = ..., message: _Optional[str] = ..., permanent: _Optional[bool] = ..., retry_delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class FailTaskResponse(_message.Message):
    __slots__ = ("state", "ready_time")
    STATE_FIELD_NUMBER: _ClassVar[int]
    READY_TIME_FIELD_NUMBER: _ClassVar[int]
    state: _task_pb2.TaskState
    ready_time: _timestamp_pb2.Timestamp
    def __init__(self, state: _Optional[_Union[_task_pb2.TaskState, str]] = ..., ready_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ExtendLeaseRequest(_message.Message):
    __slots__ = ("namespace", "task_id", "lease_token", "lease")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    LEASE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    LEASE_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    task_id: str
    lease_token: str
    lease: _duration_pb2.Duration
    def __init__(self, namespace: _Optional[str] = ..., task_id: _Optional[str] = ..., lease_token: _Optional[str] = ..., lease: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ExtendLeaseResponse(_message.Message):
    __slots__ = ("expire_time",)
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    expire_time: _timestamp_pb2.Timestamp
    def __init__(self, expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ListTasksRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "hook", "type", "state", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    HOOK_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    hook: str
    type: _task_pb2.TaskType
    state: _task_pb2.TaskState
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., hook: _Optional[str] = ..., type: _Optional[_Union[_task_pb2.TaskType, str]] = ..., state: _Optional[_Union[_task_pb2.TaskState, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListTasksResponse(_message.Message):
    __slots__ = ("tasks", "next_page_token")
    TASKS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tasks: _containers.RepeatedCompositeFieldContainer[_task_pb2.HookTask]
    next_page_token: str
    def __init__(self, tasks: _Optional[_Iterable[_Union[_task_pb2.HookTask, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetTaskRequest(_message.Message):
    __slots__ = ("namespace", "task_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    task_id: str
    def __init__(self, namespace: _Optional[str] = ..., task_id: _Optional[str] = ...) -> None: ...

class GetTaskResponse(_message.Message):
    __slots__ = ("task",)
    TASK_FIELD_NUMBER: _ClassVar[int]
    task: _task_pb2.HookTask
    def __init__(self, task: _Optional[_Union[_task_pb2.HookTask, _Mapping]] = ...) -> None: ...

class RetryTaskRequest(_message.Message):
    __slots__ = ("namespace", "task_id", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    task_id: str
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., task_id: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class RetryTaskResponse(_message.Message):
    __slots__ = ("task",)
    TASK_FIELD_NUMBER: _ClassVar[int]
    task: _task_pb2.HookTask
    def __init__(self, task: _Optional[_Union[_task_pb2.HookTask, _Mapping]] = ...) -> None: ...

class DeleteTaskRequest(_message.Message):
    __slots__ = ("namespace", "task_id", "allow_missing", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    task_id: str
    allow_missing: bool
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., task_id: _Optional[str] = ..., allow_missing: _Optional[bool] = ..., request_id: _Optional[str] = ...) -> None: ...

class DeleteTaskResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
