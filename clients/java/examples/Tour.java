import com.google.protobuf.ByteString;
import io.memorysidecar.client.MemorySidecar;
import io.memorysidecar.client.MemorySidecarException;
import io.memorysidecar.client.Messages;
import io.memorysidecar.client.Policies;
import io.memorysidecar.client.RetryPolicy;
import io.memorysidecar.client.Scopes;
import io.memorysidecar.client.Watch;
import io.memorysidecar.v1.AppendMessagesRequest;
import io.memorysidecar.v1.AssembleContextRequest;
import io.memorysidecar.v1.ConflictMode;
import io.memorysidecar.v1.ConflictRule;
import io.memorysidecar.v1.ContextSection;
import io.memorysidecar.v1.ContextSectionKind;
import io.memorysidecar.v1.CreateConsumerRequest;
import io.memorysidecar.v1.EraseSubjectRequest;
import io.memorysidecar.v1.Erasure;
import io.memorysidecar.v1.ErasureState;
import io.memorysidecar.v1.ErasureSubject;
import io.memorysidecar.v1.ErrorReason;
import io.memorysidecar.v1.EventFilter;
import io.memorysidecar.v1.EventType;
import io.memorysidecar.v1.GetErasureRequest;
import io.memorysidecar.v1.ListMessagesRequest;
import io.memorysidecar.v1.ListRecordsRequest;
import io.memorysidecar.v1.Memory;
import io.memorysidecar.v1.MemoryScope;
import io.memorysidecar.v1.Message;
import io.memorysidecar.v1.NamedRecord;
import io.memorysidecar.v1.PutRecordRequest;
import io.memorysidecar.v1.RecallFilter;
import io.memorysidecar.v1.RecallKind;
import io.memorysidecar.v1.RecallRequest;
import io.memorysidecar.v1.RecordRange;
import io.memorysidecar.v1.RememberRequest;
import io.memorysidecar.v1.Session;
import io.memorysidecar.v1.StreamPosition;
import io.memorysidecar.v1.ToolCall;
import io.memorysidecar.v1.WatchEventsRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Walks once through the client: turns with tools, the window, what leaves it, memory, context,
 * records, errors, erasure. The tours of all languages print the same lines.
 *
 * <pre>
 * java -cp "target/classes:$(cat target/classpath)" examples/Tour.java [ADDRESS [TOKEN]]
 * </pre>
 *
 * It asks for a kill of the server, and then of itself; "resume" as a third argument goes on.
 */
public final class Tour {
  private final MemorySidecar client;

  private Tour(MemorySidecar client) {
    this.client = client;
  }

  public static void main(String[] arguments) throws Exception {
    String[] given = Arrays.copyOf(arguments, 3);
    var settings =
        MemorySidecar.builder(given[0] == null ? "127.0.0.1:50151" : given[0])
            // More attempts than usual: a person who kills the server is slow to start it again.
            .retry(new RetryPolicy(30, Duration.ofMillis(100), Duration.ofSeconds(2)));
    if (given[1] != null) settings.token(given[1]);
    try (MemorySidecar client = settings.connect()) {
      Tour tour = new Tour(client);
      if (!"resume".equals(given[2])) {
        tour.start();
        return;
      }
      tour.resume();
      tour.remember();
      tour.records();
      tour.refusals();
      tour.erase();
    }
  }

  private static void say(String line) {
    System.out.println(line);
  }

  /** Waits for Enter. */
  private static void ask(String text) throws IOException {
    say(text);
    while (System.in.read() > '\n') {}
  }

  private void start() throws IOException {
    say("== Turns");
    client.ensureSession(
        Session.newBuilder()
            .setSessionId("trip")
            .setUserId("ada")
            .setPolicy(Policies.preset("turns", Map.of("max_turns", 1)))
            .build());
    client.ensureConsumer(
        CreateConsumerRequest.newBuilder()
            .setConsumerId("tour")
            .setPosition(StreamPosition.STREAM_POSITION_OLDEST)
            .build());
    try (Watch trims = watchTrims()) {
      turn(1, "Lisbon");
      show();
      turn(2, "Oslo");
      showTrim(trims);
      ask("Kill the server, press Enter, and start it again.");
      turn(3, "Rome");
      showTrim(trims);
      turn(4, "Paris");
      ask("Kill this program, and start it again with resume.");
    }
  }

