"""Connections by URL."""

from __future__ import annotations

from urllib.parse import urlsplit

from .. import Client

SCHEME = "memorysidecar"


def connect(url: str) -> Client:
    """Connects to ``memorysidecar://HOST:PORT/NAMESPACE``; the namespace may be left out."""
    parts = urlsplit(url)
    if parts.scheme != SCHEME or not parts.hostname or parts.port is None:
        raise ValueError(f'the URL has the form "{SCHEME}://HOST:PORT/NAMESPACE", not "{url}"')
    return Client(parts.netloc, namespace=parts.path.strip("/"))
