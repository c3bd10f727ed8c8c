package io.memorysidecar.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.ResourceInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import io.memorysidecar.v1.AckEventsRequest;
import io.memorysidecar.v1.AckEventsResponse;
import io.memorysidecar.v1.AppendMessagesRequest;
import io.memorysidecar.v1.AppendMessagesResponse;
import io.memorysidecar.v1.CreateSessionRequest;
import io.memorysidecar.v1.CreateSessionResponse;
import io.memorysidecar.v1.DropDuplicates;
import io.memorysidecar.v1.DropOldest;
import io.memorysidecar.v1.ErrorReason;
import io.memorysidecar.v1.Event;
import io.memorysidecar.v1.EventServiceGrpc;
import io.memorysidecar.v1.GetSessionRequest;
import io.memorysidecar.v1.GetSessionResponse;
import io.memorysidecar.v1.ListMessagesRequest;
import io.memorysidecar.v1.ListMessagesResponse;
import io.memorysidecar.v1.Message;
import io.memorysidecar.v1.PackNewest;
import io.memorysidecar.v1.PinMiddleRecent;
import io.memorysidecar.v1.Session;
import io.memorysidecar.v1.SessionServiceGrpc;
import io.memorysidecar.v1.Shorten;
import io.memorysidecar.v1.StreamPosition;
import io.memorysidecar.v1.StreamedEvent;
import io.memorysidecar.v1.WatchEventsRequest;
import io.memorysidecar.v1.WatchEventsResponse;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The client against a server that answers as a test says. */
class MemorySidecarTest {
  private static final RetryPolicy QUICK =
      new RetryPolicy(4, java.time.Duration.ofMillis(1), java.time.Duration.ofMillis(2));

  private final List<AppendMessagesRequest> appends = Collections.synchronizedList(new ArrayList<>());
  private final List<String> tokens = Collections.synchronizedList(new ArrayList<>());
  private static final Map<String, String> OWNERS = Map.of("anas", "ana", "nobodys", "");
  private final List<StatusRuntimeException> errors = Collections.synchronizedList(new ArrayList<>());
  private final List<WatchEventsRequest> watches = Collections.synchronizedList(new ArrayList<>());
  private volatile BiConsumer<Integer, StreamObserver<WatchEventsResponse>> watch;
  private volatile AckEventsRequest acked;
  private Server server;

  @BeforeEach
  void start() throws IOException {
    server =
        NettyServerBuilder.forPort(0)
            .addService(new Sessions())
            .addService(new Events())
            .intercept(new Tokens())
            .build()
            .start();
  }

  @AfterEach
  void stop() {
    server.shutdownNow();
  }

  private MemorySidecar.Builder client() {
    return MemorySidecar.builder("127.0.0.1:" + server.getPort()).retry(QUICK);
  }

  private static AppendMessagesRequest hello() {
    return AppendMessagesRequest.newBuilder()
        .setSessionId("s")
        .addMessages(Messages.user("hi"))
        .build();
  }

  private static StatusRuntimeException failure(
      Status.Code code, String reason, com.google.protobuf.Message... details) {
    var info =
        ErrorInfo.newBuilder()
            .setReason(reason)
            .setDomain("memorysidecar.io")
            .putMetadata("last_seq", "7");
    var status =
        com.google.rpc.Status.newBuilder()
            .setCode(code.value())
            .setMessage("no")
            .addDetails(Any.pack(info.build()));
    for (var detail : details) status.addDetails(Any.pack(detail));
    return StatusProto.toStatusRuntimeException(status.build());
  }

