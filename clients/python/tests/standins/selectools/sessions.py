"""Answers of a session store of selectools."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class SessionMetadata:
    """Session in a list."""

    session_id: str
    message_count: int
    created_at: float
    updated_at: float


@dataclass
class SessionSearchResult:
    """Session that a search found."""

    session_id: str
    score: float
    matched_messages: list[str]


class JsonFileSessionStore:
    """Named by the oracle, and never made where only recordings are replayed."""


class SQLiteSessionStore:
    """Named by the oracle, and never made where only recordings are replayed."""