  /** Watches what leaves the window, after what was acknowledged. */
  private Watch watchTrims() {
    return client.watch(
        WatchEventsRequest.newBuilder()
            .setConsumerId("tour")
            .setFilter(
                EventFilter.newBuilder()
                    .setSessionId("trip")
                    .addEventTypes(EventType.EVENT_TYPE_MESSAGES_TRIMMED))
            .build());
  }

  /** Asks, runs the tools of the answer side by side, and appends what they found. */
  private void turn(int number, String city) {
    String arguments = "{\"city\":\"%s\"}".formatted(city);
    List<ToolCall> calls =
        List.of(
            Messages.call("table-" + number, "find_table", arguments),
            Messages.call("weather-" + number, "get_weather", arguments));
    var asked =
        client.append(
            "trip",
            Messages.user("Where do I eat in " + city + "?"),
            Messages.assistant("", calls.toArray(ToolCall[]::new)));
    List<Message> messages =
        new ArrayList<>(calls.parallelStream().map(call -> runTool(call, city)).toList());
    messages.add(Messages.assistant(messages.get(0).getText() + " " + messages.get(1).getText()));
    var done = client.append("trip", messages.toArray(Message[]::new));
    say(
        "turn %d has the seqs %d to %d"
            .formatted(number, asked.getMessages(0).getSeq(), done.getLastSeq()));
  }

  private static Message runTool(ToolCall call, String city) {
    String text =
        call.getName().equals("get_weather")
            ? "It is sunny in " + city + "."
            : "The Anchor in " + city + " has a table.";
    return Messages.tool(call.getToolCallId(), text);
  }

  /** Shows what goes to the model. */
  private void show() {
    for (Message message : client.window("trip").getMessagesList()) {
      StringBuilder line = new StringBuilder();
      String role = message.getRole().name().replace("ROLE_", "").toLowerCase();
      line.append("%d %s:".formatted(message.getSeq(), role));
      for (ToolCall call : message.getToolCallsList()) {
        line.append(" %s(%s)".formatted(call.getName(), call.getArguments()));
      }
      if (!message.getText().isEmpty()) line.append(" " + message.getText());
      say(line.toString());
    }
  }

  /** Waits for the next trim, shows it, and tells the server that it is done. */
  private static void showTrim(Watch trims) {
    var trim = trims.next().getEvent().getMessagesTrimmed().getTrim();
    var seqs = trim.getSeqRanges(0);
    say(
        "left the window: %d to %d, by %s"
            .formatted(seqs.getFirstSeq(), seqs.getLastSeq(), trim.getStage()));
    trims.ack();
  }

  private void resume() {
    say("== Resumed");
    try (Watch trims = watchTrims()) {
      showTrim(trims);
      turn(5, "Porto");
      showTrim(trims);
    }
    var request = ListMessagesRequest.newBuilder().setSessionId("trip").setPageSize(4).build();
    say("the log has %d messages".formatted(client.listMessages(request).stream().count()));
  }

