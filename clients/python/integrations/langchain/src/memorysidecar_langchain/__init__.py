"""LangChain on Memory Sidecar: a vector store, a byte store and a retriever."""

from .byte_store import SidecarByteStore
from .retriever import SidecarRetriever
from .vector_store import SidecarVectorStore

__all__ = ["SidecarByteStore", "SidecarRetriever", "SidecarVectorStore"]
