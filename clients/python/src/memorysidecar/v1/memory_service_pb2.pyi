import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import field_mask_pb2 as _field_mask_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import document_pb2 as _document_pb2
from memorysidecar.v1 import filter_pb2 as _filter_pb2
from memorysidecar.v1 import memory_pb2 as _memory_pb2
from memorysidecar.v1 import rules_pb2 as _rules_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RememberRequest(_message.Message):
    __slots__ = ("namespace", "memories", "dedupe", "conflict", "max_memories", "neutralize_prompt_markers", "reason", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_FIELD_NUMBER: _ClassVar[int]
    DEDUPE_FIELD_NUMBER: _ClassVar[int]
    CONFLICT_FIELD_NUMBER: _ClassVar[int]
    MAX_MEMORIES_FIELD_NUMBER: _ClassVar[int]
    NEUTRALIZE_PROMPT_MARKERS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    memories: _containers.RepeatedCompositeFieldContainer[_memory_pb2.Memory]
    dedupe: _memory_pb2.DedupeRule
    conflict: _memory_pb2.ConflictRule
    max_memories: int
    neutralize_prompt_markers: bool
    reason: str
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., memories: _Optional[_Iterable[_Union[_memory_pb2.Memory, _Mapping]]] = ..., dedupe: _Optional[_Union[_memory_pb2.DedupeRule, _Mapping]] = ..., conflict: _Optional[_Union[_memory_pb2.ConflictRule, _Mapping]] = ..., max_memories: _Optional[int] = ..., neutralize_prompt_markers: _Optional[bool] = ..., reason: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class RememberResponse(_message.Message):
    __slots__ = ("results", "evicted_memory_ids", "revision")
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    EVICTED_MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[_memory_pb2.RememberedMemory]
    evicted_memory_ids: _containers.RepeatedScalarFieldContainer[str]
    revision: int
    def __init__(self, results: _Optional[_Iterable[_Union[_memory_pb2.RememberedMemory, _Mapping]]] = ..., evicted_memory_ids: _Optional[_Iterable[str]] = ..., revision: _Optional[int] = ...) -> None: ...

class GetMemoryRequest(_message.Message):
    __slots__ = ("namespace", "memory_id", "as_of_time")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TIME_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    memory_id: str
    as_of_time: _timestamp_pb2.Timestamp
    def __init__(self, namespace: _Optional[str] = ..., memory_id: _Optional[str] = ..., as_of_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class GetMemoryResponse(_message.Message):
    __slots__ = ("memory",)
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    memory: _memory_pb2.Memory
    def __init__(self, memory: _Optional[_Union[_memory_pb2.Memory, _Mapping]] = ...) -> None: ...

class ListMemoriesRequest(_message.Message):
    __slots__ = ("namespace", "filter", "as_of_time", "order", "page_size", "page_token", "include_total")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TIME_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_TOTAL_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    filter: _memory_pb2.MemoryFilter
    as_of_time: _timestamp_pb2.Timestamp
    order: _memory_pb2.MemoryOrder
    page_size: int
    page_token: str
    include_total: bool
    def __init__(self, namespace: _Optional[str] = ..., filter: _Optional[_Union[_memory_pb2.MemoryFilter, _Mapping]] = ..., as_of_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., order: _Optional[_Union[_memory_pb2.MemoryOrder, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., include_total: _Optional[bool] = ...) -> None: ...

class ListMemoriesResponse(_message.Message):
    __slots__ = ("memories", "next_page_token", "total")
    MEMORIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    memories: _containers.RepeatedCompositeFieldContainer[_memory_pb2.Memory]
    next_page_token: str
    total: _filter_pb2.ListTotal
    def __init__(self, memories: _Optional[_Iterable[_Union[_memory_pb2.Memory, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total: _Optional[_Union[_filter_pb2.ListTotal, _Mapping]] = ...) -> None: ...

class UpdateMemoryRequest(_message.Message):
    __slots__ = ("namespace", "memory", "update_mask", "reason", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    memory: _memory_pb2.Memory
    update_mask: _field_mask_pb2.FieldMask
    reason: str
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., memory: _Optional[_Union[_memory_pb2.Memory, _Mapping]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping]] = ..., reason: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class UpdateMemoryResponse(_message.Message):
    __slots__ = ("memory", "revision")
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    memory: _memory_pb2.Memory
    revision: int
    def __init__(self, memory: _Optional[_Union[_memory_pb2.Memory, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class ReinforceMemoriesRequest(_message.Message):
    __slots__ = ("namespace", "memory_ids", "amount", "allow_missing", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    memory_ids: _containers.RepeatedScalarFieldContainer[str]
    amount: float
    allow_missing: bool
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., memory_ids: _Optional[_Iterable[str]] = ..., amount: _Optional[float] = ..., allow_missing: _Optional[bool] = ..., request_id: _Optional[str] = ...) -> None: ...

class ReinforceMemoriesResponse(_message.Message):
    __slots__ = ("memories", "revision")
    MEMORIES_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    memories: _containers.RepeatedCompositeFieldContainer[_memory_pb2.Memory]
    revision: int
    def __init__(self, memories: _Optional[_Iterable[_Union[_memory_pb2.Memory, _Mapping]]] = ..., revision: _Optional[int] = ...) -> None: ...

class DecayMemoriesRequest(_message.Message):
    __slots__ = ("namespace", "filter", "factor", "delete_below", "unseen_for", "request_id", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    FACTOR_FIELD_NUMBER: _ClassVar[int]
    DELETE_BELOW_FIELD_NUMBER: _ClassVar[int]
    UNSEEN_FOR_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    filter: _memory_pb2.MemoryFilter
    factor: float
    delete_below: float
    unseen_for: _duration_pb2.Duration
    request_id: str
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., filter: _Optional[_Union[_memory_pb2.MemoryFilter, _Mapping]] = ..., factor: _Optional[float] = ..., delete_below: _Optional[float] = ..., unseen_for: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., request_id: _Optional[str] = ..., page_token: _Optional[str] = ...) -> None: ...

class DecayMemoriesResponse(_message.Message):
    __slots__ = ("decayed_count", "deleted_memory_ids", "next_page_token", "revision")
    DECAYED_COUNT_FIELD_NUMBER: _ClassVar[int]
    DELETED_MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    decayed_count: int
    deleted_memory_ids: _containers.RepeatedScalarFieldContainer[str]
    next_page_token: str
    revision: int
    def __init__(self, decayed_count: _Optional[int] = ..., deleted_memory_ids: _Optional[_Iterable[str]] = ..., next_page_token: _Optional[str] = ..., revision: _Optional[int] = ...) -> None: ...

class ForgetMemoriesRequest(_message.Message):
    __slots__ = ("namespace", "memory_ids", "etag", "allow_missing", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    memory_ids: _containers.RepeatedScalarFieldContainer[str]
    etag: str
    allow_missing: bool
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., memory_ids: _Optional[_Iterable[str]] = ..., etag: _Optional[str] = ..., allow_missing: _Optional[bool] = ..., request_id: _Optional[str] = ...) -> None: ...

class ForgetMemoriesResponse(_message.Message):
    __slots__ = ("forgotten_count", "revision")
    FORGOTTEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    forgotten_count: int
    revision: int
    def __init__(self, forgotten_count: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class PurgeMemoriesRequest(_message.Message):
    __slots__ = ("namespace", "filter", "force", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    FORCE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    filter: _memory_pb2.MemoryFilter
    force: bool
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., filter: _Optional[_Union[_memory_pb2.MemoryFilter, _Mapping]] = ..., force: _Optional[bool] = ..., request_id: _Optional[str] = ...) -> None: ...

class PurgeMemoriesResponse(_message.Message):
    __slots__ = ("memory_count", "sample_memory_ids", "more", "revision")
    MEMORY_COUNT_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    memory_count: int
    sample_memory_ids: _containers.RepeatedScalarFieldContainer[str]
    more: bool
    revision: int
    def __init__(self, memory_count: _Optional[int] = ..., sample_memory_ids: _Optional[_Iterable[str]] = ..., more: _Optional[bool] = ..., revision: _Optional[int] = ...) -> None: ...

class ListMemoryVersionsRequest(_message.Message):
    __slots__ = ("namespace", "memory_id", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    memory_id: str
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., memory_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListMemoryVersionsResponse(_message.Message):
    __slots__ = ("versions", "next_page_token")
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    versions: _containers.RepeatedCompositeFieldContainer[_memory_pb2.Memory]
    next_page_token: str
    def __init__(self, versions: _Optional[_Iterable[_Union[_memory_pb2.Memory, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RestoreMemoryVersionRequest(_message.Message):
    __slots__ = ("namespace", "memory_id", "version", "etag", "reason", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    memory_id: str
    version: int
    etag: str
    reason: str
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., memory_id: _Optional[str] = ..., version: _Optional[int] = ..., etag: _Optional[str] = ..., reason: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class RestoreMemoryVersionResponse(_message.Message):
    __slots__ = ("memory", "revision")
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    memory: _memory_pb2.Memory
    revision: int
    def __init__(self, memory: _Optional[_Union[_memory_pb2.Memory, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class MergeEntitiesRequest(_message.Message):
    __slots__ = ("namespace", "target_memory_id", "source_memory_ids", "reason", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    TARGET_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    target_memory_id: str
    source_memory_ids: _containers.RepeatedScalarFieldContainer[str]
    reason: str
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., target_memory_id: _Optional[str] = ..., source_memory_ids: _Optional[_Iterable[str]] = ..., reason: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class MergeEntitiesResponse(_message.Message):
    __slots__ = ("entity", "revision")
    ENTITY_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    entity: _memory_pb2.Memory
    revision: int
    def __init__(self, entity: _Optional[_Union[_memory_pb2.Memory, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class QueryRelationsRequest(_message.Message):
    __slots__ = ("namespace", "filter", "subject", "predicate", "object_value", "entity", "max_hops", "keywords", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    PREDICATE_FIELD_NUMBER: _ClassVar[int]
    OBJECT_VALUE_FIELD_NUMBER: _ClassVar[int]
    ENTITY_FIELD_NUMBER: _ClassVar[int]
    MAX_HOPS_FIELD_NUMBER: _ClassVar[int]
    KEYWORDS_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    filter: _memory_pb2.MemoryFilter
    subject: str
    predicate: str
    object_value: str
    entity: str
    max_hops: int
    keywords: _containers.RepeatedScalarFieldContainer[str]
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., filter: _Optional[_Union[_memory_pb2.MemoryFilter, _Mapping]] = ..., subject: _Optional[str] = ..., predicate: _Optional[str] = ..., object_value: _Optional[str] = ..., entity: _Optional[str] = ..., max_hops: _Optional[int] = ..., keywords: _Optional[_Iterable[str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class QueryRelationsResponse(_message.Message):
    __slots__ = ("relations", "next_page_token", "truncated")
    RELATIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    relations: _containers.RepeatedCompositeFieldContainer[_memory_pb2.FoundRelation]
    next_page_token: str
    truncated: bool
    def __init__(self, relations: _Optional[_Iterable[_Union[_memory_pb2.FoundRelation, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., truncated: _Optional[bool] = ...) -> None: ...

class ConsolidateSessionRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class ConsolidateSessionResponse(_message.Message):
    __slots__ = ("promoted_memory_ids", "evicted_memory_ids", "revision")
    PROMOTED_MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    EVICTED_MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    promoted_memory_ids: _containers.RepeatedScalarFieldContainer[str]
    evicted_memory_ids: _containers.RepeatedScalarFieldContainer[str]
    revision: int
    def __init__(self, promoted_memory_ids: _Optional[_Iterable[str]] = ..., evicted_memory_ids: _Optional[_Iterable[str]] = ..., revision: _Optional[int] = ...) -> None: ...

class ExtractMemoriesRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "first_seq", "last_seq", "text", "scope", "extraction", "preview", "importance_rules", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    FIRST_SEQ_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    EXTRACTION_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_RULES_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    first_seq: int
    last_seq: int
    text: str
    scope: _memory_pb2.MemoryScope
    extraction: _memory_pb2.ExtractionPolicy
    preview: bool
    importance_rules: _containers.RepeatedCompositeFieldContainer[_memory_pb2.ImportanceRule]
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., first_seq: _Optional[int] = ..., last_seq: _Optional[int] = ..., text: _Optional[str] = ..., scope: _Optional[_Union[_memory_pb2.MemoryScope, _Mapping]] = ..., extraction: _Optional[_Union[_memory_pb2.ExtractionPolicy, _Mapping]] = ..., preview: _Optional[bool] = ..., importance_rules: _Optional[_Iterable[_Union[_memory_pb2.ImportanceRule, _Mapping]]] = ..., request_id: _Optional[str] = ...) -> None: ...

class ExtractMemoriesResponse(_message.Message):
    __slots__ = ("memories", "created_count", "rejected_count", "revision", "scores")
    MEMORIES_FIELD_NUMBER: _ClassVar[int]
    CREATED_COUNT_FIELD_NUMBER: _ClassVar[int]
    REJECTED_COUNT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    memories: _containers.RepeatedCompositeFieldContainer[_memory_pb2.Memory]
    created_count: int
    rejected_count: int
    revision: int
    scores: _containers.RepeatedCompositeFieldContainer[_memory_pb2.ImportanceScore]
    def __init__(self, memories: _Optional[_Iterable[_Union[_memory_pb2.Memory, _Mapping]]] = ..., created_count: _Optional[int] = ..., rejected_count: _Optional[int] = ..., revision: _Optional[int] = ..., scores: _Optional[_Iterable[_Union[_memory_pb2.ImportanceScore, _Mapping]]] = ...) -> None: ...

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
    documents: _containers.RepeatedCompositeFieldContainer[_document_pb2.UpsertedDocument]
    revision: int
    def __init__(self, documents: _Optional[_Iterable[_Union[_document_pb2.UpsertedDocument, _Mapping]]] = ..., revision: _Optional[int] = ...) -> None: ...

class GetDocumentRequest(_message.Message):
    __slots__ = ("namespace", "collection_id", "document_id", "include_embedding", "include_payload")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_EMBEDDING_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_PAYLOAD_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    collection_id: str
    document_id: str
    include_embedding: bool
    include_payload: bool
    def __init__(self, namespace: _Optional[str] = ..., collection_id: _Optional[str] = ..., document_id: _Optional[str] = ..., include_embedding: _Optional[bool] = ..., include_payload: _Optional[bool] = ...) -> None: ...

class GetDocumentResponse(_message.Message):
    __slots__ = ("document",)
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    document: _document_pb2.Document
    def __init__(self, document: _Optional[_Union[_document_pb2.Document, _Mapping]] = ...) -> None: ...

class ListDocumentsRequest(_message.Message):
    __slots__ = ("namespace", "collection_id", "filter", "include_embeddings", "page_size", "page_token", "include_total", "include_payloads", "recursive")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_EMBEDDINGS_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_TOTAL_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_PAYLOADS_FIELD_NUMBER: _ClassVar[int]
    RECURSIVE_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    collection_id: str
    filter: _document_pb2.DocumentFilter
    include_embeddings: bool
    page_size: int
    page_token: str
    include_total: bool
    include_payloads: bool
    recursive: bool
    def __init__(self, namespace: _Optional[str] = ..., collection_id: _Optional[str] = ..., filter: _Optional[_Union[_document_pb2.DocumentFilter, _Mapping]] = ..., include_embeddings: _Optional[bool] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., include_total: _Optional[bool] = ..., include_payloads: _Optional[bool] = ..., recursive: _Optional[bool] = ...) -> None: ...

class ListDocumentsResponse(_message.Message):
    __slots__ = ("documents", "next_page_token", "total")
    DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    documents: _containers.RepeatedCompositeFieldContainer[_document_pb2.Document]
    next_page_token: str
    total: _filter_pb2.ListTotal
    def __init__(self, documents: _Optional[_Iterable[_Union[_document_pb2.Document, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total: _Optional[_Union[_filter_pb2.ListTotal, _Mapping]] = ...) -> None: ...

class ListCollectionsRequest(_message.Message):
    __slots__ = ("namespace", "page_size", "page_token", "parent", "max_depth")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    MAX_DEPTH_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    page_size: int
    page_token: str
    parent: str
    max_depth: int
    def __init__(self, namespace: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., parent: _Optional[str] = ..., max_depth: _Optional[int] = ...) -> None: ...

class ListCollectionsResponse(_message.Message):
    __slots__ = ("collections", "next_page_token")
    COLLECTIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    collections: _containers.RepeatedCompositeFieldContainer[_document_pb2.DocumentCollection]
    next_page_token: str
    def __init__(self, collections: _Optional[_Iterable[_Union[_document_pb2.DocumentCollection, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RefreshDocumentsRequest(_message.Message):
    __slots__ = ("namespace", "collection_id", "document_ids")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_IDS_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    collection_id: str
    document_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, namespace: _Optional[str] = ..., collection_id: _Optional[str] = ..., document_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class RefreshDocumentsResponse(_message.Message):
    __slots__ = ("documents",)
    DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    documents: _containers.RepeatedCompositeFieldContainer[_document_pb2.RefreshedDocument]
    def __init__(self, documents: _Optional[_Iterable[_Union[_document_pb2.RefreshedDocument, _Mapping]]] = ...) -> None: ...

class DeleteDocumentsRequest(_message.Message):
    __slots__ = ("namespace", "collection_id", "document_ids", "etag", "allow_missing", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_IDS_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    collection_id: str
    document_ids: _containers.RepeatedScalarFieldContainer[str]
    etag: str
    allow_missing: bool
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., collection_id: _Optional[str] = ..., document_ids: _Optional[_Iterable[str]] = ..., etag: _Optional[str] = ..., allow_missing: _Optional[bool] = ..., request_id: _Optional[str] = ...) -> None: ...

class DeleteDocumentsResponse(_message.Message):
    __slots__ = ("deleted_count", "revision")
    DELETED_COUNT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    deleted_count: int
    revision: int
    def __init__(self, deleted_count: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class PurgeDocumentsRequest(_message.Message):
    __slots__ = ("namespace", "collection_id", "filter", "force", "request_id", "recursive")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    FORCE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    RECURSIVE_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    collection_id: str
    filter: _document_pb2.DocumentFilter
    force: bool
    request_id: str
    recursive: bool
    def __init__(self, namespace: _Optional[str] = ..., collection_id: _Optional[str] = ..., filter: _Optional[_Union[_document_pb2.DocumentFilter, _Mapping]] = ..., force: _Optional[bool] = ..., request_id: _Optional[str] = ..., recursive: _Optional[bool] = ...) -> None: ...

class PurgeDocumentsResponse(_message.Message):
    __slots__ = ("document_count", "sample_document_ids", "more", "revision", "sample_documents")
    DOCUMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_DOCUMENT_IDS_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    document_count: int
    sample_document_ids: _containers.RepeatedScalarFieldContainer[str]
    more: bool
    revision: int
    sample_documents: _containers.RepeatedCompositeFieldContainer[_document_pb2.DocumentRef]
    def __init__(self, document_count: _Optional[int] = ..., sample_document_ids: _Optional[_Iterable[str]] = ..., more: _Optional[bool] = ..., revision: _Optional[int] = ..., sample_documents: _Optional[_Iterable[_Union[_document_pb2.DocumentRef, _Mapping]]] = ...) -> None: ...

class ClearCollectionRequest(_message.Message):
    __slots__ = ("namespace", "collection_id", "request_id", "recursive")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    RECURSIVE_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    collection_id: str
    request_id: str
    recursive: bool
    def __init__(self, namespace: _Optional[str] = ..., collection_id: _Optional[str] = ..., request_id: _Optional[str] = ..., recursive: _Optional[bool] = ...) -> None: ...

class ClearCollectionResponse(_message.Message):
    __slots__ = ("deleted_count", "revision", "collection_count", "more")
    DELETED_COUNT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_COUNT_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    deleted_count: int
    revision: int
    collection_count: int
    more: bool
    def __init__(self, deleted_count: _Optional[int] = ..., revision: _Optional[int] = ..., collection_count: _Optional[int] = ..., more: _Optional[bool] = ...) -> None: ...
