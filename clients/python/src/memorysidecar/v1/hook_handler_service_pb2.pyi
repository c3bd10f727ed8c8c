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
