//! Errors of the client.

use std::collections::HashMap;
use std::error::Error as _;
use std::fmt;
use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::v1::ErrorReason;

const DOMAIN: &str = "memorysidecar.io";
const MAX_REQUEST_BYTES: usize = 4 << 20;

/// A call that failed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Error {
    /// The status of gRPC. It alone says whether a retry makes sense.
    pub code: Code,
    /// A name of [`ErrorReason`] without its prefix, such as `SESSION_NOT_FOUND`. Empty when the
    /// error does not come from the server itself.
    pub reason: String,
    /// The fault, and what to do.
    pub message: String,
    /// The values behind the reason, such as `last_seq`.
    pub metadata: HashMap<String, String>,
    /// Every faulty field of the request.
    pub violations: Vec<FieldViolation>,
    /// The resource that is missing or in the way.
    pub resource: Option<Resource>,
    /// The time that the server asks to wait.
    pub retry_delay: Option<Duration>,
    /// The request id of a mutation: a repeat with it takes effect once. Empty for a read.
    pub request_id: String,
    /// The path of the rpc, such as `/memorysidecar.v1.SessionService/GetSession`.
    pub method: &'static str,
}

/// A faulty field of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldViolation {
    /// The path of the field, such as `messages[3].text`.
    pub field: String,
    /// The fault, and what is allowed.
    pub description: String,
}

/// The subject of an error.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// Its type, such as `Session`.
    pub kind: String,
    /// Its name.
    pub name: String,
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason.as_str() {
            "" => write!(out, "{:?}: {}", self.code, self.message),
            reason => write!(out, "{reason}: {}", self.message),
        }
    }
}

impl std::error::Error for Error {}

/// Facts about a call that the caller knows and the server does not say.
#[derive(Default)]
pub(crate) struct Sent<'a> {
    pub(crate) address: &'a str,
    pub(crate) method: &'static str,
    pub(crate) namespace: &'a str,
    pub(crate) session_id: &'a str,
    pub(crate) request_id: &'a str,
    pub(crate) bytes: usize,
}

impl Error {
    /// Says whether the error has this reason.
    pub fn has_reason(&self, reason: ErrorReason) -> bool {
        reason.as_str_name().strip_prefix("ERROR_REASON_") == Some(&self.reason)
    }

    /// Says whether the same request may be sent again: the contract says so with UNAVAILABLE alone.
    /// A call that the server's own word did not cancel was cut off with its connection.
    pub(crate) fn is_retryable(&self) -> bool {
        self.code == Code::Unavailable || self.code == Code::Cancelled && self.reason.is_empty()
    }

    /// This error for a session that belongs to another user, whose name it does not tell.
    pub(crate) fn of_other_user(mut self, session_id: &str, asked: &str) -> Self {
        self.message = format!(
            "Session \"{session_id}\" exists, and belongs to another user than \"{asked}\". Give each \
             user a session of its own."
        );
        self
    }

    pub(crate) fn invalid(message: String) -> Self {
        Self::new(&Status::invalid_argument(message), &Sent::default())
    }

    pub(crate) fn new(status: &Status, sent: &Sent<'_>) -> Self {
        let details = status.get_error_details();
        let info = details.error_info().filter(|info| info.domain == DOMAIN);
        // A status with a source was made on this side, when the connection broke.
        let code = match status.code() {
            Code::Unknown | Code::Internal if status.source().is_some() => Code::Unavailable,
            code => code,
        };
        let mut error = Self {
            code,
            reason: info.map(|info| info.reason.clone()).unwrap_or_default(),
            message: status.message().to_owned(),
            metadata: info.map(|info| info.metadata.clone()).unwrap_or_default(),
            violations: Vec::new(),
            resource: details.resource_info().map(|resource| Resource {
                kind: resource.resource_type.clone(),
                name: resource.resource_name.clone(),
            }),
            retry_delay: details.retry_info().and_then(|info| info.retry_delay),
            request_id: sent.request_id.to_owned(),
            method: sent.method,
        };
        if let Some(bad) = details.bad_request() {
            let violations = bad.field_violations.iter();
            error.violations = violations
                .map(|fault| FieldViolation {
                    field: fault.field.clone(),
                    description: fault.description.clone(),
                })
                .collect();
        }
        error.advise(sent);
        error
    }

    /// Adds to the message of the server what only the caller knows, and what to do.
    fn advise(&mut self, sent: &Sent<'_>) {
        if self.reason.is_empty() && self.code == Code::Unavailable && !sent.address.is_empty() {
            let address = sent.address;
            self.message = format!(
                "No server answers at {address}. Is it running there? ({})",
                self.message
            );
            return;
        }
        let is_large = sent.bytes > MAX_REQUEST_BYTES;
        if self.reason.is_empty() && self.code == Code::ResourceExhausted && is_large {
            self.message = format!(
                "The request has {} bytes, and a server takes {MAX_REQUEST_BYTES} at most. \
                 Append the messages in several calls.",
                sent.bytes
            );
            return;
        }
        if let Some(Resource { kind, name }) = &self.resource {
            self.message += &format!(" {kind} \"{name}\"");
            if kind != "Session" && !sent.session_id.is_empty() {
                self.message += &format!(" of session \"{}\"", sent.session_id);
            }
            let namespace = if sent.namespace.is_empty() {
                "default"
            } else {
                sent.namespace
            };
            self.message += &format!(" in namespace \"{namespace}\".");
        }
        let advice = match self.reason.as_str() {
            "SESSION_NOT_FOUND" => " Create it with ensure_session, or append with create_session.",
            "SESSION_ALREADY_EXISTS" => " Use ensure_session to take the one that exists.",
            "MESSAGE_ALREADY_EXISTS" => {
                " Leave message_id out, or repeat the first call with its request_id."
            }
            "CONSUMER_NOT_FOUND" => " Create it with ensure_consumer.",
            "TOKEN_MISSING" => " Give the client the token of the server: Settings::token.",
            "TOKEN_INVALID" => {
                " Compare the token of the client with the token file of the server."
            }
            _ => "",
        };
        self.message += advice;
    }
}
