//! The client against a server that answers as a test says.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use memory_sidecar::v1::event_service_server::{EventService, EventServiceServer};
use memory_sidecar::v1::session_service_server::{SessionService, SessionServiceServer};
use memory_sidecar::v1::watch_events_request::Start;
use memory_sidecar::{Client, FieldViolation, Resource, RetryPolicy, Settings, policy, user, v1};
use tokio::net::{TcpListener, UnixListener};
use tokio_stream::iter;
use tokio_stream::wrappers::{TcpListenerStream, UnixListenerStream};
use tonic::codegen::BoxStream;
use tonic::transport::{ClientTlsConfig, Server};
use tonic::{Code, Request, Response, Status};
use tonic_types::{ErrorDetails, StatusExt};

type Answers = Vec<Result<v1::WatchEventsResponse, Status>>;

#[derive(Clone, Default)]
struct Fake(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    appends: Vec<v1::AppendMessagesRequest>,
    tokens: Vec<String>,
    errors: VecDeque<Status>,
    watches: Vec<v1::WatchEventsRequest>,
    streams: VecDeque<Answers>,
    acked: Option<v1::AckEventsRequest>,
}

impl Fake {
    /// Notes a call and gives the error that it is to fail with.
    fn next<T>(&self, request: &Request<T>) -> Result<(), Status> {
        let mut state = self.0.lock().unwrap();
        let token = request.metadata().get("authorization");
        state
            .tokens
            .push(token.map_or("", |token| token.to_str().unwrap()).to_owned());
        state.errors.pop_front().map_or(Ok(()), Err)
    }
}

#[tonic::async_trait]
impl SessionService for Fake {
    async fn append_messages(
        &self,
        request: Request<v1::AppendMessagesRequest>,
    ) -> Result<Response<v1::AppendMessagesResponse>, Status> {
        let outcome = self.next(&request);
        let mut state = self.0.lock().unwrap();
        state.appends.push(request.into_inner());
        let last_seq = state.appends.len() as i64;
        outcome?;
        Ok(Response::new(v1::AppendMessagesResponse {
            last_seq,
            ..Default::default()
        }))
    }

    async fn create_session(
        &self,
        _: Request<v1::CreateSessionRequest>,
    ) -> Result<Response<v1::CreateSessionResponse>, Status> {
        Err(failure(
            Code::AlreadyExists,
            "SESSION_ALREADY_EXISTS",
            |_| (),
        ))
    }

    async fn get_session(
        &self,
        request: Request<v1::GetSessionRequest>,
    ) -> Result<Response<v1::GetSessionResponse>, Status> {
        let session_id = request.into_inner().session_id;
        let user_id = match session_id.as_str() {
            "anas" => "ana".to_owned(),
            "nobodys" => String::new(),
            _ => std::future::pending().await,
        };
        let session = Some(v1::Session {
            session_id,
            user_id,
            ..Default::default()
        });
        Ok(Response::new(v1::GetSessionResponse { session }))
    }

    async fn list_messages(
        &self,
        request: Request<v1::ListMessagesRequest>,
    ) -> Result<Response<v1::ListMessagesResponse>, Status> {
        self.next(&request)?;
        let message = |seq| v1::Message {
            seq,
            ..Default::default()
        };
        let page = match request.into_inner().page_token.as_str() {
            "two" => v1::ListMessagesResponse {
                messages: vec![message(3)],
                ..Default::default()
            },
            _ => v1::ListMessagesResponse {
                messages: vec![message(1), message(2)],
                next_page_token: "two".into(),
                ..Default::default()
            },
        };
        Ok(Response::new(page))
    }
}

#[tonic::async_trait]
impl EventService for Fake {
    async fn watch_events(
        &self,
        request: Request<v1::WatchEventsRequest>,
    ) -> Result<Response<BoxStream<v1::WatchEventsResponse>>, Status> {
        let mut state = self.0.lock().unwrap();
        state.watches.push(request.into_inner());
        let answers = state
            .streams
            .pop_front()
            .ok_or(Status::unavailable("away"))?;
        Ok(Response::new(Box::pin(iter(answers))))
    }

    async fn ack_events(
        &self,
        request: Request<v1::AckEventsRequest>,
    ) -> Result<Response<v1::AckEventsResponse>, Status> {
        self.0.lock().unwrap().acked = Some(request.into_inner());
        Ok(Response::new(v1::AckEventsResponse::default()))
    }
}

/// Starts the fake and gives its address.
async fn serve(fake: &Fake) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = Server::builder()
        .add_service(SessionServiceServer::new(fake.clone()))
        .add_service(EventServiceServer::new(fake.clone()))
        .serve_with_incoming(TcpListenerStream::new(listener));
    tokio::spawn(server);
    address
}

