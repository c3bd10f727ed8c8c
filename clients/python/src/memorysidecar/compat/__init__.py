"""Memory classes of agent frameworks, kept by a server: change an import and nothing else.

Each module needs the package of its framework: ``selectools``, ``definable``, ``marsys``, and
``lauren`` for lauren-ai.
Objects made without a client share one, of the address in the environment variable
``MEMORY_SIDECAR_ADDRESS`` or else ``127.0.0.1:50151``; ``use`` sets another.
"""

from ._shared import use

__all__ = ["use"]
