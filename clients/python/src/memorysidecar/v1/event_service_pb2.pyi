import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import event_pb2 as _event_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class StreamPosition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STREAM_POSITION_UNSPECIFIED: _ClassVar[StreamPosition]
    STREAM_POSITION_NOW: _ClassVar[StreamPosition]
    STREAM_POSITION_OLDEST: _ClassVar[StreamPosition]
STREAM_POSITION_UNSPECIFIED: StreamPosition
STREAM_POSITION_NOW: StreamPosition
STREAM_POSITION_OLDEST: StreamPosition

class WatchEventsRequest(_message.Message):
    __slots__ = ("namespace", "resume_token", "position", "consumer_id", "filter")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    CONSUMER_ID_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    resume_token: str
    position: StreamPosition
    consumer_id: str
    filter: EventFilter
    def __init__(self, namespace: _Optional[str] = ..., resume_token: _Optional[str] = ..., position: _Optional[_Union[StreamPosition, str]] = ..., consumer_id: _Optional[str] = ..., filter: _Optional[_Union[EventFilter, _Mapping]] = ...) -> None: ...

class EventFilter(_message.Message):
    __slots__ = ("session_id", "user_id", "types")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    TYPES_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    user_id: str
    types: _containers.RepeatedScalarFieldContainer[_event_pb2.EventType]
    def __init__(self, session_id: _Optional[str] = ..., user_id: _Optional[str] = ..., types: _Optional[_Iterable[_Union[_event_pb2.EventType, str]]] = ...) -> None: ...

class WatchEventsResponse(_message.Message):
    __slots__ = ("events", "resume_token")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[StreamedEvent]
    resume_token: str
    def __init__(self, events: _Optional[_Iterable[_Union[StreamedEvent, _Mapping]]] = ..., resume_token: _Optional[str] = ...) -> None: ...

class StreamedEvent(_message.Message):
    __slots__ = ("event", "resume_token")
    EVENT_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    event: _event_pb2.Event
    resume_token: str
    def __init__(self, event: _Optional[_Union[_event_pb2.Event, _Mapping]] = ..., resume_token: _Optional[str] = ...) -> None: ...

class ListEventsRequest(_message.Message):
    __slots__ = ("namespace", "resume_token", "filter", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    resume_token: str
    filter: EventFilter
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., resume_token: _Optional[str] = ..., filter: _Optional[_Union[EventFilter, _Mapping]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListEventsResponse(_message.Message):
    __slots__ = ("events", "next_page_token", "resume_token")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[_event_pb2.Event]
    next_page_token: str
    resume_token: str
    def __init__(self, events: _Optional[_Iterable[_Union[_event_pb2.Event, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., resume_token: _Optional[str] = ...) -> None: ...

class Consumer(_message.Message):
    __slots__ = ("consumer_id", "resume_token", "revision", "lag", "create_time", "update_time")
    CONSUMER_ID_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    LAG_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    consumer_id: str
    resume_token: str
    revision: int
    lag: int
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    def __init__(self, consumer_id: _Optional[str] = ..., resume_token: _Optional[str] = ..., revision: _Optional[int] = ..., lag: _Optional[int] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CreateConsumerRequest(_message.Message):
    __slots__ = ("namespace", "consumer_id", "resume_token", "position", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    CONSUMER_ID_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    consumer_id: str
    resume_token: str
    position: StreamPosition
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., consumer_id: _Optional[str] = ..., resume_token: _Optional[str] = ..., position: _Optional[_Union[StreamPosition, str]] = ..., request_id: _Optional[str] = ...) -> None: ...

class CreateConsumerResponse(_message.Message):
    __slots__ = ("consumer",)
    CONSUMER_FIELD_NUMBER: _ClassVar[int]
    consumer: Consumer
    def __init__(self, consumer: _Optional[_Union[Consumer, _Mapping]] = ...) -> None: ...

class GetConsumerRequest(_message.Message):
    __slots__ = ("namespace", "consumer_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    CONSUMER_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    consumer_id: str
    def __init__(self, namespace: _Optional[str] = ..., consumer_id: _Optional[str] = ...) -> None: ...

class GetConsumerResponse(_message.Message):
    __slots__ = ("consumer",)
    CONSUMER_FIELD_NUMBER: _ClassVar[int]
    consumer: Consumer
    def __init__(self, consumer: _Optional[_Union[Consumer, _Mapping]] = ...) -> None: ...

class ListConsumersRequest(_message.Message):
    __slots__ = ("namespace", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListConsumersResponse(_message.Message):
    __slots__ = ("consumers", "next_page_token")
    CONSUMERS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    consumers: _containers.RepeatedCompositeFieldContainer[Consumer]
    next_page_token: str
    def __init__(self, consumers: _Optional[_Iterable[_Union[Consumer, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class DeleteConsumerRequest(_message.Message):
    __slots__ = ("namespace", "consumer_id", "allow_missing", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    CONSUMER_ID_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    consumer_id: str
    allow_missing: bool
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., consumer_id: _Optional[str] = ..., allow_missing: _Optional[bool] = ..., request_id: _Optional[str] = ...) -> None: ...

class DeleteConsumerResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class AckEventsRequest(_message.Message):
    __slots__ = ("namespace", "consumer_id", "resume_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    CONSUMER_ID_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    consumer_id: str
    resume_token: str
    def __init__(self, namespace: _Optional[str] = ..., consumer_id: _Optional[str] = ..., resume_token: _Optional[str] = ...) -> None: ...

class AckEventsResponse(_message.Message):
    __slots__ = ("consumer",)
    CONSUMER_FIELD_NUMBER: _ClassVar[int]
    consumer: Consumer
    def __init__(self, consumer: _Optional[_Union[Consumer, _Mapping]] = ...) -> None: ...
