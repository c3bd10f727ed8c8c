from memorysidecar.v1 import event_pb2 as _event_pb2
from memorysidecar.v1 import rules_pb2 as _rules_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class WatchEventsRequest(_message.Message):
    __slots__ = ("namespace", "resume_token", "position", "consumer_id", "after_revision", "filter")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    CONSUMER_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_REVISION_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    resume_token: str
    position: _event_pb2.StreamPosition
    consumer_id: str
    after_revision: int
    filter: _event_pb2.EventFilter
    def __init__(self, namespace: _Optional[str] = ..., resume_token: _Optional[str] = ..., position: _Optional[_Union[_event_pb2.StreamPosition, str]] = ..., consumer_id: _Optional[str] = ..., after_revision: _Optional[int] = ..., filter: _Optional[_Union[_event_pb2.EventFilter, _Mapping]] = ...) -> None: ...

class WatchEventsResponse(_message.Message):
    __slots__ = ("events", "resume_token")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[_event_pb2.StreamedEvent]
    resume_token: str
    def __init__(self, events: _Optional[_Iterable[_Union[_event_pb2.StreamedEvent, _Mapping]]] = ..., resume_token: _Optional[str] = ...) -> None: ...

class ListEventsRequest(_message.Message):
    __slots__ = ("namespace", "resume_token", "after_revision", "filter", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AFTER_REVISION_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    resume_token: str
    after_revision: int
    filter: _event_pb2.EventFilter
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., resume_token: _Optional[str] = ..., after_revision: _Optional[int] = ..., filter: _Optional[_Union[_event_pb2.EventFilter, _Mapping]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListEventsResponse(_message.Message):
    __slots__ = ("events", "next_page_token", "resume_token")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[_event_pb2.Event]
    next_page_token: str
    resume_token: str
    def __init__(self, events: _Optional[_Iterable[_Union[_event_pb2.Event, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., resume_token: _Optional[str] = ...) -> None: ...

class CreateConsumerRequest(_message.Message):
    __slots__ = ("namespace", "consumer_id", "resume_token", "position", "after_revision", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    CONSUMER_ID_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    AFTER_REVISION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    consumer_id: str
    resume_token: str
    position: _event_pb2.StreamPosition
    after_revision: int
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., consumer_id: _Optional[str] = ..., resume_token: _Optional[str] = ..., position: _Optional[_Union[_event_pb2.StreamPosition, str]] = ..., after_revision: _Optional[int] = ..., request_id: _Optional[str] = ...) -> None: ...

class CreateConsumerResponse(_message.Message):
    __slots__ = ("consumer",)
    CONSUMER_FIELD_NUMBER: _ClassVar[int]
    consumer: _event_pb2.Consumer
    def __init__(self, consumer: _Optional[_Union[_event_pb2.Consumer, _Mapping]] = ...) -> None: ...

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
    consumer: _event_pb2.Consumer
    def __init__(self, consumer: _Optional[_Union[_event_pb2.Consumer, _Mapping]] = ...) -> None: ...

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
    consumers: _containers.RepeatedCompositeFieldContainer[_event_pb2.Consumer]
    next_page_token: str
    def __init__(self, consumers: _Optional[_Iterable[_Union[_event_pb2.Consumer, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

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
    consumer: _event_pb2.Consumer
    def __init__(self, consumer: _Optional[_Union[_event_pb2.Consumer, _Mapping]] = ...) -> None: ...
