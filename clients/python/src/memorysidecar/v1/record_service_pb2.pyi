import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import record_pb2 as _record_pb2
from memorysidecar.v1 import rules_pb2 as _rules_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PutRecordRequest(_message.Message):
    __slots__ = ("namespace", "record", "precondition", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    record: _record_pb2.NamedRecord
    precondition: _record_pb2.RecordPrecondition
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., record: _Optional[_Union[_record_pb2.NamedRecord, _Mapping]] = ..., precondition: _Optional[_Union[_record_pb2.RecordPrecondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class PutRecordResponse(_message.Message):
    __slots__ = ("outcome", "revision")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    outcome: _record_pb2.RecordOutcome
    revision: int
    def __init__(self, outcome: _Optional[_Union[_record_pb2.RecordOutcome, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class UploadRecordPartRequest(_message.Message):
    __slots__ = ("namespace", "upload_id", "offset", "data")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    UPLOAD_ID_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    upload_id: str
    offset: int
    data: bytes
    def __init__(self, namespace: _Optional[str] = ..., upload_id: _Optional[str] = ..., offset: _Optional[int] = ..., data: _Optional[bytes] = ...) -> None: ...

class UploadRecordPartResponse(_message.Message):
    __slots__ = ("size", "crc32", "expire_time")
    SIZE_FIELD_NUMBER: _ClassVar[int]
    CRC32_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    size: int
    crc32: int
    expire_time: _timestamp_pb2.Timestamp
    def __init__(self, size: _Optional[int] = ..., crc32: _Optional[int] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class GetRecordRequest(_message.Message):
    __slots__ = ("namespace", "path", "key", "omit_value", "refresh_ttl", "value_offset", "value_limit", "etag")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    OMIT_VALUE_FIELD_NUMBER: _ClassVar[int]
    REFRESH_TTL_FIELD_NUMBER: _ClassVar[int]
    VALUE_OFFSET_FIELD_NUMBER: _ClassVar[int]
    VALUE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    path: _containers.RepeatedScalarFieldContainer[str]
    key: str
    omit_value: bool
    refresh_ttl: bool
    value_offset: int
    value_limit: int
    etag: str
    def __init__(self, namespace: _Optional[str] = ..., path: _Optional[_Iterable[str]] = ..., key: _Optional[str] = ..., omit_value: _Optional[bool] = ..., refresh_ttl: _Optional[bool] = ..., value_offset: _Optional[int] = ..., value_limit: _Optional[int] = ..., etag: _Optional[str] = ...) -> None: ...

class GetRecordResponse(_message.Message):
    __slots__ = ("record",)
    RECORD_FIELD_NUMBER: _ClassVar[int]
    record: _record_pb2.NamedRecord
    def __init__(self, record: _Optional[_Union[_record_pb2.NamedRecord, _Mapping]] = ...) -> None: ...

class BatchGetRecordsRequest(_message.Message):
    __slots__ = ("namespace", "records", "omit_values", "refresh_ttl")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    OMIT_VALUES_FIELD_NUMBER: _ClassVar[int]
    REFRESH_TTL_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    records: _containers.RepeatedCompositeFieldContainer[_record_pb2.RecordRef]
    omit_values: bool
    refresh_ttl: bool
    def __init__(self, namespace: _Optional[str] = ..., records: _Optional[_Iterable[_Union[_record_pb2.RecordRef, _Mapping]]] = ..., omit_values: _Optional[bool] = ..., refresh_ttl: _Optional[bool] = ...) -> None: ...

class BatchGetRecordsResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[_record_pb2.RecordLookup]
    def __init__(self, results: _Optional[_Iterable[_Union[_record_pb2.RecordLookup, _Mapping]]] = ...) -> None: ...

class ListRecordsRequest(_message.Message):
    __slots__ = ("namespace", "range", "order", "include_values", "refresh_ttl", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    RANGE_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_VALUES_FIELD_NUMBER: _ClassVar[int]
    REFRESH_TTL_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    range: _record_pb2.RecordRange
    order: _record_pb2.RecordOrder
    include_values: bool
    refresh_ttl: bool
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., range: _Optional[_Union[_record_pb2.RecordRange, _Mapping]] = ..., order: _Optional[_Union[_record_pb2.RecordOrder, str]] = ..., include_values: _Optional[bool] = ..., refresh_ttl: _Optional[bool] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListRecordsResponse(_message.Message):
    __slots__ = ("records", "next_page_token")
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    records: _containers.RepeatedCompositeFieldContainer[_record_pb2.NamedRecord]
    next_page_token: str
    def __init__(self, records: _Optional[_Iterable[_Union[_record_pb2.NamedRecord, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListRecordPathsRequest(_message.Message):
    __slots__ = ("namespace", "prefix", "suffix", "max_depth", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    PREFIX_FIELD_NUMBER: _ClassVar[int]
    SUFFIX_FIELD_NUMBER: _ClassVar[int]
    MAX_DEPTH_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    prefix: _containers.RepeatedScalarFieldContainer[str]
    suffix: _containers.RepeatedScalarFieldContainer[str]
    max_depth: int
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., prefix: _Optional[_Iterable[str]] = ..., suffix: _Optional[_Iterable[str]] = ..., max_depth: _Optional[int] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListRecordPathsResponse(_message.Message):
    __slots__ = ("folders", "next_page_token")
    FOLDERS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    folders: _containers.RepeatedCompositeFieldContainer[_record_pb2.RecordFolder]
    next_page_token: str
    def __init__(self, folders: _Optional[_Iterable[_Union[_record_pb2.RecordFolder, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class WriteRecordsRequest(_message.Message):
    __slots__ = ("namespace", "operations", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    OPERATIONS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    operations: _containers.RepeatedCompositeFieldContainer[_record_pb2.RecordOperation]
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., operations: _Optional[_Iterable[_Union[_record_pb2.RecordOperation, _Mapping]]] = ..., request_id: _Optional[str] = ...) -> None: ...

class WriteRecordsResponse(_message.Message):
    __slots__ = ("outcomes", "revision")
    OUTCOMES_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    outcomes: _containers.RepeatedCompositeFieldContainer[_record_pb2.RecordOutcome]
    revision: int
    def __init__(self, outcomes: _Optional[_Iterable[_Union[_record_pb2.RecordOutcome, _Mapping]]] = ..., revision: _Optional[int] = ...) -> None: ...

class DeleteRecordRequest(_message.Message):
    __slots__ = ("namespace", "path", "key", "etag", "precondition", "allow_missing", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    path: _containers.RepeatedScalarFieldContainer[str]
    key: str
    etag: str
    precondition: _record_pb2.RecordPrecondition
    allow_missing: bool
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., path: _Optional[_Iterable[str]] = ..., key: _Optional[str] = ..., etag: _Optional[str] = ..., precondition: _Optional[_Union[_record_pb2.RecordPrecondition, _Mapping]] = ..., allow_missing: _Optional[bool] = ..., request_id: _Optional[str] = ...) -> None: ...

class DeleteRecordResponse(_message.Message):
    __slots__ = ("outcome", "revision")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    outcome: _record_pb2.RecordOutcome
    revision: int
    def __init__(self, outcome: _Optional[_Union[_record_pb2.RecordOutcome, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class DeleteRecordsRequest(_message.Message):
    __slots__ = ("namespace", "range", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    RANGE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    range: _record_pb2.RecordRange
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., range: _Optional[_Union[_record_pb2.RecordRange, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class DeleteRecordsResponse(_message.Message):
    __slots__ = ("deleted_count", "more", "revision")
    DELETED_COUNT_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    deleted_count: int
    more: bool
    revision: int
    def __init__(self, deleted_count: _Optional[int] = ..., more: _Optional[bool] = ..., revision: _Optional[int] = ...) -> None: ...
