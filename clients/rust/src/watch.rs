//! A stream of events that resumes.

use std::collections::VecDeque;

use tokio::time::sleep;
use tonic::{Status, Streaming};

use crate::client::Client;
use crate::error::Error;
use crate::v1::event_service_client::EventServiceClient;
use crate::v1::watch_events_request::Start;
use crate::v1::{
    AckEventsRequest, StreamPosition, StreamedEvent, WatchEventsRequest, WatchEventsResponse,
};

const METHOD: &str = "/memorysidecar.v1.EventService/WatchEvents";

/// The stream of the events of a namespace. When the server goes away it resumes by itself, without
/// a gap and without a repeat. It ends when it is dropped.
pub struct Watch {
    client: Client,
    request: WatchEventsRequest,
    stream: Option<Streaming<WatchEventsResponse>>,
    waiting: VecDeque<StreamedEvent>,
    /// Revision and index of the event that was given last.
    last: Option<(i64, i32)>,
    resume_token: String,
    failures: u32,
}

impl Client {
    /// Opens a stream of events and returns when the server has answered: no event after that is
    /// missed. A request without a start begins after the newest event. The first answer is given
    /// up on after the attempts of the retry policy.
    ///
    /// A watch is refused when events after its place are no longer kept or the store has another
    /// history (`RESUME_TOKEN_EXPIRED`, `RESUME_TOKEN_FOREIGN`, `RESUME_TOKEN_INVALID`,
    /// `REVISION_NOT_REACHED`): watch from now, then read the state.
    pub async fn watch(&self, mut request: WatchEventsRequest) -> Result<Watch, Error> {
        request.namespace = self.namespace_or(&request.namespace);
        request
            .start
            .get_or_insert(Start::Position(StreamPosition::Now.into()));
        let mut watch = Watch {
            client: self.clone(),
            request,
            stream: None,
            waiting: VecDeque::new(),
            last: None,
            resume_token: String::new(),
            failures: 0,
        };
        while watch.resume_token.is_empty() && watch.waiting.is_empty() {
            watch.receive().await?;
        }
        Ok(watch)
    }
}

impl Watch {
    /// Waits for the next event.
    pub async fn next(&mut self) -> Result<StreamedEvent, Error> {
        loop {
            while let Some(streamed) = self.waiting.pop_front() {
                self.resume_token.clone_from(&streamed.resume_token);
                let place = streamed
                    .event
                    .as_ref()
                    .map(|event| (event.revision, event.index));
                // After a resume an event may come again.
                if place > self.last {
                    self.last = place;
                    return Ok(streamed);
                }
            }
            self.receive().await?;
        }
    }

    /// The token that resumes after the event that was given last, also in another process.
    pub fn resume_token(&self) -> &str {
        &self.resume_token
    }

    /// Tells the server that everything up to the event that was given last is done. The next watch
    /// of this consumer begins there. The watch must be one of a consumer.
    pub async fn ack(&self) -> Result<(), Error> {
        let Some(Start::ConsumerId(consumer_id)) = &self.request.start else {
            let message = "the watch is not of a consumer: start it with a consumer_id";
            return Err(Error::invalid(message.to_owned()));
        };
        let request = AckEventsRequest {
            namespace: self.request.namespace.clone(),
            consumer_id: consumer_id.clone(),
            resume_token: self.resume_token.clone(),
        };
        self.client.ack_events(request).await.map(|_| ())
    }

    /// Takes one answer of the server, or gets ready for the next attempt.
    async fn receive(&mut self) -> Result<(), Error> {
        match self.answer().await {
            Ok(answer) => {
                self.failures = 0;
                // The first answer and checkpoints have no event, but a newer token.
                if answer.events.is_empty() {
                    self.resume_token = answer.resume_token;
                }
                self.waiting = answer.events.into();
                Ok(())
            }
            Err(status) => {
                self.stream = None;
                self.recover(&status).await
            }
        }
    }

    async fn answer(&mut self) -> Result<WatchEventsResponse, Status> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => {
                let mut request = self.request.clone();
                if !self.resume_token.is_empty() {
                    request.start = Some(Start::ResumeToken(self.resume_token.clone()));
                }
                let mut stub = EventServiceClient::new(self.client.channel());
                self.stream
                    .insert(stub.watch_events(request).await?.into_inner())
            }
        };
        // The contract knows no orderly end of a watch.
        let answer = stream.message().await?;
        answer.ok_or_else(|| Status::unavailable("the stream ended"))
    }

    /// Waits before the next attempt, or gives the error when there must be none.
    async fn recover(&mut self, status: &Status) -> Result<(), Error> {
        let error = self.client.stream_error(status, METHOD);
        let retry = self.client.retry();
        self.failures += 1;
        let is_last = self.resume_token.is_empty() && self.failures >= retry.max_attempts;
        if is_last || !error.is_retryable() {
            return Err(error);
        }
        sleep(retry.delay(self.failures, error.retry_delay)).await;
        Ok(())
    }
}
