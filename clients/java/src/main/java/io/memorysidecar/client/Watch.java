package io.memorysidecar.client;

import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.memorysidecar.v1.AckEventsRequest;
import io.memorysidecar.v1.Event;
import io.memorysidecar.v1.EventServiceGrpc;
import io.memorysidecar.v1.StreamPosition;
import io.memorysidecar.v1.StreamedEvent;
import io.memorysidecar.v1.WatchEventsRequest;
import io.memorysidecar.v1.WatchEventsRequest.StartCase;
import io.memorysidecar.v1.WatchEventsResponse;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * The stream of the events of a namespace. When the server goes away it resumes by itself, without a
 * gap and without a repeat. One thread at a time may read it; any thread may close it.
 */
public final class Watch implements Iterator<StreamedEvent>, AutoCloseable {
  private final RepeatingChannel channel;
  private final WatchEventsRequest request;
  private final Context.CancellableContext context = Context.current().withCancellation();
  private final Deque<StreamedEvent> waiting = new ArrayDeque<>();
  private Iterator<WatchEventsResponse> stream;
  private Event last = Event.getDefaultInstance();
  private String resumeToken = "";
  private int failures;

  /** Opens the stream and waits for the first answer. */
  Watch(RepeatingChannel channel, WatchEventsRequest request) {
    this.channel = channel;
    this.request =
        request.getStartCase() == StartCase.START_NOT_SET
            ? request.toBuilder().setPosition(StreamPosition.STREAM_POSITION_NOW).build()
            : request;
    while (resumeToken.isEmpty() && waiting.isEmpty()) receive();
  }

  /** Waits for the next event; false when the watch was closed. */
  @Override
  public boolean hasNext() {
    while (!context.isCancelled()) {
      // After a resume an event may come again.
      while (!waiting.isEmpty() && !isNew(waiting.peek().getEvent())) {
        resumeToken = waiting.remove().getResumeToken();
      }
      if (!waiting.isEmpty()) return true;
      receive();
    }
    return false;
  }

  @Override
  public StreamedEvent next() {
    if (!hasNext()) throw new NoSuchElementException("the watch was closed");
    StreamedEvent streamed = waiting.remove();
    last = streamed.getEvent();
    resumeToken = streamed.getResumeToken();
    return streamed;
  }

  /** The token that resumes after the event that was given last, also in another process. */
  public String resumeToken() {
    return resumeToken;
  }

  /**
   * Tells the server that everything up to the event that was given last is done. The next watch of
   * this consumer begins there. The watch must be one of a consumer.
   */
  public void ack() {
    if (request.getStartCase() != StartCase.CONSUMER_ID) {
      throw new IllegalStateException("the watch is not of a consumer: start it with a consumerId");
    }
    EventServiceGrpc.newBlockingStub(channel)
        .ackEvents(
            AckEventsRequest.newBuilder()
                .setNamespace(request.getNamespace())
                .setConsumerId(request.getConsumerId())
                .setResumeToken(resumeToken)
                .build());
  }

  /** Ends the watch. So does closing its client, with an error. */
  @Override
  public void close() {
    context.cancel(null);
  }

  private boolean isNew(Event event) {
    if (event.getRevision() != last.getRevision()) return event.getRevision() > last.getRevision();
    return event.getIndex() > last.getIndex();
  }

  /** Takes one answer of the server, or gets ready for the next attempt. */
  private void receive() {
    try {
      if (stream == null) stream = open();
      if (!stream.hasNext()) {
        // The contract knows no orderly end of a watch.
        throw Status.UNAVAILABLE.withDescription("the stream ended").asRuntimeException();
      }
      WatchEventsResponse answer = stream.next();
      failures = 0;
      waiting.addAll(answer.getEventsList());
      // The first answer and checkpoints have no event, but a newer token.
      if (waiting.isEmpty()) resumeToken = answer.getResumeToken();
    } catch (StatusRuntimeException failure) {
      stream = null;
      if (!context.isCancelled()) {
        recover(channel.typed(failure, EventServiceGrpc.getWatchEventsMethod(), request));
      }
    }
  }

  private Iterator<WatchEventsResponse> open() {
    WatchEventsRequest next =
        resumeToken.isEmpty() ? request : request.toBuilder().setResumeToken(resumeToken).build();
    Context before = context.attach();
    try {
      return EventServiceGrpc.newBlockingStub(channel).watchEvents(next);
    } finally {
      context.detach(before);
    }
  }

  /** Waits before the next attempt, or throws when there must be none. */
  private void recover(MemorySidecarException error) {
    failures++;
    boolean isFirst = resumeToken.isEmpty() && failures >= channel.retry().maxAttempts();
    if (isFirst || !channel.isRetryable(error) || !channel.pause(failures, error, null)) {
      close();
      throw error;
    }
  }
}
