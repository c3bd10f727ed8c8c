"""The owner of what a storage keeps."""

from __future__ import annotations


def check_owner(user_id: str | None, agent_id: str | None) -> None:
    """Refuses an id that is empty: most often a program has lost it."""
    for name, value in (("user_id", user_id), ("agent_id", agent_id)):
        if value == "":
            raise ValueError(f"{name} must not be empty: leave it out for what all share")
