package io.memorysidecar.examples.agent;

import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.memorysidecar.v1.AppendMessagesRequest;
import io.memorysidecar.v1.AppendMessagesResponse;
import io.memorysidecar.v1.AssembleContextRequest;
import io.memorysidecar.v1.CreateSessionRequest;
import io.memorysidecar.v1.GetWindowRequest;
import io.memorysidecar.v1.GetWindowResponse;
import io.memorysidecar.v1.KeepLast;
import io.memorysidecar.v1.Memory;
import io.memorysidecar.v1.MemoryScope;
import io.memorysidecar.v1.MemoryServiceGrpc;
import io.memorysidecar.v1.Message;
import io.memorysidecar.v1.Policy;
import io.memorysidecar.v1.PolicyChoice;
import io.memorysidecar.v1.PolicyStage;
import io.memorysidecar.v1.RecallFilter;
import io.memorysidecar.v1.RecallHit;
import io.memorysidecar.v1.RecallKind;
import io.memorysidecar.v1.RecallRequest;
import io.memorysidecar.v1.RecallServiceGrpc;
import io.memorysidecar.v1.RememberRequest;
import io.memorysidecar.v1.Role;
import io.memorysidecar.v1.ScopeFilter;
import io.memorysidecar.v1.Session;
import io.memorysidecar.v1.SessionServiceGrpc;
import io.memorysidecar.v1.ToolCall;
import io.memorysidecar.v1.Trigger;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * Answers one question a turn. Its model is a stand-in that always wants both tools; what it sends
 * depends on the turn alone, so that a turn that a crash cut short is repeated word for word, with
 * the same request ids, and nothing is stored twice.
 */
final class Agent {
  static final String SESSION_ID = "dinner";

  private static final String USER_ID = "ada";
  private static final String ALLERGY = "Ada is allergic to peanuts.";
  private static final List<String> CITIES = List.of("Lisbon", "Oslo", "Rome");
  private static final int WINDOW_LIMIT = 20;
  private static final int KEPT_TURNS = 3;
  private static final int CALL_SECONDS = 20;
  private static final int TOOL_MS = 20;

  private final SessionServiceGrpc.SessionServiceBlockingStub sessions;
  private final MemoryServiceGrpc.MemoryServiceBlockingStub memories;
  private final RecallServiceGrpc.RecallServiceBlockingStub recall;
  private final State state;
  private final AtomicLong lastTrim = new AtomicLong();

  Agent(Channel channel, State state) {
    sessions = SessionServiceGrpc.newBlockingStub(channel);
    memories = MemoryServiceGrpc.newBlockingStub(channel);
    recall = RecallServiceGrpc.newBlockingStub(channel);
    this.state = state;
  }

  /** The newest revision in which something left the window. */
  long lastTrim() {
    return lastTrim.get();
  }

  void work(int turns) throws IOException {
    open();
    for (int turn = state.get().turn(); turn <= turns; turn++) {
      takeTurn(turn);
      int next = turn + 1;
      state.change(data -> data.withTurn(next));
    }
    lookBack();
  }

  /** Creates the session, or finds it there. */
  private void open() {
    // As soon as the window holds more messages than this, only the newest turns stay.
    PolicyStage newestTurns = PolicyStage.newBuilder()
        .setName("newest-turns")
        .addAnyOf(Trigger.newBuilder().setMessageCountOver(WINDOW_LIMIT))
        .setKeepLast(KeepLast.newBuilder().setUnitCount(KEPT_TURNS))
        .build();
    CreateSessionRequest request = CreateSessionRequest.newBuilder()
        .setRequestId("open")
        .setSession(Session.newBuilder()
            .setSessionId(SESSION_ID)
            .setUserId(USER_ID)
            .setPolicy(PolicyChoice.newBuilder()
                .setPolicy(Policy.newBuilder().addStages(newestTurns))))
        .build();
    try {
      sessions.createSession(request);
    } catch (StatusRuntimeException e) {
      if (!Remedy.is(e, Status.Code.ALREADY_EXISTS)) throw e;
    }
  }

