"""LlamaIndex on Memory Sidecar: chat stores, a memory with a window, and a vector store."""

from .async_store import SidecarAsyncChatStore
from .chat_store import SidecarChatStore
from .memory import SidecarMemory
from .vector_store import SidecarVectorStore

__all__ = ["SidecarAsyncChatStore", "SidecarChatStore", "SidecarMemory", "SidecarVectorStore"]
