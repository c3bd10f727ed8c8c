"""Connections by URL."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from .. import Client

SCHEME = "memorysidecar"


def connect(url: str) -> Client:
    """Connects to ``memorysidecar://HOST:PORT/NAMESPACE``; the namespace may be left out."""
    parts = urlsplit(url)
    if parts.scheme != SCHEME or not parts.hostname or _port_of(parts) is None:
        # The URL itself may hold a password.
        raise ValueError(f'the URL must have the form "{SCHEME}://HOST:PORT/NAMESPACE"')
    if parts.username is not None or parts.password is not None:
        raise ValueError(
            f'the URL has the form "{SCHEME}://HOST:PORT/NAMESPACE", without a user or a password: '
            "for a token, make the client yourself with token="
        )
    return Client(parts.netloc, namespace=parts.path.strip("/"))


def _port_of(parts: SplitResult) -> int | None:
    try:
        return parts.port
    except ValueError:
        return None