  /** Asks, calls the tools side by side, and answers. */
  private void takeTurn(int turn) {
    String city = CITIES.get(turn % CITIES.size());
    Message question = Message.newBuilder()
        .setRole(Role.ROLE_USER)
        .setText("Turn " + turn + ": where do I eat in " + city + "?")
        .build();
    List<ToolCall> calls = List.of(call("find_restaurant", turn, city), call("get_weather", turn, city));
    Message wish = Message.newBuilder().setRole(Role.ROLE_ASSISTANT).addAllToolCalls(calls).build();
    append("turn-" + turn + "/ask", false, question, wish);

    CompletableFuture<?>[] results = calls.stream()
        .map(call -> CompletableFuture.runAsync(() -> append(
            "result/" + call.getToolCallId(),
            false,
            Message.newBuilder()
                .setRole(Role.ROLE_TOOL)
                .setToolCallId(call.getToolCallId())
                .setText(runTool(call.getName(), city))
                .build())))
        .toArray(CompletableFuture<?>[]::new);
    CompletableFuture.allOf(results).join();

    GetWindowResponse window =
        sessions.getWindow(GetWindowRequest.newBuilder().setSessionId(SESSION_ID).build());
    String answer = think(window.getMessagesList(), turn);
    append("turn-" + turn + "/answer", true,
        Message.newBuilder().setRole(Role.ROLE_ASSISTANT).setText(answer).build());
    if (turn == 2) remember();
    Report.line("turn", Map.of(
        "turn", turn,
        "messages", window.getMessagesCount(),
        "openCalls", window.getOpenToolCallIdsCount(),
        "answer", answer));
  }

  private static ToolCall call(String name, int turn, String city) {
    return ToolCall.newBuilder()
        .setToolCallId(name + "-" + turn)
        .setName(name)
        .setArguments("{\"city\":\"" + city + "\"}")
        .build();
  }

  private static String runTool(String name, String city) {
    try {
      Thread.sleep(TOOL_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return name.equals("get_weather")
        ? "It is sunny in " + city + "."
        : "The Anchor in " + city + " has a table.";
  }

  /** The model: it reads the results of this turn in the window. */
  private static String think(List<Message> window, int turn) {
    Map<String, String> found = window.stream()
        .filter(message -> !message.getToolCallId().isEmpty())
        .collect(Collectors.toMap(Message::getToolCallId, Message::getText));
    return found.get("find_restaurant-" + turn) + " " + found.get("get_weather-" + turn);
  }

  /**
   * Stores messages. A deadline leaves open whether they are stored: the same request id gives the
   * first answer then, and nothing is stored twice.
   */
  private void append(String requestId, boolean turnEnd, Message... messages) {
    AppendMessagesRequest request = AppendMessagesRequest.newBuilder()
        .setSessionId(SESSION_ID)
        .addAllMessages(List.of(messages))
        .setRequestId(requestId)
        .setTurnEnd(turnEnd)
        .build();
    AppendMessagesResponse answer = Remedy.untilKnown(
        () -> sessions.withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS).appendMessages(request));
    if (answer.getTrimsCount() > 0) lastTrim.accumulateAndGet(answer.getRevision(), Math::max);
  }

  private void remember() {
    RememberRequest request = RememberRequest.newBuilder()
        .setRequestId("remember")
        .addMemories(Memory.newBuilder().setText(ALLERGY).setUserId(USER_ID).setImportance(0.9))
        .build();
    Remedy.untilKnown(
        () -> memories.withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS).remember(request));
  }

  /** Finds what was remembered, by itself and in a context for the model. */
  private void lookBack() {
    RecallRequest question = RecallRequest.newBuilder()
        .setQuery("what is Ada allergic to")
        .setFilter(RecallFilter.newBuilder()
            .setScope(ScopeFilter.newBuilder()
                .setVisibleTo(MemoryScope.newBuilder().setUserId(USER_ID)))
            .addKinds(RecallKind.RECALL_KIND_MEMORY))
        .build();
    for (RecallHit hit : recall.recall(question).getHitsList()) {
      Report.line("recalled", Map.of("text", hit.getMemory().getText()));
    }
    AssembleContextRequest prompt = AssembleContextRequest.newBuilder()
        .setSessionId(SESSION_ID)
        .setQuery("a dinner without peanuts")
        .setMaxTokens(1_000)
        .build();
    Report.line("context", Map.of("text", recall.assembleContext(prompt).getText()));
  }
}
