from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class DocumentsUpserted(_message.Message):
    __slots__ = ("collection_id", "document_ids", "created_count")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_IDS_FIELD_NUMBER: _ClassVar[int]
    CREATED_COUNT_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    document_ids: _containers.RepeatedScalarFieldContainer[str]
    created_count: int
    def __init__(self, collection_id: _Optional[str] = ..., document_ids: _Optional[_Iterable[str]] = ..., created_count: _Optional[int] = ...) -> None: ...

class DocumentsDeleted(_message.Message):
    __slots__ = ("collection_id", "document_ids")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_IDS_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    document_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, collection_id: _Optional[str] = ..., document_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class CollectionCleared(_message.Message):
    __slots__ = ("collection_id", "document_count")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    document_count: int
    def __init__(self, collection_id: _Optional[str] = ..., document_count: _Optional[int] = ...) -> None: ...
