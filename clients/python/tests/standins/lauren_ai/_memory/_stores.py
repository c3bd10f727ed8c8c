"""The store that the drop-in class replaces; nothing is stored here."""

from __future__ import annotations


class InMemoryConversationStore:
    """Named by the oracle, and never made where only recordings are replayed."""
