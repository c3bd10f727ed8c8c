"""The client of Memory Sidecar, a small server that keeps an agent's memory.

``v1`` holds the messages and enums of the contract, ``policy`` makes policies of them.
"""

from . import policy as policy
from . import v1 as v1
from ._answers import to_dict
from ._async.memory_tools import (
    AsyncMemoryTools,
    async_export_memories,
    async_import_memories,
    async_memory_block,
)
from ._async.pager import AsyncPager
from ._channel import VERSION as __version__
from ._forms import FormName, Rendered, rendered_in, rendered_previews
from ._recall_fields import all_of, any_of, none_of, where, where_label
from ._retry import RetryPolicy
from ._sync.memory_tools import (
    MemoryTools,
    export_memories,
    import_memories,
    memory_block,
)
from ._sync.pager import Pager
from .aio import AsyncClient
from .async_watch import AsyncWatch
from .client import Client
from .errors import (
    Aborted,
    AlreadyExists,
    DeadlineExceeded,
    ErrorReason,
    FieldViolation,
    Invalid,
    MemorySidecarError,
    NotFound,
    ResumeTokenExpired,
    Unavailable,
)
from .local_server import LocalServer
from .watch import Watch
from .worker import AsyncWorker, TaskRefused, Worker

__all__ = [
    "Aborted",
    "AlreadyExists",
    "AsyncClient",
    "AsyncMemoryTools",
    "AsyncPager",
    "AsyncWatch",
    "AsyncWorker",
    "Client",
    "DeadlineExceeded",
    "ErrorReason",
    "FieldViolation",
    "FormName",
    "Invalid",
    "LocalServer",
    "MemorySidecarError",
    "MemoryTools",
    "NotFound",
    "Pager",
    "Rendered",
    "ResumeTokenExpired",
    "RetryPolicy",
    "TaskRefused",
    "Unavailable",
    "Watch",
    "Worker",
    "__version__",
    "all_of",
    "any_of",
    "async_export_memories",
    "async_import_memories",
    "async_memory_block",
    "export_memories",
    "import_memories",
    "memory_block",
    "none_of",
    "policy",
    "rendered_in",
    "rendered_previews",
    "to_dict",
    "v1",
    "where",
    "where_label",
]
