from memorysidecar.v1 import task_pb2 as _task_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SummarizeRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "input")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    input: _task_pb2.SummarizeInput
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., input: _Optional[_Union[_task_pb2.SummarizeInput, _Mapping]] = ...) -> None: ...

class SummarizeResponse(_message.Message):
    __slots__ = ("output",)
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    output: _task_pb2.SummarizeOutput
    def __init__(self, output: _Optional[_Union[_task_pb2.SummarizeOutput, _Mapping]] = ...) -> None: ...

class EmbedTextsRequest(_message.Message):
    __slots__ = ("namespace", "input")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    input: _task_pb2.EmbedInput
    def __init__(self, namespace: _Optional[str] = ..., input: _Optional[_Union[_task_pb2.EmbedInput, _Mapping]] = ...) -> None: ...

class EmbedTextsResponse(_message.Message):
    __slots__ = ("output",)
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    output: _task_pb2.EmbedOutput
    def __init__(self, output: _Optional[_Union[_task_pb2.EmbedOutput, _Mapping]] = ...) -> None: ...

class RerankTextsRequest(_message.Message):
    __slots__ = ("namespace", "input")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    input: _task_pb2.RerankInput
    def __init__(self, namespace: _Optional[str] = ..., input: _Optional[_Union[_task_pb2.RerankInput, _Mapping]] = ...) -> None: ...

class RerankTextsResponse(_message.Message):
    __slots__ = ("output",)
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    output: _task_pb2.RerankOutput
    def __init__(self, output: _Optional[_Union[_task_pb2.RerankOutput, _Mapping]] = ...) -> None: ...

class ExtractFactsRequest(_message.Message):
    __slots__ = ("namespace", "session_id", "input")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    session_id: str
    input: _task_pb2.ExtractInput
    def __init__(self, namespace: _Optional[str] = ..., session_id: _Optional[str] = ..., input: _Optional[_Union[_task_pb2.ExtractInput, _Mapping]] = ...) -> None: ...

class ExtractFactsResponse(_message.Message):
    __slots__ = ("output",)
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    output: _task_pb2.ExtractOutput
    def __init__(self, output: _Optional[_Union[_task_pb2.ExtractOutput, _Mapping]] = ...) -> None: ...

class ScoreTextsRequest(_message.Message):
    __slots__ = ("namespace", "input")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    input: _task_pb2.ScoreInput
    def __init__(self, namespace: _Optional[str] = ..., input: _Optional[_Union[_task_pb2.ScoreInput, _Mapping]] = ...) -> None: ...

class ScoreTextsResponse(_message.Message):
    __slots__ = ("output",)
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    output: _task_pb2.ScoreOutput
    def __init__(self, output: _Optional[_Union[_task_pb2.ScoreOutput, _Mapping]] = ...) -> None: ...

class ResolveConflictRequest(_message.Message):
    __slots__ = ("namespace", "input")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    input: _task_pb2.ResolveInput
    def __init__(self, namespace: _Optional[str] = ..., input: _Optional[_Union[_task_pb2.ResolveInput, _Mapping]] = ...) -> None: ...

class ResolveConflictResponse(_message.Message):
    __slots__ = ("output",)
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    output: _task_pb2.ResolveOutput
    def __init__(self, output: _Optional[_Union[_task_pb2.ResolveOutput, _Mapping]] = ...) -> None: ...
