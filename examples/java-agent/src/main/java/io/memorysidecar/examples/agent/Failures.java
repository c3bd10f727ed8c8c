package io.memorysidecar.examples.agent;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.memorysidecar.v1.AppendMessagesRequest;
import io.memorysidecar.v1.CreateSessionRequest;
import io.memorysidecar.v1.GetSessionRequest;
import io.memorysidecar.v1.GetWindowRequest;
import io.memorysidecar.v1.Message;
import io.memorysidecar.v1.Role;
import io.memorysidecar.v1.Session;
import io.memorysidecar.v1.SessionServiceGrpc;
import io.memorysidecar.v1.SessionServiceGrpc.SessionServiceBlockingStub;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Makes an error of each class and shows what the server says of it. */
final class Failures {
  private static final String DOMAIN = "memorysidecar.io";
  private static final AppendMessagesRequest HELLO = AppendMessagesRequest.newBuilder()
      .setSessionId(Agent.SESSION_ID)
      .addMessages(Message.newBuilder().setRole(Role.ROLE_USER).setText("Hello."))
      .build();

  private final SessionServiceBlockingStub sessions;
  private final SessionServiceBlockingStub strangersSessions;

  Failures(Channel channel, Channel stranger) {
    sessions = SessionServiceGrpc.newBlockingStub(channel);
    strangersSessions = SessionServiceGrpc.newBlockingStub(stranger);
  }

  /** Calls what must fail, then what follows from it. */
  void show() throws InvalidProtocolBufferException {
    AppendMessagesRequest late = HELLO.toBuilder().setRequestId("hello").build();
    List<Runnable> calls = List.of(
        () -> strangersSessions.getSession(get(Agent.SESSION_ID)),
        () -> sessions.appendMessages(AppendMessagesRequest.newBuilder()
            .setSessionId(Agent.SESSION_ID)
            .addMessages(Message.newBuilder().setText("Whose?"))
            .build()),
        () -> sessions.getSession(get("nowhere")),
        () -> sessions.createSession(create(Agent.SESSION_ID, "")),
        () -> sessions.createSession(create("other", "open")),
        () -> sessions.getWindow(GetWindowRequest.newBuilder()
            .setSessionId(Agent.SESSION_ID)
            .setAsOfSeq(1_000_000)
            .build()),
        () -> sessions.withDeadlineAfter(1, TimeUnit.NANOSECONDS).appendMessages(late),
        () -> sessions.appendMessages(HELLO.toBuilder().setExpectedLastSeq(1).build()));
    for (Runnable call : calls) {
      try {
        call.run();
      } catch (StatusRuntimeException e) {
        report(e);
        continue;
      }
      throw new IllegalStateException("a call that must fail did not");
    }
    // Nobody knows whether the late request was done: the same request again settles it.
    Remedy.untilKnown(() -> sessions.appendMessages(late));
    appendAfterRead();
  }

  private static GetSessionRequest get(String sessionId) {
    return GetSessionRequest.newBuilder().setSessionId(sessionId).build();
  }

  private static CreateSessionRequest create(String sessionId, String requestId) {
    return CreateSessionRequest.newBuilder()
        .setSession(Session.newBuilder().setSessionId(sessionId))
        .setRequestId(requestId)
        .build();
  }

  private static void report(StatusRuntimeException error) throws InvalidProtocolBufferException {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("code", error.getStatus().getCode().name());
    fields.put("remedy", Remedy.of(error).toString());
    for (Any detail : StatusProto.fromThrowable(error).getDetailsList()) {
      if (detail.is(ErrorInfo.class)) {
        ErrorInfo info = detail.unpack(ErrorInfo.class);
        if (info.getDomain().equals(DOMAIN)) fields.put("reason", info.getReason());
      } else if (detail.is(BadRequest.class)) {
        fields.put("field", detail.unpack(BadRequest.class).getFieldViolations(0).getField());
      }
    }
    Report.line("error", fields);
  }

  /** Appends only if nobody else has since: after ABORTED it reads and tries again. */
  private void appendAfterRead() {
    long lastSeq = 1;
    while (true) {
      try {
        sessions.appendMessages(HELLO.toBuilder().setExpectedLastSeq(lastSeq).build());
        return;
      } catch (StatusRuntimeException e) {
        if (Remedy.of(e) != Remedy.READ_FIRST) throw e;
        lastSeq = sessions.getSession(get(Agent.SESSION_ID)).getSession().getLastSeq();
      }
    }
  }
}
