from memorysidecar.v1 import hook_handler_service_pb2 as _hook_handler_service_pb2
from memorysidecar.v1 import recall_rpc_pb2 as _recall_rpc_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EmbedInput(_message.Message):
    __slots__ = ("texts", "purpose", "dimensions")
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    texts: _containers.RepeatedScalarFieldContainer[str]
    purpose: _recall_rpc_pb2.EmbeddingPurpose
    dimensions: int
    def __init__(self, texts: _Optional[_Iterable[str]] = ..., purpose: _Optional[_Union[_recall_rpc_pb2.EmbeddingPurpose, str]] = ..., dimensions: _Optional[int] = ...) -> None: ...

class RerankInput(_message.Message):
    __slots__ = ("query", "texts")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    query: str
    texts: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, query: _Optional[str] = ..., texts: _Optional[_Iterable[str]] = ...) -> None: ...

class EmbedOutput(_message.Message):
    __slots__ = ("vectors",)
    VECTORS_FIELD_NUMBER: _ClassVar[int]
    vectors: _containers.RepeatedCompositeFieldContainer[_hook_handler_service_pb2.TextVector]
    def __init__(self, vectors: _Optional[_Iterable[_Union[_hook_handler_service_pb2.TextVector, _Mapping]]] = ...) -> None: ...

class RerankOutput(_message.Message):
    __slots__ = ("scores",)
    SCORES_FIELD_NUMBER: _ClassVar[int]
    scores: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, scores: _Optional[_Iterable[float]] = ...) -> None: ...