fn quick() -> Settings {
    let initial_delay = Duration::from_millis(1);
    let max_delay = Duration::from_millis(2);
    Settings::new().retry(RetryPolicy {
        max_attempts: 4,
        initial_delay,
        max_delay,
    })
}

fn hello() -> v1::AppendMessagesRequest {
    let messages = vec![user("hi")];
    v1::AppendMessagesRequest {
        session_id: "s".into(),
        messages,
        ..Default::default()
    }
}

fn failure(code: Code, reason: &str, add: impl FnOnce(&mut ErrorDetails)) -> Status {
    let metadata = HashMap::from([("last_seq".to_owned(), "7".to_owned())]);
    let mut details = ErrorDetails::with_error_info(reason, "memorysidecar.io", metadata);
    add(&mut details);
    Status::with_error_details(code, "no", details)
}

#[tokio::test]
async fn refuses_the_session_of_another_user() {
    let client = quick().connect(&serve(&Fake::default()).await).unwrap();
    let ensure = |session_id: &str, user_id: &str| {
        let session = v1::Session {
            session_id: session_id.to_owned(),
            user_id: user_id.to_owned(),
            ..Default::default()
        };
        let client = client.clone();
        async move { client.ensure_session(session).await }
    };
    for (session_id, user_id) in [("anas", "ana"), ("anas", ""), ("nobodys", "bob")] {
        let session = ensure(session_id, user_id).await.unwrap();
        assert_eq!(session.session_id, session_id);
    }
    let error = ensure("anas", "bob").await.unwrap_err();
    assert!(error.has_reason(v1::ErrorReason::SessionAlreadyExists));
    assert!(
        error
            .message
            .starts_with("Session \"anas\" exists, and belongs to another user than \"bob\".")
    );
}

#[tokio::test]
async fn keeps_tokens_off_open_connections() {
    for address in [
        "memory.example:50151",
        "10.0.0.7:50151",
        "[2001:db8::1]:50151",
    ] {
        let error = Settings::new()
            .token("secret")
            .connect(address)
            .err()
            .unwrap();
        assert!(error.message.contains("Settings::tls"), "{error}");
        let tls = ClientTlsConfig::new();
        assert!(
            Settings::new()
                .token("secret")
                .tls(tls)
                .connect(address)
                .is_ok()
        );
        assert!(Client::connect(address).is_ok());
    }
    for address in [
        "localhost:50151",
        "[::1]:50151",
        "unix:/tmp/a.sock",
        "./a.sock",
    ] {
        assert!(
            Settings::new().token("secret").connect(address).is_ok(),
            "{address}"
        );
    }
    let error = Client::connect("http://localhost:7437").err().unwrap();
    assert!(
        error.message.starts_with("the address must be host:port"),
        "{error}"
    );
}