  private static RetryInfo retryAfterMillis(int millis) {
    return RetryInfo.newBuilder()
        .setRetryDelay(Duration.newBuilder().setNanos(millis * 1_000_000))
        .build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://localhost:7437", "localhost", "", ":50151", "localhost:0", "localhost:99999", "a b:1"})
  void refusesAddresses(String address) {
    var error =
        assertThrows(IllegalArgumentException.class, () -> MemorySidecar.connect(address));
    assertTrue(error.getMessage().startsWith("the address must be host:port"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory.example:50151", "10.0.0.7:50151", "[2001:db8::1]:50151"})
  void keepsTokensOffOpenConnections(String address) {
    var builder = MemorySidecar.builder(address).token("secret");
    var error = assertThrows(IllegalArgumentException.class, builder::connect);
    assertTrue(error.getMessage().contains("tls()"));
    builder.tls().connect().close();
    MemorySidecar.connect(address).close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost:50151", "127.0.0.1:50151", "[::1]:50151"})
  void sendsTokensToThisHost(String address) {
    MemorySidecar.builder(address).token("secret").connect().close();
  }

  @Test
  void repeatsWhatIsUnavailable() {
    errors.add(failure(Status.Code.UNAVAILABLE, "OVERLOADED", retryAfterMillis(30)));
    errors.add(Status.UNAVAILABLE.asRuntimeException());
    errors.add(Status.CANCELLED.asRuntimeException());
    try (var client = client().namespace("tenant").token("secret").connect()) {
      long began = System.nanoTime();
      assertEquals(4, client.sessions().appendMessages(hello()).getLastSeq());
      assertTrue(System.nanoTime() - began >= 30_000_000, "it came back before the server asked");
      for (var sent : appends) {
        assertFalse(sent.getRequestId().isEmpty());
        assertEquals(appends.get(0).getRequestId(), sent.getRequestId());
        assertEquals("tenant", sent.getNamespace());
      }
      assertEquals(Collections.nCopies(4, "Bearer secret"), tokens);
      client.sessions().appendMessages(hello());
      assertNotEquals(appends.get(0).getRequestId(), appends.get(4).getRequestId());
      var own = hello().toBuilder().setRequestId("mine").setNamespace("other").build();
      client.sessions().appendMessages(own);
      assertEquals(own, appends.get(5));
    }
  }

  @Test
  void knowsConnectionsThatBroke() {
    var closed = Status.UNKNOWN.withDescription("channel closed");
    var cutOff = closed.withCause(new ClosedChannelException()).asRuntimeException();
    var error = MemorySidecarException.of(cutOff);
    assertEquals(Status.Code.UNAVAILABLE, error.code());
    assertTrue(error.getMessage().startsWith("UNAVAILABLE: No server answers"));
    var other = closed.withCause(new IllegalStateException()).asRuntimeException();
    assertEquals(Status.Code.UNKNOWN, MemorySidecarException.of(other).code());
    assertEquals(
        Status.Code.UNKNOWN, MemorySidecarException.of(closed.asRuntimeException()).code());
  }

  @Test
  void givesUp() {
    errors.addAll(Collections.nCopies(9, failure(Status.Code.UNAVAILABLE, "OVERLOADED")));
    try (var client = client().connect()) {
      assertThrows(MemorySidecarException.class, () -> client.sessions().appendMessages(hello()));
      assertEquals(4, appends.size());
      for (var error :
          List.of(
              failure(Status.Code.ABORTED, "LAST_SEQ_MISMATCH"),
              failure(Status.Code.RESOURCE_EXHAUSTED, "STORE_FULL"),
              failure(Status.Code.UNAVAILABLE, "OVERLOADED", RetryInfo.newBuilder()
                  .setRetryDelay(Duration.newBuilder().setSeconds(3_600)).build()))) {
        errors.clear();
        appends.clear();
        errors.add(error);
        assertThrows(MemorySidecarException.class, () -> client.sessions().appendMessages(hello()));
        assertEquals(1, appends.size());
      }
    }
  }

  @Test
  void refusesTheSessionOfAnotherUser() {
    try (var client = client().connect()) {
      for (var ask : List.of(List.of("anas", "ana"), List.of("anas", ""), List.of("nobodys", "bob"))) {
        var session = Session.newBuilder().setSessionId(ask.get(0)).setUserId(ask.get(1)).build();
        assertEquals(ask.get(0), client.ensureSession(session).getSessionId());
      }
      var anas = Session.newBuilder().setSessionId("anas").setUserId("bob").build();
      var error = assertThrows(MemorySidecarException.class, () -> client.ensureSession(anas));
      assertTrue(error.hasReason(ErrorReason.ERROR_REASON_SESSION_ALREADY_EXISTS));
      assertTrue(
          error
              .getMessage()
              .startsWith(
                  "SESSION_ALREADY_EXISTS: Session \"anas\" exists, and belongs to another user than"
                      + " \"bob\"."));
    }
  }

  @Test
  void typesErrors() {
    errors.add(
        failure(
            Status.Code.NOT_FOUND,
            "SESSION_NOT_FOUND",
            ResourceInfo.newBuilder().setResourceType("Session").setResourceName("s").build(),
            BadRequest.newBuilder()
                .addFieldViolations(
                    BadRequest.FieldViolation.newBuilder()
                        .setField("session_id")
                        .setDescription("is unknown"))
                .build()));
    try (var client = client().connect()) {
      var request = hello().toBuilder().setRequestId("mine").build();
      var error =
          assertThrows(
              MemorySidecarException.class, () -> client.sessions().appendMessages(request));
      assertEquals(Status.Code.NOT_FOUND, error.code());
      assertEquals("SESSION_NOT_FOUND", error.reason());
      assertEquals(Map.of("last_seq", "7"), error.metadata());
      assertEquals("mine", error.requestId());
      assertEquals("memorysidecar.v1.SessionService/AppendMessages", error.method());
      assertEquals(new MemorySidecarException.Resource("Session", "s"), error.resource().get());
      assertEquals(
          List.of(new MemorySidecarException.FieldViolation("session_id", "is unknown")),
          error.violations());
      assertTrue(error.hasReason(ErrorReason.ERROR_REASON_SESSION_NOT_FOUND));
      assertFalse(error.hasReason(ErrorReason.ERROR_REASON_MESSAGE_NOT_FOUND));
      assertTrue(
          error.getMessage().startsWith("SESSION_NOT_FOUND: no Session \"s\" in namespace \"default\"."));
      assertTrue(error.getMessage().contains("ensureSession"));
    }
    try (var nobody = MemorySidecar.builder("127.0.0.1:1").retry(QUICK).connect()) {
      var error = assertThrows(MemorySidecarException.class, () -> nobody.window("s"));
      assertTrue(
          error.getMessage().contains("No server answers at 127.0.0.1:1. Is it running there?"));
    }
    try (var client = client().timeout(java.time.Duration.ofMillis(50)).connect()) {
      var request = GetSessionRequest.newBuilder().setSessionId("s").build();
      var error =
          assertThrows(MemorySidecarException.class, () -> client.sessions().getSession(request));
      assertEquals(Status.Code.DEADLINE_EXCEEDED, error.code());
    }
  }

  @Test
  void fetchesPagesAsTheyAreRead() {
    try (var client = client().connect()) {
      var request = ListMessagesRequest.newBuilder().setSessionId("s").build();
      var seqs = client.listMessages(request).stream().map(Message::getSeq).toList();
      assertEquals(List.of(1L, 2L, 3L), seqs);
      int calls = tokens.size();
      assertEquals(1, client.listMessages(request).iterator().next().getSeq());
      assertEquals(calls + 1, tokens.size());
      errors.add(failure(Status.Code.NOT_FOUND, "SESSION_NOT_FOUND"));
      var items = client.listMessages(request).iterator();
      assertThrows(MemorySidecarException.class, items::hasNext);
    }
  }

  private static WatchEventsResponse answer(String token, long... revisions) {
    var answer = WatchEventsResponse.newBuilder().setResumeToken(token);
    for (long revision : revisions) {
      answer.addEvents(
          StreamedEvent.newBuilder()
              .setEvent(Event.newBuilder().setRevision(revision))
              .setResumeToken(token));
    }
    return answer.build();
  }

  @Test
  void resumesAWatch() {
    watch =
        (number, stream) -> {
          switch (number) {
            case 1 -> stream.onError(Status.UNAVAILABLE.asRuntimeException());
            case 2 -> {
              stream.onNext(answer("start"));
              stream.onNext(answer("after-2", 1, 2));
              stream.onError(Status.UNAVAILABLE.asRuntimeException());
            }
            case 3 -> {
              stream.onNext(answer("after-3", 2, 3));
              stream.onCompleted(); // No orderly end is known.
            }
            case 4 -> {
              stream.onNext(answer("checkpoint"));
              stream.onError(failure(Status.Code.UNAVAILABLE, "SHUTTING_DOWN"));
            }
            default -> {
              stream.onNext(answer("after-4", 4));
              stream.onError(failure(Status.Code.OUT_OF_RANGE, "RESUME_TOKEN_EXPIRED"));
            }
          }
        };
    var request = WatchEventsRequest.newBuilder().setConsumerId("c").build();
    try (var client = client().namespace("tenant").connect();
        var events = client.watch(request)) {
      assertEquals("start", events.resumeToken());
      for (long revision : new long[] {1, 2, 3}) {
        assertEquals(revision, events.next().getEvent().getRevision());
      }
      events.ack();
      assertEquals(
          AckEventsRequest.newBuilder()
              .setNamespace("tenant")
              .setConsumerId("c")
              .setResumeToken("after-3")
              .build(),
          acked);
      assertEquals(4, events.next().getEvent().getRevision());
      var error = assertThrows(MemorySidecarException.class, events::hasNext);
      assertEquals("RESUME_TOKEN_EXPIRED", error.reason());
      var sent = watches.stream().map(WatchEventsRequest::getResumeToken).toList();
      assertEquals(List.of("", "", "after-2", "after-3", "checkpoint"), sent);
      assertTrue(watches.stream().allMatch(one -> one.getNamespace().equals("tenant")));
    }
  }

  @Test
  void endsAWatch() throws InterruptedException {
    watch = (number, stream) -> stream.onNext(answer("start"));
    try (var client = client().connect();
        var events = client.watch(WatchEventsRequest.getDefaultInstance())) {
      assertThrows(IllegalStateException.class, events::ack);
      var closer = new Thread(events::close);
      closer.start();
      assertFalse(events.hasNext());
      closer.join();
      assertEquals(StreamPosition.STREAM_POSITION_NOW, watches.get(0).getPosition());
      watch = (number, stream) -> stream.onError(Status.UNAVAILABLE.asRuntimeException());
      var error =
          assertThrows(
              MemorySidecarException.class,
              () -> client.watch(WatchEventsRequest.getDefaultInstance()));
      assertEquals(Status.Code.UNAVAILABLE, error.code());
      assertEquals(1 + 4, watches.size());
    }
    watch = (number, stream) -> stream.onNext(answer("start"));
    var client = client().connect();
    var events = client.watch(WatchEventsRequest.getDefaultInstance());
    client.close();
    assertThrows(MemorySidecarException.class, events::hasNext);
  }

  @Test
  void writesPolicies() {
    var options = new java.util.HashMap<String, Object>(Map.of("a", 9, "b", List.of("x", true)));
    options.put("c", null);
    options.put("d", Map.of("e", 0.5));
    var preset = Policies.preset("marsys", options).getPreset();
    assertEquals("marsys", preset.getName());
    var fields = preset.getOptions().getFieldsMap();
    assertEquals(9, fields.get("a").getNumberValue());
    assertTrue(fields.get("b").getListValue().getValues(1).getBoolValue());
    assertTrue(fields.get("c").hasNullValue());
    assertEquals(0.5, fields.get("d").getStructValue().getFieldsOrThrow("e").getNumberValue());
    assertThrows(
        IllegalArgumentException.class, () -> Policies.preset("turns", Map.of("a", new Object())));
    var policy =
        Policies.of(
                Policies.shorten("results", Shorten.newBuilder().setMaxTokens(64).build()),
                Policies.filter("chatter", "message.content != 'ok'"),
                Policies.dropDuplicates("same", DropDuplicates.getDefaultInstance()),
                Policies.packNewest("pack", PackNewest.newBuilder().setMaxTokens(900).build()),
                Policies.pinMiddleRecent("middle", PinMiddleRecent.getDefaultInstance()),
                Policies.dropOldest("fit", DropOldest.newBuilder().setMaxTokens(500).build()),
                Policies.keepLast("last", 1))
            .getPolicy();
    var kinds = policy.getStagesList().stream().map(stage -> stage.getSelectCase().name()).toList();
    assertEquals(
        Arrays.asList("SHORTEN", "FILTER", "DROP_DUPLICATES", "PACK_NEWEST", "PIN_MIDDLE_RECENT", "DROP_OLDEST", "KEEP_LAST"),
        kinds);
  }

  /** Notes the token of each call. */
  private final class Tokens implements ServerInterceptor {
    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
      var key = Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
      tokens.add(headers.get(key));
      return Contexts.interceptCall(Context.current(), call, headers, next);
    }
  }

  private final class Sessions extends SessionServiceGrpc.SessionServiceImplBase {
    @Override
    public void appendMessages(
        AppendMessagesRequest request, StreamObserver<AppendMessagesResponse> answers) {
      appends.add(request);
      if (!errors.isEmpty()) {
        answers.onError(errors.remove(0));
        return;
      }
      answers.onNext(AppendMessagesResponse.newBuilder().setLastSeq(appends.size()).build());
      answers.onCompleted();
    }

    @Override
    public void createSession(
        CreateSessionRequest request, StreamObserver<CreateSessionResponse> answers) {
      answers.onError(failure(Status.Code.ALREADY_EXISTS, "SESSION_ALREADY_EXISTS"));
    }

    @Override
    public void getSession(GetSessionRequest request, StreamObserver<GetSessionResponse> answers) {
      String owner = OWNERS.get(request.getSessionId());
      // Never answers for any other session.
      if (owner == null) return;
      var session = Session.newBuilder().setSessionId(request.getSessionId()).setUserId(owner);
      answers.onNext(GetSessionResponse.newBuilder().setSession(session).build());
      answers.onCompleted();
    }

    @Override
    public void listMessages(
        ListMessagesRequest request, StreamObserver<ListMessagesResponse> answers) {
      if (!errors.isEmpty()) {
        answers.onError(errors.remove(0));
        return;
      }
      var page = ListMessagesResponse.newBuilder();
      if (request.getPageToken().equals("two")) {
        page.addMessages(Message.newBuilder().setSeq(3));
      } else {
        page.addMessages(Message.newBuilder().setSeq(1)).addMessages(Message.newBuilder().setSeq(2));
        page.setNextPageToken("two");
      }
      answers.onNext(page.build());
      answers.onCompleted();
    }
  }

  private final class Events extends EventServiceGrpc.EventServiceImplBase {
    @Override
    public void watchEvents(
        WatchEventsRequest request, StreamObserver<WatchEventsResponse> answers) {
      watches.add(request);
      watch.accept(watches.size(), answers);
    }

    @Override
    public void ackEvents(AckEventsRequest request, StreamObserver<AckEventsResponse> answers) {
      acked = request;
      answers.onNext(AckEventsResponse.getDefaultInstance());
      answers.onCompleted();
    }
  }
}