  /** Remembers facts, the second in the place of the first, and finds them again. */
  private void remember() {
    say("== Memory");
    for (String text : List.of("Ada lives in Porto.", "Ada lives in Berlin.")) {
      var fact = Memory.newBuilder().setUserId("ada").setKey("home_city").setText(text);
      var supersede = ConflictRule.newBuilder().setMode(ConflictMode.CONFLICT_MODE_SUPERSEDE);
      client
          .memories()
          .remember(
              RememberRequest.newBuilder().addMemories(fact).setConflict(supersede).build());
    }
    var allergy = Memory.newBuilder().setUserId("ada").setText("Ada is allergic to peanuts.");
    client.memories().remember(RememberRequest.newBuilder().addMemories(allergy).build());
    var found =
        client
            .recalls()
            .recall(
                RecallRequest.newBuilder()
                    .setQuery("which city is home")
                    .setPageSize(1)
                    .setFilter(
                        RecallFilter.newBuilder()
                            .setScope(Scopes.visibleTo("ada"))
                            .addKinds(RecallKind.RECALL_KIND_MEMORY))
                    .build());
    for (var hit : found.getHitsList()) say("recalled: " + hit.getMemory().getText());
    var prompt =
        client
            .recalls()
            .assembleContext(
                AssembleContextRequest.newBuilder()
                    .setSessionId("trip")
                    .setQuery("a dinner without peanuts")
                    .setMaxTokens(500)
                    .setExcludeConversation(true)
                    .addSections(
                        ContextSection.newBuilder()
                            .setKind(ContextSectionKind.CONTEXT_SECTION_KIND_LONG_TERM))
                    .build());
    say(prompt.getText());
  }

  /** Keeps values and lists them. */
  private void records() {
    say("== Records");
    List<String> path = List.of("checkpoints", "trip");
    for (String step : List.of("one", "two", "three")) {
      var record =
          NamedRecord.newBuilder()
              .addAllPath(path)
              .setKey(step)
              .setValue(ByteString.copyFromUtf8("step " + step))
              .setOwner(MemoryScope.newBuilder().setUserId("ada"));
      client.records().putRecord(PutRecordRequest.newBuilder().setRecord(record).build());
    }
    var request =
        ListRecordsRequest.newBuilder()
            .setRange(RecordRange.newBuilder().addAllPath(path))
            .setIncludeValues(true)
            .setPageSize(2)
            .build();
    for (NamedRecord record : client.listRecords(request)) {
      say(record.getKey() + ": " + record.getValue().toStringUtf8());
    }
  }

  /** Shows what errors tell, and that a request id stores once. */
  private void refusals() {
    say("== Errors");
    var late =
        failure(
            () ->
                client
                    .sessions()
                    .appendMessages(append("Too late").setExpectedLastSeq(1).build()));
    say("%s: the newest seq is %s".formatted(late.reason(), late.metadata().get("last_seq")));
    var whose = failure(() -> client.append("trip", Message.newBuilder().setText("Whose?").build()));
    say("%s: %s".formatted(whose.reason(), whose.violations().get(0).field()));
    var once = append("Thank you.").setRequestId("thanks").build();
    var first = client.sessions().appendMessages(once);
    var again = client.sessions().appendMessages(once);
    say(
        "sent twice, stored once: seq %d and seq %d"
            .formatted(first.getLastSeq(), again.getLastSeq()));
  }

  private static AppendMessagesRequest.Builder append(String text) {
    return AppendMessagesRequest.newBuilder().setSessionId("trip").addMessages(Messages.user(text));
  }

  /** The error of a call that is meant to fail. */
  private static MemorySidecarException failure(Runnable call) {
    try {
      call.run();
    } catch (MemorySidecarException error) {
      return error;
    }
    throw new IllegalStateException("an error was expected");
  }

  /** Erases the user with everything that is theirs. */
  private void erase() throws InterruptedException {
    say("== Erasure");
    var subject = ErasureSubject.newBuilder().setUserId("ada");
    Erasure receipt =
        client
            .admin()
            .eraseSubject(EraseSubjectRequest.newBuilder().setSubject(subject).build())
            .getErasure();
    while (receipt.getState() == ErasureState.ERASURE_STATE_RUNNING) {
      Thread.sleep(20);
      var request = GetErasureRequest.newBuilder().setErasureId(receipt.getErasureId()).build();
      receipt = client.admin().getErasure(request).getErasure();
    }
    for (var erased : receipt.getErasedList()) {
      String kind = erased.getKind().name().replace("ERASED_KIND_", "").toLowerCase();
      say("erased %s: %d".formatted(kind, erased.getCount()));
    }
    var gone = failure(() -> client.window("trip"));
    if (gone.hasReason(ErrorReason.ERROR_REASON_SESSION_NOT_FOUND)) {
      say("nothing is left of the session");
    }
  }
}
