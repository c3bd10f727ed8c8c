import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import event_detail_pb2 as _event_detail_pb2
from memorysidecar.v1 import event_document_pb2 as _event_document_pb2
from memorysidecar.v1 import event_memory_pb2 as _event_memory_pb2
from memorysidecar.v1 import event_summary_pb2 as _event_summary_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EventType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EVENT_TYPE_UNSPECIFIED: _ClassVar[EventType]
    EVENT_TYPE_SESSION_CREATED: _ClassVar[EventType]
    EVENT_TYPE_SESSION_UPDATED: _ClassVar[EventType]
    EVENT_TYPE_SESSION_DELETED: _ClassVar[EventType]
    EVENT_TYPE_SESSION_FORKED: _ClassVar[EventType]
    EVENT_TYPE_SESSION_RESET: _ClassVar[EventType]
    EVENT_TYPE_MESSAGES_APPENDED: _ClassVar[EventType]
    EVENT_TYPE_MESSAGES_TRIMMED: _ClassVar[EventType]
    EVENT_TYPE_MESSAGE_UPDATED: _ClassVar[EventType]
    EVENT_TYPE_MESSAGE_DELETED: _ClassVar[EventType]
    EVENT_TYPE_MESSAGES_RESTORED: _ClassVar[EventType]
    EVENT_TYPE_SUMMARY_SET: _ClassVar[EventType]
    EVENT_TYPE_MESSAGES_HEALED: _ClassVar[EventType]
    EVENT_TYPE_SESSION_IMPORTED: _ClassVar[EventType]
    EVENT_TYPE_POLICY_WARNED: _ClassVar[EventType]
    EVENT_TYPE_TURN_ENDED: _ClassVar[EventType]
    EVENT_TYPE_SUMMARY_REQUESTED: _ClassVar[EventType]
    EVENT_TYPE_SUMMARY_FAILED: _ClassVar[EventType]
    EVENT_TYPE_SUMMARY_SUPERSEDED: _ClassVar[EventType]
    EVENT_TYPE_TASK_DEAD: _ClassVar[EventType]
    EVENT_TYPE_DOCUMENTS_UPSERTED: _ClassVar[EventType]
    EVENT_TYPE_DOCUMENTS_DELETED: _ClassVar[EventType]
    EVENT_TYPE_COLLECTION_CLEARED: _ClassVar[EventType]
    EVENT_TYPE_MEMORIES_REMEMBERED: _ClassVar[EventType]
    EVENT_TYPE_MEMORY_UPDATED: _ClassVar[EventType]
    EVENT_TYPE_MEMORIES_REINFORCED: _ClassVar[EventType]
    EVENT_TYPE_MEMORIES_DECAYED: _ClassVar[EventType]
    EVENT_TYPE_MEMORIES_DELETED: _ClassVar[EventType]
    EVENT_TYPE_MEMORY_JOB_ENDED: _ClassVar[EventType]
EVENT_TYPE_UNSPECIFIED: EventType
EVENT_TYPE_SESSION_CREATED: EventType
EVENT_TYPE_SESSION_UPDATED: EventType
EVENT_TYPE_SESSION_DELETED: EventType
EVENT_TYPE_SESSION_FORKED: EventType
EVENT_TYPE_SESSION_RESET: EventType
EVENT_TYPE_MESSAGES_APPENDED: EventType
EVENT_TYPE_MESSAGES_TRIMMED: EventType
EVENT_TYPE_MESSAGE_UPDATED: EventType
EVENT_TYPE_MESSAGE_DELETED: EventType
EVENT_TYPE_MESSAGES_RESTORED: EventType
EVENT_TYPE_SUMMARY_SET: EventType
EVENT_TYPE_MESSAGES_HEALED: EventType
EVENT_TYPE_SESSION_IMPORTED: EventType
EVENT_TYPE_POLICY_WARNED: EventType
EVENT_TYPE_TURN_ENDED: EventType
EVENT_TYPE_SUMMARY_REQUESTED: EventType
EVENT_TYPE_SUMMARY_FAILED: EventType
EVENT_TYPE_SUMMARY_SUPERSEDED: EventType
EVENT_TYPE_TASK_DEAD: EventType
EVENT_TYPE_DOCUMENTS_UPSERTED: EventType
EVENT_TYPE_DOCUMENTS_DELETED: EventType
EVENT_TYPE_COLLECTION_CLEARED: EventType
EVENT_TYPE_MEMORIES_REMEMBERED: EventType
EVENT_TYPE_MEMORY_UPDATED: EventType
EVENT_TYPE_MEMORIES_REINFORCED: EventType
EVENT_TYPE_MEMORIES_DECAYED: EventType
EVENT_TYPE_MEMORIES_DELETED: EventType
EVENT_TYPE_MEMORY_JOB_ENDED: EventType

