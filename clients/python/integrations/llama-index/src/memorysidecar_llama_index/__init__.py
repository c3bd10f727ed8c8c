"""LlamaIndex on Memory Sidecar: chat stores, a memory with a window, a memory block, and a vector
store."""

from .async_store import SidecarAsyncChatStore
from .block import SidecarMemoryBlock
from .chat_store import SidecarChatStore
from .memory import SidecarMemory
from .vector_store import SidecarVectorStore

__all__ = [
    "SidecarAsyncChatStore",
    "SidecarChatStore",
    "SidecarMemory",
    "SidecarMemoryBlock",
    "SidecarVectorStore",
]
