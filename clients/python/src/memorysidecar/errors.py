"""The errors that calls raise, and how they are read from an answer of the server."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from . import v1

DETAILS_KEY: Final = "grpc-status-details-bin"
DOMAIN: Final = "memorysidecar.io"


class ErrorReason:
    """Reasons for the failure of a call: the values of ``MemorySidecarError.reason``.

    ``error_reason.proto`` documents the meaning of each, whether a retry makes sense, and its
    metadata. A newer server may send others.
    """

    REQUEST_MALFORMED: Final = "REQUEST_MALFORMED"
    REQUEST_INVALID: Final = "REQUEST_INVALID"
    PAGE_TOKEN_INVALID: Final = "PAGE_TOKEN_INVALID"
    RESUME_TOKEN_INVALID: Final = "RESUME_TOKEN_INVALID"
    RESUME_TOKEN_FOREIGN: Final = "RESUME_TOKEN_FOREIGN"
    RESUME_TOKEN_EXPIRED: Final = "RESUME_TOKEN_EXPIRED"
    SESSION_NOT_FOUND: Final = "SESSION_NOT_FOUND"
    SESSION_ALREADY_EXISTS: Final = "SESSION_ALREADY_EXISTS"
    MESSAGE_NOT_FOUND: Final = "MESSAGE_NOT_FOUND"
    MESSAGE_ALREADY_EXISTS: Final = "MESSAGE_ALREADY_EXISTS"
    SEQ_OUT_OF_RANGE: Final = "SEQ_OUT_OF_RANGE"
    LAST_SEQ_MISMATCH: Final = "LAST_SEQ_MISMATCH"
    ETAG_MISMATCH: Final = "ETAG_MISMATCH"
    REQUEST_ID_REUSED: Final = "REQUEST_ID_REUSED"
    WINDOW_FULL: Final = "WINDOW_FULL"
    CONSUMER_NOT_FOUND: Final = "CONSUMER_NOT_FOUND"
    CONSUMER_ALREADY_EXISTS: Final = "CONSUMER_ALREADY_EXISTS"
    CONSUMER_LIMIT_REACHED: Final = "CONSUMER_LIMIT_REACHED"
    TOKEN_MISSING: Final = "TOKEN_MISSING"
    TOKEN_INVALID: Final = "TOKEN_INVALID"
    OVERLOADED: Final = "OVERLOADED"
    STREAM_LIMIT_REACHED: Final = "STREAM_LIMIT_REACHED"
    STORE_FULL: Final = "STORE_FULL"
    SHUTTING_DOWN: Final = "SHUTTING_DOWN"
    DEADLINE_EXCEEDED: Final = "DEADLINE_EXCEEDED"
    RECORD_CORRUPT: Final = "RECORD_CORRUPT"
    INTERNAL: Final = "INTERNAL"
    HOOK_NOT_CONFIGURED: Final = "HOOK_NOT_CONFIGURED"
    SUMMARY_VERSION_MISMATCH: Final = "SUMMARY_VERSION_MISMATCH"
    SNAPSHOT_INVALID: Final = "SNAPSHOT_INVALID"
    SESSION_CHANGED: Final = "SESSION_CHANGED"
    UPLOAD_NOT_FOUND: Final = "UPLOAD_NOT_FOUND"
    UPLOAD_LIMIT_REACHED: Final = "UPLOAD_LIMIT_REACHED"
    HOOK_FAILED: Final = "HOOK_FAILED"
    TASK_NOT_FOUND: Final = "TASK_NOT_FOUND"
    LEASE_LOST: Final = "LEASE_LOST"
    TASK_SUPERSEDED: Final = "TASK_SUPERSEDED"
    TASK_RESULT_INVALID: Final = "TASK_RESULT_INVALID"
    POLL_LIMIT_REACHED: Final = "POLL_LIMIT_REACHED"
    SUMMARY_NOT_FOUND: Final = "SUMMARY_NOT_FOUND"
    DOCUMENT_NOT_FOUND: Final = "DOCUMENT_NOT_FOUND"
    COLLECTION_LIMIT_REACHED: Final = "COLLECTION_LIMIT_REACHED"
    EMBEDDING_MISMATCH: Final = "EMBEDDING_MISMATCH"
    EMBEDDER_UNAVAILABLE: Final = "EMBEDDER_UNAVAILABLE"
    EMBEDDER_OFF: Final = "EMBEDDER_OFF"
    MEMORY_NOT_FOUND: Final = "MEMORY_NOT_FOUND"
    MEMORY_LIMIT_REACHED: Final = "MEMORY_LIMIT_REACHED"
    MEMORY_VERSION_NOT_FOUND: Final = "MEMORY_VERSION_NOT_FOUND"
    MEMORY_VERSION_LIMIT_REACHED: Final = "MEMORY_VERSION_LIMIT_REACHED"
    PROMOTION_POLICY_MISSING: Final = "PROMOTION_POLICY_MISSING"
    REVISION_NOT_REACHED: Final = "REVISION_NOT_REACHED"
    BACK_UP_NOT_CONFIGURED: Final = "BACK_UP_NOT_CONFIGURED"
    BACK_UP_RUNNING: Final = "BACK_UP_RUNNING"
    BACK_UP_FAILED: Final = "BACK_UP_FAILED"
    ERASURE_NOT_FOUND: Final = "ERASURE_NOT_FOUND"
    ERASURE_LIMIT_REACHED: Final = "ERASURE_LIMIT_REACHED"
    ANSWER_ERASED: Final = "ANSWER_ERASED"
    RECORD_NOT_FOUND: Final = "RECORD_NOT_FOUND"
    RECORD_ALREADY_EXISTS: Final = "RECORD_ALREADY_EXISTS"
    RECORD_VERSION_MISMATCH: Final = "RECORD_VERSION_MISMATCH"
    COMPACTION_RUNNING: Final = "COMPACTION_RUNNING"
    COMPACTION_FAILED: Final = "COMPACTION_FAILED"
    REPLY_TOO_LARGE: Final = "REPLY_TOO_LARGE"
    CONTEXT_BUDGET_TOO_SMALL: Final = "CONTEXT_BUDGET_TOO_SMALL"
    UPLOAD_OFFSET_MISMATCH: Final = "UPLOAD_OFFSET_MISMATCH"
    RECORD_CHECKSUM_MISMATCH: Final = "RECORD_CHECKSUM_MISMATCH"
    RECORD_VALUE_TOO_LARGE: Final = "RECORD_VALUE_TOO_LARGE"
    DOCUMENT_OF_RECORD: Final = "DOCUMENT_OF_RECORD"


@dataclass(frozen=True)
class FieldViolation:
    """One faulty field of a request."""

    field: str
    """Its path, for example ``messages[3].text``."""
    description: str
    """The fault, and the allowed values."""


class MemorySidecarError(Exception):
    """A call failed. Its subclasses are the failures that callers handle one by one."""

    code: grpc.StatusCode
    """The status of gRPC."""
    message: str
    """Message for people."""
    reason: str
    """Reason for programs: a value of ``ErrorReason``. Empty when the error does not come
    from the server itself, for example when the server cannot be reached."""
    metadata: dict[str, str]
    """Facts about the error by name. ``ErrorReason`` in the contract says which."""
    resource: tuple[str, str] | None
    """The type and the name of what is missing or in the way, for example
    ``("Session", "s1")``."""
    violations: tuple[FieldViolation, ...]
    """Every faulty field, for ``REQUEST_INVALID``."""
    retry_delay: float | None
    """Delay before a retry, in seconds, as requested by the server. None if it requests none."""
    request_id: str
    """The request id of the mutation that failed: a repeat with it is safe. Empty for a read."""

    def __init__(
        self,
        code: grpc.StatusCode,
        message: str,
        *,
        reason: str = "",
        metadata: Mapping[str, str] | None = None,
        resource: tuple[str, str] | None = None,
        violations: Iterable[FieldViolation] = (),
        retry_delay: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.reason = reason
        self.metadata = dict(metadata or {})
        self.resource = resource
        self.violations = tuple(violations)
        self.retry_delay = retry_delay
        self.request_id = ""

    def __str__(self) -> str:
        return f"{self.reason or self.code.name}: {self.message}"


class NotFound(MemorySidecarError):
    """The session, message, consumer or upload does not exist."""


class AlreadyExists(MemorySidecarError):
    """A session, message or consumer with this id exists already."""


class Aborted(MemorySidecarError):
    """Somebody else was faster (``LAST_SEQ_MISMATCH``, ``ETAG_MISMATCH``,
    ``SUMMARY_VERSION_MISMATCH``, ``SESSION_CHANGED``): read, then try again. Or a hook failed
    (``HOOK_FAILED``): each repeat asks it again."""


class Invalid(MemorySidecarError):
    """The request is wrong; a retry will fail as well."""


class ResumeTokenExpired(MemorySidecarError):
    """Events after the token are no longer kept: watch from now, then read the state, as
    ``watch`` does with ``read_state``."""


class Unavailable(MemorySidecarError):
    """The server cannot be reached, is stopping or has too much to do, also after all retries."""


class DeadlineExceeded(MemorySidecarError):
    """The time of the call ran out. A mutation may have taken effect: repeat it with the
    ``request_id`` of this error to find out."""


_BY_REASON: Final[dict[str, type[MemorySidecarError]]] = {
    ErrorReason.RESUME_TOKEN_EXPIRED: ResumeTokenExpired,
}
_BY_CODE: Final[dict[grpc.StatusCode, type[MemorySidecarError]]] = {
    grpc.StatusCode.NOT_FOUND: NotFound,
    grpc.StatusCode.ALREADY_EXISTS: AlreadyExists,
    grpc.StatusCode.ABORTED: Aborted,
    grpc.StatusCode.INVALID_ARGUMENT: Invalid,
    grpc.StatusCode.UNAVAILABLE: Unavailable,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineExceeded,
}


def make_error(code: grpc.StatusCode, message: str, **rest: Any) -> MemorySidecarError:
    """Makes the error of the class that fits."""
    kind = _BY_REASON.get(rest.get("reason", "")) or _BY_CODE.get(code, MemorySidecarError)
    return kind(code, message, **rest)


def reply_error(error: v1.ReplyError) -> MemorySidecarError:
    """Makes the error of a reply that could not be made after an append had taken effect."""
    known = v1.ErrorReason.DESCRIPTOR.values_by_number.get(error.reason)
    reason = known.name.removeprefix("ERROR_REASON_") if known and error.reason else ""
    codes = {code.value[0]: code for code in grpc.StatusCode}
    code = codes.get(error.code, grpc.StatusCode.UNKNOWN)
    return make_error(code, error.message, reason=reason, metadata=error.metadata)


def refuse_other_user(session: v1.Session, user_id: str | None) -> None:
    """Refuses a session of another user than the one who is named. That of nobody is taken.

    :raises AlreadyExists: without the name of the other user, which the caller may show.
    """
    if not user_id or session.user_id in ("", user_id):
        return
    raise AlreadyExists(
        grpc.StatusCode.ALREADY_EXISTS,
        f'Session "{session.session_id}" exists, and belongs to another user than "{user_id}".'
        " Give each user a session of its own.",
        reason=ErrorReason.SESSION_ALREADY_EXISTS,
        resource=("Session", session.session_id),
    )


def decode_error(error: grpc.RpcError) -> MemorySidecarError:
    """Reads an error of gRPC. Details that cannot be read are left out."""
    call: Any = error
    rest: dict[str, Any] = {}
    for key, value in call.trailing_metadata() or ():
        if key == DETAILS_KEY:
            rest = _details(value)
    return make_error(call.code(), call.details() or "", **rest)


def _details(data: bytes) -> dict[str, Any]:
    found: dict[str, Any] = {}
    try:
        for detail in status_pb2.Status.FromString(data).details:
            _read_detail(detail, found)
    except DecodeError:
        return {}
    return found


def _read_detail(detail: Any, found: dict[str, Any]) -> None:
    info = error_details_pb2.ErrorInfo()
    retry = error_details_pb2.RetryInfo()
    bad = error_details_pb2.BadRequest()
    resource = error_details_pb2.ResourceInfo()
    if detail.Unpack(info):
        if info.domain == DOMAIN:
            found["reason"] = info.reason
            found["metadata"] = dict(info.metadata)
    elif detail.Unpack(retry):
        found["retry_delay"] = retry.retry_delay.seconds + retry.retry_delay.nanos / 1e9
    elif detail.Unpack(resource):
        found["resource"] = (resource.resource_type, resource.resource_name)
    elif detail.Unpack(bad):
        found["violations"] = [
            FieldViolation(field.field, field.description) for field in bad.field_violations
        ]
