from memorysidecar.v1 import message_rpc_pb2 as _message_rpc_pb2
from memorysidecar.v1 import policy_rpc_pb2 as _policy_rpc_pb2
from memorysidecar.v1 import search_rpc_pb2 as _search_rpc_pb2
from memorysidecar.v1 import session_rpc_pb2 as _session_rpc_pb2
from memorysidecar.v1 import snapshot_rpc_pb2 as _snapshot_rpc_pb2
from memorysidecar.v1 import summary_rpc_pb2 as _summary_rpc_pb2
from memorysidecar.v1 import window_rpc_pb2 as _window_rpc_pb2
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor
