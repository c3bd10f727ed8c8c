from memorysidecar.v1 import document_pb2 as _document_pb2
from memorysidecar.v1 import recall_pb2 as _recall_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DocumentScoring(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DOCUMENT_SCORING_UNSPECIFIED: _ClassVar[DocumentScoring]
    DOCUMENT_SCORING_RECALL: _ClassVar[DocumentScoring]
    DOCUMENT_SCORING_COSINE: _ClassVar[DocumentScoring]
    DOCUMENT_SCORING_TF_IDF: _ClassVar[DocumentScoring]
DOCUMENT_SCORING_UNSPECIFIED: DocumentScoring
DOCUMENT_SCORING_RECALL: DocumentScoring
DOCUMENT_SCORING_COSINE: DocumentScoring
DOCUMENT_SCORING_TF_IDF: DocumentScoring

class UpsertDocumentsRequest(_message.Message):
    __slots__ = ("namespace", "collection_id", "documents", "splitter", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    SPLITTER_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    collection_id: str
    documents: _containers.RepeatedCompositeFieldContainer[_document_pb2.Document]
    splitter: _document_pb2.TextSplitter
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., collection_id: _Optional[str] = ..., documents: _Optional[_Iterable[_Union[_document_pb2.Document, _Mapping]]] = ..., splitter: _Optional[_Union[_document_pb2.TextSplitter, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class UpsertDocumentsResponse(_message.Message):
    __slots__ = ("documents", "revision")
    DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    documents: _containers.RepeatedCompositeFieldContainer[UpsertedDocument]
    revision: int
    def __init__(self, documents: _Optional[_Iterable[_Union[UpsertedDocument, _Mapping]]] = ..., revision: _Optional[int] = ...) -> None: ...

class UpsertedDocument(_message.Message):
    __slots__ = ("document_id", "created", "etag", "chunk_ids")
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    CHUNK_IDS_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    created: bool
    etag: str
    chunk_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, document_id: _Optional[str] = ..., created: _Optional[bool] = ..., etag: _Optional[str] = ..., chunk_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class GetDocumentRequest(_message.Message):
    __slots__ = ("namespace", "collection_id", "document_id", "include_embedding")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_EMBEDDING_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    collection_id: str
    document_id: str
    include_embedding: bool
    def __init__(self, namespace: _Optional[str] = ..., collection_id: _Optional[str] = ..., document_id: _Optional[str] = ..., include_embedding: _Optional[bool] = ...) -> None: ...

class GetDocumentResponse(_message.Message):
    __slots__ = ("document",)
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    document: _document_pb2.Document
    def __init__(self, document: _Optional[_Union[_document_pb2.Document, _Mapping]] = ...) -> None: ...

class ListDocumentsRequest(_message.Message):
    __slots__ = ("namespace", "collection_id", "filter", "include_embeddings", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_EMBEDDINGS_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    collection_id: str
    filter: DocumentFilter
    include_embeddings: bool
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., collection_id: _Optional[str] = ..., filter: _Optional[_Union[DocumentFilter, _Mapping]] = ..., include_embeddings: _Optional[bool] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListDocumentsResponse(_message.Message):
    __slots__ = ("documents", "next_page_token")
    DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    documents: _containers.RepeatedCompositeFieldContainer[_document_pb2.Document]
    next_page_token: str
    def __init__(self, documents: _Optional[_Iterable[_Union[_document_pb2.Document, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class DocumentFilter(_message.Message):
    __slots__ = ("labels", "metadata", "source_document_id")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    LABELS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    SOURCE_DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    labels: _containers.ScalarMap[str, str]
    metadata: _containers.RepeatedCompositeFieldContainer[_recall_pb2.MetadataCondition]
    source_document_id: str
    def __init__(self, labels: _Optional[_Mapping[str, str]] = ..., metadata: _Optional[_Iterable[_Union[_recall_pb2.MetadataCondition, _Mapping]]] = ..., source_document_id: _Optional[str] = ...) -> None: ...

class ListCollectionsRequest(_message.Message):
    __slots__ = ("namespace", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListCollectionsResponse(_message.Message):
    __slots__ = ("collections", "next_page_token")
    COLLECTIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    collections: _containers.RepeatedCompositeFieldContainer[_document_pb2.Collection]
    next_page_token: str
    def __init__(self, collections: _Optional[_Iterable[_Union[_document_pb2.Collection, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class DeleteDocumentsRequest(_message.Message):
    __slots__ = ("namespace", "collection_id", "document_ids", "etag", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_IDS_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    collection_id: str
    document_ids: _containers.RepeatedScalarFieldContainer[str]
    etag: str
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., collection_id: _Optional[str] = ..., document_ids: _Optional[_Iterable[str]] = ..., etag: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class DeleteDocumentsResponse(_message.Message):
    __slots__ = ("deleted_count", "revision")
    DELETED_COUNT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    deleted_count: int
    revision: int
    def __init__(self, deleted_count: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class ClearCollectionRequest(_message.Message):
    __slots__ = ("namespace", "collection_id", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    collection_id: str
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., collection_id: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class ClearCollectionResponse(_message.Message):
    __slots__ = ("deleted_count", "revision")
    DELETED_COUNT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    deleted_count: int
    revision: int
    def __init__(self, deleted_count: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class SearchDocumentsRequest(_message.Message):
    __slots__ = ("namespace", "collection_id", "query", "embedding", "scoring", "filter", "limit", "min_score", "include_embeddings")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    EMBEDDING_FIELD_NUMBER: _ClassVar[int]
    SCORING_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    MIN_SCORE_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_EMBEDDINGS_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    collection_id: str
    query: str
    embedding: _document_pb2.Embedding
    scoring: DocumentScoring
    filter: DocumentFilter
    limit: int
    min_score: float
    include_embeddings: bool
    def __init__(self, namespace: _Optional[str] = ..., collection_id: _Optional[str] = ..., query: _Optional[str] = ..., embedding: _Optional[_Union[_document_pb2.Embedding, _Mapping]] = ..., scoring: _Optional[_Union[DocumentScoring, str]] = ..., filter: _Optional[_Union[DocumentFilter, _Mapping]] = ..., limit: _Optional[int] = ..., min_score: _Optional[float] = ..., include_embeddings: _Optional[bool] = ...) -> None: ...

class SearchDocumentsResponse(_message.Message):
    __slots__ = ("matches",)
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedCompositeFieldContainer[DocumentMatch]
    def __init__(self, matches: _Optional[_Iterable[_Union[DocumentMatch, _Mapping]]] = ...) -> None: ...

class DocumentMatch(_message.Message):
    __slots__ = ("document", "score")
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    document: _document_pb2.Document
    score: float
    def __init__(self, document: _Optional[_Union[_document_pb2.Document, _Mapping]] = ..., score: _Optional[float] = ...) -> None: ...
