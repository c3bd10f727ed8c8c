package io.memorysidecar.examples.agent;

import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.memorysidecar.v1.Event;
import io.memorysidecar.v1.EventFilter;
import io.memorysidecar.v1.EventServiceGrpc;
import io.memorysidecar.v1.EventType;
import io.memorysidecar.v1.StreamPosition;
import io.memorysidecar.v1.StreamedEvent;
import io.memorysidecar.v1.WatchEventsRequest;
import io.memorysidecar.v1.WatchEventsResponse;
import java.io.IOException;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * Follows what leaves the window of the session. It resumes after the last event that it handled, on
 * another connection and in another process: no event is lost.
 */
final class TrimWatch implements AutoCloseable {
  private static final long RECONNECT_MS = 200;
  private static final long CATCH_UP_MS = 30_000;

  private final EventServiceGrpc.EventServiceBlockingStub events;
  private final State state;
  private final CompletableFuture<Void> watching = new CompletableFuture<>();
  private final Thread thread = new Thread(this::run, "trim-watch");

  TrimWatch(Channel channel, State state) {
    events = EventServiceGrpc.newBlockingStub(channel);
    this.state = state;
    thread.setDaemon(true);
  }

  /** Returns when the server has answered. */
  void start() throws InterruptedException, ExecutionException {
    thread.start();
    watching.get();
  }

  /** Returns when the events up to a revision were handled. */
  void await(long revision) throws InterruptedException, TimeoutException {
    long end = System.currentTimeMillis() + CATCH_UP_MS;
    while (state.get().revision() < revision) {
      if (System.currentTimeMillis() > end) throw new TimeoutException("events up to " + revision);
      Thread.sleep(10);
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }

  private void run() {
    try {
      while (true) {
        try {
          follow();
        } catch (StatusRuntimeException e) {
          if (Remedy.of(e) != Remedy.SEND_AGAIN) throw e;
          Report.line("interrupted", Map.of("code", e.getStatus().getCode()));
        }
        Thread.sleep(RECONNECT_MS);
      }
    } catch (IOException | RuntimeException e) {
      watching.completeExceptionally(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Reads one stream to its end, which is an error unless something between ends it. */
  private void follow() throws IOException {
    WatchEventsRequest.Builder request = WatchEventsRequest.newBuilder()
        .setFilter(EventFilter.newBuilder()
            .setSessionId(Agent.SESSION_ID)
            .addEventTypes(EventType.EVENT_TYPE_MESSAGES_TRIMMED));
    String token = state.get().resumeToken();
    if (token.isEmpty()) request.setPosition(StreamPosition.STREAM_POSITION_NOW);
    else request.setResumeToken(token);
    Iterator<WatchEventsResponse> answers = events.watchEvents(request.build());
    while (answers.hasNext()) {
      WatchEventsResponse answer = answers.next();
      for (StreamedEvent streamed : answer.getEventsList()) handle(streamed);
      // The first answer and checkpoints have no event, but a newer token.
      state.change(data -> data.withToken(answer.getResumeToken()));
      watching.complete(null);
    }
  }

  /** Takes an event once: after a resume it may come again. */
  private void handle(StreamedEvent streamed) throws IOException {
    Event event = streamed.getEvent();
    if (!state.get().isBefore(event.getRevision(), event.getIndex())) return;
    Report.line("trim", Map.of(
        "revision", event.getRevision(),
        "index", event.getIndex(),
        "removed", event.getMessagesTrimmed().getTrim().getRemovedTotals().getMessageCount()));
    state.change(data -> new State.Data(
        data.turn(), streamed.getResumeToken(), event.getRevision(), event.getIndex()));
  }
}
