from memorysidecar.v1 import memory_change_rpc_pb2 as _memory_change_rpc_pb2
from memorysidecar.v1 import memory_query_rpc_pb2 as _memory_query_rpc_pb2
from memorysidecar.v1 import memory_rpc_pb2 as _memory_rpc_pb2
from memorysidecar.v1 import memory_turn_rpc_pb2 as _memory_turn_rpc_pb2
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor
