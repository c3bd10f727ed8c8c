"""Haystack on Memory Sidecar: a document store and its retrievers."""

from .document_store import SidecarDocumentStore
from .retrievers import SidecarEmbeddingRetriever, SidecarTextRetriever

__all__ = ["SidecarDocumentStore", "SidecarEmbeddingRetriever", "SidecarTextRetriever"]