class Event(_message.Message):
    __slots__ = ("revision", "index", "type", "namespace", "session_id", "user_id", "agent_id", "create_time", "request_id", "continued", "session_created", "session_updated", "session_deleted", "session_forked", "session_reset", "messages_appended", "messages_trimmed", "message_updated", "message_deleted", "messages_restored", "summary_set", "messages_healed", "session_imported", "policy_warned", "turn_ended", "summary_requested", "summary_failed", "summary_superseded", "task_dead", "documents_upserted", "documents_deleted", "collection_cleared", "memories_remembered", "memory_updated", "memories_reinforced", "memories_decayed", "memories_deleted", "memory_job_ended")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    CONTINUED_FIELD_NUMBER: _ClassVar[int]
    SESSION_CREATED_FIELD_NUMBER: _ClassVar[int]
    SESSION_UPDATED_FIELD_NUMBER: _ClassVar[int]
    SESSION_DELETED_FIELD_NUMBER: _ClassVar[int]
    SESSION_FORKED_FIELD_NUMBER: _ClassVar[int]
    SESSION_RESET_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_APPENDED_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_TRIMMED_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_UPDATED_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_DELETED_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_RESTORED_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_SET_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_HEALED_FIELD_NUMBER: _ClassVar[int]
    SESSION_IMPORTED_FIELD_NUMBER: _ClassVar[int]
    POLICY_WARNED_FIELD_NUMBER: _ClassVar[int]
    TURN_ENDED_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_REQUESTED_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FAILED_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    TASK_DEAD_FIELD_NUMBER: _ClassVar[int]
    DOCUMENTS_UPSERTED_FIELD_NUMBER: _ClassVar[int]
    DOCUMENTS_DELETED_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_CLEARED_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_REMEMBERED_FIELD_NUMBER: _ClassVar[int]
    MEMORY_UPDATED_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_REINFORCED_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_DECAYED_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_DELETED_FIELD_NUMBER: _ClassVar[int]
    MEMORY_JOB_ENDED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    index: int
    type: EventType
    namespace: str
    session_id: str
    user_id: str
    agent_id: str
    create_time: _timestamp_pb2.Timestamp
    request_id: str
    continued: bool
    session_created: _event_detail_pb2.SessionCreated
    session_updated: _event_detail_pb2.SessionUpdated
    session_deleted: _event_detail_pb2.SessionDeleted
    session_forked: _event_detail_pb2.SessionForked
    session_reset: _event_detail_pb2.SessionReset
    messages_appended: _event_detail_pb2.MessagesAppended
    messages_trimmed: _event_detail_pb2.MessagesTrimmed
    message_updated: _event_detail_pb2.MessageUpdated
    message_deleted: _event_detail_pb2.MessageDeleted
    messages_restored: _event_detail_pb2.MessagesRestored
    summary_set: _event_summary_pb2.SummarySet
    messages_healed: _event_detail_pb2.MessagesHealed
    session_imported: _event_detail_pb2.SessionImported
    policy_warned: _event_detail_pb2.PolicyWarned
    turn_ended: _event_detail_pb2.TurnEnded
    summary_requested: _event_summary_pb2.SummaryRequested
    summary_failed: _event_summary_pb2.SummaryFailed
    summary_superseded: _event_summary_pb2.SummarySuperseded
    task_dead: _event_summary_pb2.TaskDead
    documents_upserted: _event_document_pb2.DocumentsUpserted
    documents_deleted: _event_document_pb2.DocumentsDeleted
    collection_cleared: _event_document_pb2.CollectionCleared
    memories_remembered: _event_memory_pb2.MemoriesRemembered
    memory_updated: _event_memory_pb2.MemoryUpdated
    memories_reinforced: _event_memory_pb2.MemoriesReinforced
    memories_decayed: _event_memory_pb2.MemoriesDecayed
    memories_deleted: _event_memory_pb2.MemoriesDeleted
    memory_job_ended: _event_memory_pb2.MemoryJobEnded
    def __init__(self, revision: _Optional[int] = ..., index: _Optional[int] = ..., type: _Optional[_Union[EventType, str]] = ..., namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., user_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., request_id: _Optional[str] = ..., continued: _Optional[bool] = ..., session_created: _Optional[_Union[_event_detail_pb2.SessionCreated, _Mapping]] = ..., session_updated: _Optional[_Union[_event_detail_pb2.SessionUpdated, _Mapping]] = ..., session_deleted: _Optional[_Union[_event_detail_pb2.SessionDeleted, _Mapping]] = ..., session_forked: _Optional[_Union[_event_detail_pb2.SessionForked, _Mapping]] = ..., session_reset: _Optional[_Union[_event_detail_pb2.SessionReset, _Mapping]] = ..., messages_appended: _Optional[_Union[_event_detail_pb2.MessagesAppended, _Mapping]] = ..., messages_trimmed: _Optional[_Union[_event_detail_pb2.MessagesTrimmed, _Mapping]] = ..., message_updated: _Optional[_Union[_event_detail_pb2.MessageUpdated, _Mapping]] = ..., message_deleted: _Optional[_Union[_event_detail_pb2.MessageDeleted, _Mapping]] = ..., messages_restored: _Optional[_Union[_event_detail_pb2.MessagesRestored, _Mapping]] = ..., summary_set: _Optional[_Union[_event_summary_pb2.SummarySet, _Mapping]] = ..., messages_healed: _Optional[_Union[_event_detail_pb2.MessagesHealed, _Mapping]] = ..., session_imported: _Optional[_Union[_event_detail_pb2.SessionImported, _Mapping]] = ..., policy_warned: _Optional[_Union[_event_detail_pb2.PolicyWarned, _Mapping]] = ..., turn_ended: _Optional[_Union[_event_detail_pb2.TurnEnded, _Mapping]] = ..., summary_requested: _Optional[_Union[_event_summary_pb2.SummaryRequested, _Mapping]] = ..., summary_failed: _Optional[_Union[_event_summary_pb2.SummaryFailed, _Mapping]] = ..., summary_superseded: _Optional[_Union[_event_summary_pb2.SummarySuperseded, _Mapping]] = ..., task_dead: _Optional[_Union[_event_summary_pb2.TaskDead, _Mapping]] = ..., documents_upserted: _Optional[_Union[_event_document_pb2.DocumentsUpserted, _Mapping]] = ..., documents_deleted: _Optional[_Union[_event_document_pb2.DocumentsDeleted, _Mapping]] = ..., collection_cleared: _Optional[_Union[_event_document_pb2.CollectionCleared, _Mapping]] = ..., memories_remembered: _Optional[_Union[_event_memory_pb2.MemoriesRemembered, _Mapping]] = ..., memory_updated: _Optional[_Union[_event_memory_pb2.MemoryUpdated, _Mapping]] = ..., memories_reinforced: _Optional[_Union[_event_memory_pb2.MemoriesReinforced, _Mapping]] = ..., memories_decayed: _Optional[_Union[_event_memory_pb2.MemoriesDecayed, _Mapping]] = ..., memories_deleted: _Optional[_Union[_event_memory_pb2.MemoriesDeleted, _Mapping]] = ..., memory_job_ended: _Optional[_Union[_event_memory_pb2.MemoryJobEnded, _Mapping]] = ...) -> None: ...
