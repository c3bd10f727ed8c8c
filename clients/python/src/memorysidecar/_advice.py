"""Adds to the message of an error what the caller knows and the server does not say: which server,
session and namespace were meant, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import grpc

if TYPE_CHECKING:
    from .errors import MemorySidecarError

_REQUEST_BYTES_MAX: Final = 4 * 1024 * 1024

_TODO: Final = {
    "SESSION_NOT_FOUND": "Create it with create_session or ensure_session, or append with"
    " create_session=True.",
    "SESSION_ALREADY_EXISTS": "Use ensure_session to take the one that exists.",
    "MESSAGE_ALREADY_EXISTS": "Leave message_id out, or repeat the first call with its request_id.",
    "CONSUMER_NOT_FOUND": "Create it with create_consumer.",
    "TOKEN_MISSING": "Give the client the token of the server: Client(address, token=...).",
    "TOKEN_INVALID": "Compare the token of the client with the token file of the server.",
}


def advise(
    error: MemorySidecarError, request: Any, address: str, timeout: float | None = None
) -> str:
    """Gives the message of an error with what to do about it.

    :param timeout: the seconds of the call, None for no limit.
    """
    if error.reason == "" and error.code is grpc.StatusCode.UNAVAILABLE:
        return _unreached(error.message, address)
    if error.reason == "" and error.code is grpc.StatusCode.DEADLINE_EXCEEDED and timeout:
        rpc = request.DESCRIPTOR.name.removesuffix("Request")
        return f"{rpc} was not answered within its timeout of {timeout:g} s."
    if error.reason == "" and error.code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        size = request.ByteSize()
        if size > _REQUEST_BYTES_MAX:
            return (
                f"The request has {size:,} bytes, and a server takes {_REQUEST_BYTES_MAX:,} at"
                " most. Send less in one call."
            )
    found = [error.message, _looked_for(error, request), _TODO.get(error.reason, "")]
    if error.reason == "EMBEDDING_MISMATCH":
        found.append(f"Expected: {_told(error.metadata)}.")
        found.append("Make vectors with embed(), or leave the embedding out.")
    if any(one.field.endswith("preset.name") for one in error.violations):
        found.append("Use a function of memorysidecar.policy, such as policy.sliding_window().")
    return " ".join(text for text in found if text)


def _unreached(message: str, address: str) -> str:
    """Says why there is no connection, by what gRPC says."""
    server, speaks = f"The server at {address}", "speaks TLS with a certificate that is not trusted"
    if "WRONG_VERSION_NUMBER" in message:
        why = f"{server} does not speak TLS: leave tls out."
    elif "Peer name" in message or "Hostname Verification" in message:
        why = f"The certificate of the server at {address} is for another name: check the address."
    elif "CERTIFICATE_VERIFY_FAILED" in message:
        why = f"{server} {speaks}: check tls, which may be the path of its root certificate."
    elif "andshake failed" in message:
        why = f"The TLS handshake with the server at {address} failed: check tls."
    elif "Socket closed" in message and not address.startswith("unix:"):
        why = f"{server} ends connections that have no TLS. If it speaks TLS, pass tls."
    else:
        why = f"No server answers at {address}. Is it running there?"
    return f"{why} ({message})"


def _looked_for(error: MemorySidecarError, request: Any) -> str:
    """Names the resource of an error, and the session and the namespace that it was looked for in:
    an id of another namespace is the most frequent cause."""
    if error.resource is None:
        return ""
    kind, name = error.resource
    found = f'{kind} "{name}"'
    path = getattr(request, "path", ())
    if kind == "Record" and path:
        found += f' of path "{"/".join(path)}"'
    session = getattr(request, "session_id", "")
    if session and kind != "Session":
        found += f' of session "{session}"'
    namespace = getattr(request, "namespace", "")
    return f'{found} in namespace "{namespace}".' if namespace else f"{found}."


def _told(metadata: dict[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in metadata.items())
