//! The client: settings, the connection, and calls that are repeated.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, ClientTlsConfig, Endpoint};
use tonic::{Request, Status};
use tonic_prost::ProstCodec;
use uuid::Uuid;

use crate::address::Address;
use crate::error::{Error, Sent};
use crate::retry::RetryPolicy;
use crate::v1::{self, ErrorReason};

/// The time that the server gets beyond the deadline of a call. tonic ends a call after the time of the
/// server with CANCELLED; the deadline comes first and has its own code.
const GRACE: Duration = Duration::from_secs(1);

/// The settings of a client.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Settings {
    token: Option<String>,
    tls: Option<ClientTlsConfig>,
    namespace: String,
    timeout: Option<Duration>,
    pub(crate) retry: RetryPolicy,
}

impl Settings {
    /// Settings with which nothing is set.
    pub fn new() -> Self {
        Self {
            timeout: Some(Duration::from_secs(30)),
            ..Self::default()
        }
    }

    /// Sends a bearer token with every call. `connect` refuses to send it unencrypted to another
    /// host.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// Encrypts the connection: `ClientTlsConfig::new().with_native_roots()` trusts the authorities
    /// of the system.
    pub fn tls(mut self, config: ClientTlsConfig) -> Self {
        self.tls = Some(config);
        self
    }

    /// Sets the namespace of the requests that name none.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = namespace.into();
        self
    }

    /// Limits each call with all its attempts. Default: 30 seconds; `None` sets no limit. A watch
    /// has none.
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.timeout = timeout.into();
        self
    }

    /// Changes how calls are repeated.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// Makes a client for the server at an address: `host:port`, `unix:/path` or a path. The
    /// connection itself is made by the first call. Must be called within a runtime of tokio.
    pub fn connect(self, address: &str) -> Result<Client, Error> {
        let parsed = Address::parse(address).map_err(Error::invalid)?;
        let is_encrypted = self.tls.is_some();
        if self.token.is_some() && !is_encrypted && !parsed.is_local() {
            return Err(Error::invalid(format!(
                "the token would travel unencrypted to {address}: add Settings::tls"
            )));
        }
        let wrong = |error: &dyn std::error::Error| Error::invalid(format!("{address}: {error}"));
        let mut endpoint = Endpoint::from_shared(parsed.uri(is_encrypted))
            .and_then(|endpoint| {
                endpoint.user_agent(concat!("memory-sidecar-rust/", env!("CARGO_PKG_VERSION")))
            })
            .map_err(|error| wrong(&error))?
            // A watch notices a peer that vanished without a word.
            .http2_keep_alive_interval(Duration::from_secs(60))
            .keep_alive_timeout(Duration::from_secs(20));
        if let Some(tls) = &self.tls {
            endpoint = endpoint
                .tls_config(tls.clone())
                .map_err(|error| wrong(&error))?;
        }
        let token = self
            .token
            .as_ref()
            .map(|token| format!("Bearer {token}").parse());
        let token = token.transpose().map_err(|error| wrong(&error))?;
        let channel = InterceptedService::new(endpoint.connect_lazy(), Bearer(token));
        let address = address.to_owned();
        Ok(Client {
            inner: Arc::new(Inner {
                address,
                settings: self,
                channel,
            }),
        })
    }
}

/// Adds the token to every call.
#[derive(Clone, Debug)]
pub struct Bearer(Option<MetadataValue<Ascii>>);

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = &self.0 {
            request
                .metadata_mut()
                .insert("authorization", token.clone());
        }
        Ok(request)
    }
}

/// A request of a unary rpc. The build implements it for every rpc of the contract.
pub trait Call: prost::Message + Clone + Default + 'static {
    /// The answer of the rpc.
    type Answer: prost::Message + Default + 'static;
    /// The path of the rpc.
    const PATH: &'static str;
    /// The namespace, if the request has one.
    fn namespace(&mut self) -> Option<&mut String>;
    /// The request id, if the request has one.
    fn request_id(&mut self) -> Option<&mut String>;
    /// The session, if the request has one.
    fn session_id(&self) -> &str;
}

/// A connection to a server. Keep one for the life of the program; clones share it.
///
/// It has a method for each unary rpc of the contract. A call carries the token, the default
/// namespace and a request id, is repeated while the server does nothing, and fails with an
/// [`Error`].
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    address: String,
    settings: Settings,
    channel: InterceptedService<Channel, Bearer>,
}

include!(concat!(env!("OUT_DIR"), "/calls.rs"));
use crate::pages::List;

impl Client {
    /// Makes a client without settings: see [`Settings::connect`].
    pub fn connect(address: &str) -> Result<Self, Error> {
        Settings::new().connect(address)
    }

    /// The connection with its token, for the generated stubs of streams, such as
    /// `AdminServiceClient::new(client.channel())`. They repeat nothing.
    pub fn channel(&self) -> InterceptedService<Channel, Bearer> {
        self.inner.channel.clone()
    }

    pub(crate) fn retry(&self) -> RetryPolicy {
        self.inner.settings.retry
    }

    pub(crate) fn namespace_or(&self, namespace: &str) -> String {
        if namespace.is_empty() {
            &self.inner.settings.namespace
        } else {
            namespace
        }
        .to_owned()
    }

    /// Calls the rpc of a request. Repeats it while the server is away or asks for a repeat, until
    /// the attempts or the time are used up. A repeat is safe, as each call is a read, has no
    /// further effect when it is repeated, or carries a request id.
    pub async fn call<C: Call>(&self, mut request: C) -> Result<C::Answer, Error> {
        let mut namespace = String::new();
        if let Some(own) = request.namespace() {
            *own = self.namespace_or(own);
            namespace.clone_from(own);
        }
        let mut request_id = String::new();
        if let Some(own) = request.request_id() {
            if own.is_empty() {
                // The server keeps answers in the order of their ids. Those that rise with time
                // lie on the same pages of its disk; with random ones it writes up to three
                // times as much.
                *own = Uuid::now_v7().to_string();
            }
            request_id.clone_from(own);
        }
        let sent = Sent {
            address: &self.inner.address,
            method: C::PATH,
            namespace: &namespace,
            session_id: request.session_id(),
            request_id: &request_id,
            bytes: request.encoded_len(),
        };
        let settings = &self.inner.settings;
        let deadline = settings.timeout.map(|timeout| Instant::now() + timeout);
        let mut failures = 0;
        loop {
            let status = match within(deadline, self.attempt(request.clone(), deadline)).await {
                Ok(answer) => return Ok(answer),
                Err(status) => status,
            };
            let error = Error::new(&status, &sent);
            failures += 1;
            let delay = settings.retry.delay(failures, error.retry_delay);
            let is_late = deadline.is_some_and(|deadline| Instant::now() + delay >= deadline);
            if failures >= settings.retry.max_attempts || !error.is_retryable() || is_late {
                return Err(error);
            }
            sleep(delay).await;
        }
    }

    async fn attempt<C: Call>(
        &self,
        request: C,
        deadline: Option<Instant>,
    ) -> Result<C::Answer, Status> {
        let mut grpc = Grpc::new(self.channel());
        grpc.ready()
            .await
            .map_err(|error| Status::from_error(error.into()))?;
        let mut request = Request::new(request);
        if let Some(deadline) = deadline {
            let left = deadline.saturating_duration_since(Instant::now());
            request.set_timeout(left + GRACE);
        }
        let codec = ProstCodec::default();
        let answer = grpc
            .unary(request, PathAndQuery::from_static(C::PATH), codec)
            .await?;
        Ok(answer.into_inner())
    }

    /// Types an error of a stream.
    pub(crate) fn stream_error(&self, status: &Status, method: &'static str) -> Error {
        Error::new(
            status,
            &Sent {
                address: &self.inner.address,
                method,
                ..Sent::default()
            },
        )
    }

    /// Creates a session, or gets the one that has its id already. The fields of the request do not
    /// change a session that exists; `update_session` does. If it belongs to another user than that
    /// of the request, the error of the creation says so.
    pub async fn ensure_session(&self, session: v1::Session) -> Result<v1::Session, Error> {
        let session_id = session.session_id.clone();
        let asked = session.user_id.clone();
        let session = Some(session);
        let request = v1::CreateSessionRequest {
            session,
            ..Default::default()
        };
        let found = match self.create_session(request).await {
            Err(error) if error.has_reason(ErrorReason::SessionAlreadyExists) => {
                let request = v1::GetSessionRequest {
                    session_id,
                    ..Default::default()
                };
                let found = self.get_session(request).await?.session;
                let is_other = |user: &str| !asked.is_empty() && !user.is_empty() && user != asked;
                match found {
                    Some(session) if is_other(&session.user_id) => {
                        return Err(error.of_other_user(&session.session_id, &asked));
                    }
                    found => found,
                }
            }
            created => created?.session,
        };
        Ok(found.unwrap_or_default())
    }

    /// Creates a consumer, or gets the one that has its id already.
    pub async fn ensure_consumer(
        &self,
        request: v1::CreateConsumerRequest,
    ) -> Result<v1::Consumer, Error> {
        let known = v1::GetConsumerRequest {
            namespace: request.namespace.clone(),
            consumer_id: request.consumer_id.clone(),
        };
        let found = match self.create_consumer(request).await {
            Err(error) if error.has_reason(ErrorReason::ConsumerAlreadyExists) => {
                self.get_consumer(known).await?.consumer
            }
            created => created?.consumer,
        };
        Ok(found.unwrap_or_default())
    }

    /// Appends messages to a session, all or none. `append_messages` has the other fields of the
    /// request.
    pub async fn append(
        &self,
        session_id: &str,
        messages: impl IntoIterator<Item = v1::Message>,
    ) -> Result<v1::AppendMessagesResponse, Error> {
        let messages = messages.into_iter().collect();
        let session_id = session_id.to_owned();
        let request = v1::AppendMessagesRequest {
            session_id,
            messages,
            ..Default::default()
        };
        self.append_messages(request).await
    }

    /// Gets the part of a session that goes to the model. `get_window` has the other fields of the
    /// request.
    pub async fn window(&self, session_id: &str) -> Result<v1::GetWindowResponse, Error> {
        let session_id = session_id.to_owned();
        self.get_window(v1::GetWindowRequest {
            session_id,
            ..Default::default()
        })
        .await
    }
}

/// Runs an attempt until the deadline of its call.
async fn within<T>(
    deadline: Option<Instant>,
    attempt: impl Future<Output = Result<T, Status>>,
) -> Result<T, Status> {
    let Some(deadline) = deadline else {
        return attempt.await;
    };
    timeout_at(deadline, attempt)
        .await
        .unwrap_or_else(|_| Err(Status::deadline_exceeded("the time of the call is used up")))
}
