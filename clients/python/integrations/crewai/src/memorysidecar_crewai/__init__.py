"""CrewAI on Memory Sidecar: storages of memory, flows and knowledge."""

from .flows import SidecarFlowPersistence
from .knowledge import SidecarKnowledgeStorage
from .memories import SidecarMemoryStorage

__all__ = ["SidecarFlowPersistence", "SidecarKnowledgeStorage", "SidecarMemoryStorage"]