#[tokio::test]
async fn speaks_over_a_unix_socket() {
    let path = std::env::temp_dir().join(format!("memory-sidecar-{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let fake = Fake::default();
    let listener = UnixListener::bind(&path).unwrap();
    let server = Server::builder()
        .add_service(SessionServiceServer::new(fake.clone()))
        .serve_with_incoming(UnixListenerStream::new(listener));
    tokio::spawn(server);
    let client = Client::connect(path.to_str().unwrap()).unwrap();
    client.append_messages(hello()).await.unwrap();
    std::fs::remove_file(&path).unwrap();
}

#[tokio::test]
async fn repeats_what_is_unavailable() {
    let fake = Fake::default();
    let slow = |details: &mut ErrorDetails| {
        details.set_retry_info(Some(Duration::from_millis(30)));
    };
    fake.0.lock().unwrap().errors = VecDeque::from([
        failure(Code::Unavailable, "OVERLOADED", slow),
        Status::unavailable("connection lost"),
        Status::cancelled("connection torn down"),
    ]);
    let settings = quick().namespace("tenant").token("secret");
    let client = settings.connect(&serve(&fake).await).unwrap();
    let began = Instant::now();
    assert_eq!(client.append_messages(hello()).await.unwrap().last_seq, 4);
    assert!(
        began.elapsed() >= Duration::from_millis(30),
        "it came back before the server asked"
    );
    client.append_messages(hello()).await.unwrap();
    let own = v1::AppendMessagesRequest {
        namespace: "other".into(),
        request_id: "mine".into(),
        ..hello()
    };
    client.append_messages(own.clone()).await.unwrap();
    let state = fake.0.lock().unwrap();
    let first = &state.appends[0];
    assert!(!first.request_id.is_empty());
    assert_eq!(first.namespace, "tenant");
    assert!(state.appends[..4].iter().all(|sent| sent == first));
    assert_ne!(state.appends[4].request_id, first.request_id);
    assert_eq!(state.appends[5], own);
    assert!(state.tokens.iter().all(|token| token == "Bearer secret"));
}

#[tokio::test]
async fn gives_up() {
    let hour = |details: &mut ErrorDetails| {
        details.set_retry_info(Some(Duration::from_secs(3_600)));
    };
    for (error, attempts) in [
        (failure(Code::Unavailable, "OVERLOADED", |_| {}), 4),
        (failure(Code::Aborted, "LAST_SEQ_MISMATCH", |_| {}), 1),
        (failure(Code::ResourceExhausted, "STORE_FULL", |_| {}), 1),
        (failure(Code::Unavailable, "OVERLOADED", hour), 1),
    ] {
        let fake = Fake::default();
        fake.0.lock().unwrap().errors = std::iter::repeat_n(error, 9).collect();
        let client = quick().connect(&serve(&fake).await).unwrap();
        client.append_messages(hello()).await.unwrap_err();
        assert_eq!(fake.0.lock().unwrap().appends.len(), attempts);
    }
}

#[tokio::test]
async fn types_errors() {
    let fake = Fake::default();
    let error = failure(Code::NotFound, "SESSION_NOT_FOUND", |details| {
        details.set_resource_info("Session", "s", "", "");
        details.add_bad_request_violation("session_id", "is unknown");
    });
    fake.0.lock().unwrap().errors.push_back(error);
    let address = serve(&fake).await;
    let client = quick().connect(&address).unwrap();
    let request = v1::AppendMessagesRequest {
        request_id: "mine".into(),
        ..hello()
    };
    let error = client.append_messages(request).await.unwrap_err();
    assert_eq!(error.code, Code::NotFound);
    assert_eq!(error.reason, "SESSION_NOT_FOUND");
    assert_eq!(error.metadata["last_seq"], "7");
    assert_eq!(error.request_id, "mine");
    assert_eq!(
        error.method,
        "/memorysidecar.v1.SessionService/AppendMessages"
    );
    assert_eq!(
        error.resource,
        Some(Resource {
            kind: "Session".into(),
            name: "s".into()
        })
    );
    let fault = FieldViolation {
        field: "session_id".into(),
        description: "is unknown".into(),
    };
    assert_eq!(error.violations, [fault]);
    assert!(error.has_reason(v1::ErrorReason::SessionNotFound));
    assert!(!error.has_reason(v1::ErrorReason::MessageNotFound));
    let text = error.to_string();
    let start = "SESSION_NOT_FOUND: no Session \"s\" in namespace \"default\".";
    assert!(
        text.starts_with(start) && text.contains("ensure_session"),
        "{text}"
    );

    let nobody = quick().connect("127.0.0.1:1").unwrap();
    let text = nobody.window("s").await.unwrap_err().to_string();
    assert!(
        text.contains("No server answers at 127.0.0.1:1. Is it running there?"),
        "{text}"
    );

    let hasty = quick()
        .timeout(Duration::from_millis(50))
        .connect(&address)
        .unwrap();
    let error = hasty
        .get_session(v1::GetSessionRequest::default())
        .await
        .unwrap_err();
    assert_eq!(error.code, Code::DeadlineExceeded, "{error}");
}

#[tokio::test]
async fn fetches_pages_as_they_are_read() {
    let fake = Fake::default();
    let client = quick().connect(&serve(&fake).await).unwrap();
    let request = v1::ListMessagesRequest {
        session_id: "s".into(),
        ..Default::default()
    };
    let messages = client.items(request.clone()).all().await.unwrap();
    assert_eq!(
        messages
            .iter()
            .map(|message| message.seq)
            .collect::<Vec<_>>(),
        [1, 2, 3]
    );
    let calls = fake.0.lock().unwrap().tokens.len();
    client.items(request.clone()).next().await.unwrap();
    assert_eq!(fake.0.lock().unwrap().tokens.len(), calls + 1);
    let error = failure(Code::NotFound, "SESSION_NOT_FOUND", |_| {});
    fake.0.lock().unwrap().errors.push_back(error);
    let error = client.items(request).next().await.unwrap_err();
    assert!(error.has_reason(v1::ErrorReason::SessionNotFound));
}

fn answer(token: &str, revisions: &[i64]) -> Result<v1::WatchEventsResponse, Status> {
    let resume_token = token.to_owned();
    let events = revisions.iter().map(|&revision| v1::StreamedEvent {
        event: Some(v1::Event {
            revision,
            ..Default::default()
        }),
        resume_token: resume_token.clone(),
    });
    Ok(v1::WatchEventsResponse {
        events: events.collect(),
        resume_token: token.to_owned(),
    })
}

#[tokio::test]
async fn resumes_a_watch() {
    let fake = Fake::default();
    fake.0.lock().unwrap().streams = VecDeque::from([
        vec![Err(Status::unavailable("starting"))],
        vec![
            answer("start", &[]),
            answer("after-2", &[1, 2]),
            Err(Status::unavailable("killed")),
        ],
        // No orderly end is known.
        vec![answer("after-3", &[2, 3])],
        vec![
            answer("checkpoint", &[]),
            Err(failure(Code::Unavailable, "SHUTTING_DOWN", |_| {})),
        ],
        vec![
            answer("after-4", &[4]),
            Err(failure(Code::OutOfRange, "RESUME_TOKEN_EXPIRED", |_| {})),
        ],
    ]);
    let client = quick()
        .namespace("tenant")
        .connect(&serve(&fake).await)
        .unwrap();
    let start = Some(Start::ConsumerId("c".into()));
    let request = v1::WatchEventsRequest {
        start,
        ..Default::default()
    };
    let mut watch = client.watch(request).await.unwrap();
    assert_eq!(watch.resume_token(), "start");
    for revision in [1, 2, 3] {
        assert_eq!(
            watch.next().await.unwrap().event.unwrap().revision,
            revision
        );
    }
    watch.ack().await.unwrap();
    assert_eq!(watch.next().await.unwrap().event.unwrap().revision, 4);
    let error = watch.next().await.unwrap_err();
    assert!(
        error.has_reason(v1::ErrorReason::ResumeTokenExpired),
        "{error}"
    );
    let state = fake.0.lock().unwrap();
    let acked = state.acked.as_ref().unwrap();
    assert_eq!(
        (acked.namespace.as_str(), acked.consumer_id.as_str()),
        ("tenant", "c")
    );
    assert_eq!(acked.resume_token, "after-3");
    let tokens = state.watches.iter().map(|sent| match &sent.start {
        Some(Start::ResumeToken(token)) => token.as_str(),
        _ => "",
    });
    assert_eq!(
        tokens.collect::<Vec<_>>(),
        ["", "", "after-2", "after-3", "checkpoint"]
    );
    assert!(state.watches.iter().all(|sent| sent.namespace == "tenant"));
}

#[tokio::test]
async fn gives_up_on_the_first_answer_of_a_watch() {
    let fake = Fake::default();
    let client = quick().connect(&serve(&fake).await).unwrap();
    let error = client
        .watch(v1::WatchEventsRequest::default())
        .await
        .err()
        .unwrap();
    assert_eq!(error.code, Code::Unavailable);
    fake.0
        .lock()
        .unwrap()
        .streams
        .push_back(vec![answer("start", &[])]);
    let watch = client
        .watch(v1::WatchEventsRequest::default())
        .await
        .unwrap();
    assert!(
        watch
            .ack()
            .await
            .unwrap_err()
            .message
            .contains("consumer_id")
    );
    let state = fake.0.lock().unwrap();
    assert_eq!(state.watches.len(), 4 + 1);
    let now = Some(Start::Position(v1::StreamPosition::Now.into()));
    assert_eq!(state.watches[0].start, now);
}

#[test]
fn writes_policies() {
    use v1::policy_choice::Choice;
    let values = [
        ("max_turns", policy::number(9)),
        ("model", policy::text("m")),
    ];
    let choice = policy::preset(
        "turns",
        values.into_iter().chain([("a", policy::flag(true))]),
    );
    let Some(Choice::Preset(preset)) = choice.choice else {
        panic!("no preset")
    };
    assert_eq!(
        (preset.name.as_str(), preset.options.unwrap().fields.len()),
        ("turns", 3)
    );
    let choice = policy::make([
        policy::shorten(
            "results",
            v1::Shorten {
                max_tokens: 64,
                ..Default::default()
            },
        ),
        policy::filter("chatter", ["message.content != 'ok'"]),
        policy::drop_duplicates("same", v1::DropDuplicates::default()),
        policy::pack_newest("pack", v1::PackNewest::default()),
        policy::pin_middle_recent("middle", v1::PinMiddleRecent::default()),
        policy::drop_oldest("fit", v1::DropOldest::default()),
        policy::keep_last("last", 1),
    ]);
    let Some(Choice::Policy(policy)) = choice.choice else {
        panic!("no policy")
    };
    assert_eq!(policy.stages.len(), 7);
    assert!(
        policy
            .stages
            .iter()
            .all(|stage| stage.select.is_some() && !stage.name.is_empty())
    );
}
