from memorysidecar.v1 import context_pb2 as _context_pb2
from memorysidecar.v1 import document_rpc_pb2 as _document_rpc_pb2
from memorysidecar.v1 import recall_rpc_pb2 as _recall_rpc_pb2
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor
