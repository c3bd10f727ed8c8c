"""Addresses, TLS and the settings of the channel."""

from __future__ import annotations

import os
import re
from typing import Any, Final

import grpc

VERSION: Final = "0.1.0"
MAX_RECEIVE_BYTES: Final = 4 * 1024 * 1024

Tls = bool | str | os.PathLike[str] | grpc.ChannelCredentials


def target(address: str | os.PathLike[str]) -> str:
    """Gives the address as gRPC takes it: a path becomes a Unix socket, the rest stays."""
    text = os.fspath(address)
    if not text:
        raise ValueError("the address is empty: give host:port, unix:/path or a path")
    if isinstance(address, os.PathLike) or text.startswith(("/", "./", "../")):
        return f"unix:{os.path.abspath(text)}"
    if text.startswith("unix:"):
        return text
    if "://" in text and not text.startswith(("dns://", "ipv4://", "ipv6://")):
        raise ValueError(f'the address is host:port, without a scheme, not "{text}"')
    if not re.search(r":\d+$", text):
        raise ValueError(f'the address "{text}" has no port: give host:port')
    return text


def refuse_plain_token(address: str, token: str | None, tls: Tls | None) -> None:
    """Refuses a token that would travel unencrypted to another host, unless ``tls`` is False."""
    if token is None or tls is not None or address.startswith(("unix:", "localhost:", "[::1]:")):
        return
    if not re.fullmatch(r"127(\.\d{1,3}){3}:\d+", address):
        raise ValueError(
            f"the token would travel unencrypted to {address}: pass tls=True, or tls=False if you"
            " trust the network"
        )


def options(address: str, max_receive_bytes: int) -> list[tuple[str, Any]]:
    """Gives the options of a channel."""
    settings: list[tuple[str, Any]] = [
        ("grpc.max_receive_message_length", max_receive_bytes),
        ("grpc.primary_user_agent", f"memory-sidecar-python/{VERSION}"),
        # A restart of the server beside us is a matter of seconds: look for it often.
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 2_000),
        # Without this, clients of one process share connections and their failures.
        ("grpc.use_local_subchannel_pool", 1),
        # A watch notices a peer that vanished without a word.
        ("grpc.keepalive_time_ms", 60_000),
        ("grpc.keepalive_timeout_ms", 20_000),
        ("grpc.http2.max_pings_without_data", 0),
    ]
    if address.startswith("unix:"):
        settings.append(("grpc.default_authority", "localhost"))
    return settings


def credentials(tls: Tls | None) -> grpc.ChannelCredentials | None:
    """Gives the credentials of a channel, None for one without TLS."""
    if tls is None or tls is False:
        return None
    if tls is True:
        return grpc.ssl_channel_credentials()
    if isinstance(tls, (str, os.PathLike)):
        with open(tls, "rb") as file:
            return grpc.ssl_channel_credentials(root_certificates=file.read())
    return tls
