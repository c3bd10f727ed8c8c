//! The client of Memory Sidecar, a small server that runs beside an agent and keeps its memory.
//!
//! [`Client::connect`] gives a [`Client`] with a method for each unary rpc of the contract. A call
//! carries the token, the default namespace and a request id, is repeated while the server does
//! nothing, and fails with an [`Error`]. README.md walks through it.

mod address;
mod client;
mod error;
mod messages;
mod pages;
pub mod policy;
mod retry;
mod watch;

pub use client::{Call, Client, Settings};
pub use error::{Error, FieldViolation, Resource};
pub use messages::{assistant, call, owned_by, system, tool, user, visible_to};
pub use pages::{Items, List};
pub use retry::RetryPolicy;
pub use watch::Watch;

/// The messages and stubs of the contract.
#[allow(clippy::all, missing_docs, rustdoc::all)]
pub mod v1 {
    tonic::include_proto!("memorysidecar.v1");
}

/// The contract of an operator's own hook server.
pub mod hook {
    /// The messages and stubs of hook servers.
    #[allow(clippy::all, missing_docs, rustdoc::all)]
    pub mod v1 {
        tonic::include_proto!("memorysidecar.hook.v1");
    }
}
