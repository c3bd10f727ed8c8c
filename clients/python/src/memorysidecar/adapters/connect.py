"""Connections by URL."""

from __future__ import annotations

from typing import Any, TypeVar
from urllib.parse import SplitResult, urlsplit

from .. import AsyncClient, Client

C = TypeVar("C", bound="Connected")

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


class Connected:
    """An object over a client. If ``from_url`` made the client, the object closes it."""

    client: Client | AsyncClient
    _made: Client | None = None

    @classmethod
    def from_url(cls: type[C], url: str, *arguments: Any, **options: Any) -> C:
        """Connects to ``memorysidecar://HOST:PORT/NAMESPACE``; the namespace may be left out. Close
        the object at the end, or use it in a ``with`` statement.

        :param options: those of the class, without ``client``.
        """
        client = connect(url)
        try:
            connected = cls(client, *arguments, **options)  # type: ignore[call-arg]
        except BaseException:
            client.close()
            raise
        connected._made = client
        return connected

    def close(self) -> None:
        """Closes the connection that ``from_url`` made. A client that was given stays open."""
        if self._made is not None:
            self._made.close()

    def __enter__(self: C) -> C:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _port_of(parts: SplitResult) -> int | None:
    try:
        return parts.port
    except ValueError:
        return None
