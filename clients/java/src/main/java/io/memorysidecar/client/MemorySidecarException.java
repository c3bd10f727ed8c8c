package io.memorysidecar.client;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.ResourceInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.memorysidecar.v1.ErrorReason;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A call that failed. */
public final class MemorySidecarException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private static final String DOMAIN = "memorysidecar.io";
  private static final int MAX_REQUEST_BYTES = 4 << 20;
  private static final Map<String, String> ADVICE =
      Map.of(
          "SESSION_NOT_FOUND", "Create it with ensureSession, or append with createSession set.",
          "SESSION_ALREADY_EXISTS", "Use ensureSession to take the one that exists.",
          "MESSAGE_ALREADY_EXISTS",
              "Leave messageId out, or repeat the first call with its requestId.",
          "CONSUMER_NOT_FOUND", "Create it with ensureConsumer.",
          "TOKEN_MISSING",
              "Give the client the token of the server: MemorySidecar.builder(address).token(token).",
          "TOKEN_INVALID", "Compare the token of the client with the token file of the server.");

  private final Status.Code code;
  private final String method;
  private final String requestId;
  private final transient Details details;

  /** A faulty field of a request: its path, such as {@code messages[3].text}, and the fault. */
  public record FieldViolation(String field, String description) {}

  /** The subject of an error: it is missing or in the way. */
  public record Resource(String type, String name) {}

  private record Details(
      String reason,
      Map<String, String> metadata,
      List<FieldViolation> violations,
      Optional<Resource> resource,
      Duration retryDelay) {}

  private MemorySidecarException(
      String message, StatusRuntimeException cause, String method, String requestId, Details details) {
    super(message, cause);
    this.code = code(cause.getStatus());
    this.method = method;
    this.requestId = requestId;
    this.details = details;
  }

  /** Types an error of a stub that this client did not make, or of a stream. */
  public static MemorySidecarException of(StatusRuntimeException error) {
    return of(error, "", "the server", null);
  }

  static MemorySidecarException of(
      StatusRuntimeException error, String method, String address, Message request) {
    Details details = read(error);
    String requestId = text(request, "request_id");
    Status status = error.getStatus();
    String name = details.reason.isEmpty() ? code(status).name() : details.reason;
    String message = name + ": " + advise(status, details, address, request);
    return new MemorySidecarException(message, error, method, requestId, details);
  }

  /** This error for a session that belongs to another user, whose name it does not tell. */
  MemorySidecarException ofOtherUser(String sessionId, String asked) {
    String message =
        String.format(
            "%s: Session \"%s\" exists, and belongs to another user than \"%s\". Give each user a"
                + " session of its own.",
            details.reason, sessionId, asked);
    return new MemorySidecarException(
        message, (StatusRuntimeException) getCause(), method, requestId, details);
  }

  /** The status of gRPC. It alone says whether a retry makes sense. */
  public Status.Code code() {
    return code;
  }

  /**
   * The name of an {@link ErrorReason} without its prefix, such as {@code SESSION_NOT_FOUND}. Empty
   * when the error does not come from the server itself.
   */
  public String reason() {
    return details.reason;
  }

  /** Whether the error has one of these reasons. */
  public boolean hasReason(ErrorReason... reasons) {
    return Arrays.stream(reasons)
        .anyMatch(reason -> reason.name().equals("ERROR_REASON_" + details.reason));
  }

  /** The values behind the reason, such as {@code last_seq}. */
  public Map<String, String> metadata() {
    return details.metadata;
  }

  /** Every faulty field of the request. */
  public List<FieldViolation> violations() {
    return details.violations;
  }

  /** The resource that is missing or in the way, if one is. */
  public Optional<Resource> resource() {
    return details.resource;
  }

  /** The time that the server asks to wait; zero if it does not ask. */
  public Duration retryDelay() {
    return details.retryDelay;
  }

  /** The request id of a mutation: a repeat with it takes effect once. Empty for a read. */
  public String requestId() {
    return requestId;
  }

  /** The rpc, such as {@code memorysidecar.v1.SessionService/GetSession}. */
  public String method() {
    return method;
  }

  /** A call that meets a connection as it breaks fails with UNKNOWN, made on this side. */
  private static Status.Code code(Status status) {
    boolean isCutOff =
        status.getCode() == Status.Code.UNKNOWN && status.getCause() instanceof IOException;
    return isCutOff ? Status.Code.UNAVAILABLE : status.getCode();
  }

  private static Details read(StatusRuntimeException error) {
    String reason = "";
    Map<String, String> metadata = Map.of();
    List<FieldViolation> violations = new ArrayList<>();
    Optional<Resource> resource = Optional.empty();
    Duration retryDelay = Duration.ZERO;
    com.google.rpc.Status status = StatusProto.fromThrowable(error);
    for (Any detail : status.getDetailsList()) {
      try {
        if (detail.is(ErrorInfo.class)) {
          ErrorInfo info = detail.unpack(ErrorInfo.class);
          if (!info.getDomain().equals(DOMAIN)) continue;
          reason = info.getReason();
          metadata = info.getMetadataMap();
        } else if (detail.is(RetryInfo.class)) {
          var delay = detail.unpack(RetryInfo.class).getRetryDelay();
          retryDelay = Duration.ofSeconds(delay.getSeconds(), delay.getNanos());
        } else if (detail.is(ResourceInfo.class)) {
          ResourceInfo info = detail.unpack(ResourceInfo.class);
          resource = Optional.of(new Resource(info.getResourceType(), info.getResourceName()));
        } else if (detail.is(BadRequest.class)) {
          for (var fault : detail.unpack(BadRequest.class).getFieldViolationsList()) {
            violations.add(new FieldViolation(fault.getField(), fault.getDescription()));
          }
        }
      } catch (InvalidProtocolBufferException unreadable) {
        // A detail that cannot be read is as if it were not there.
        continue;
      }
    }
    return new Details(reason, metadata, List.copyOf(violations), resource, retryDelay);
  }

  /** Adds to the message of the server what only the caller knows, and what to do. */
  private static String advise(Status status, Details details, String address, Message request) {
    String message = status.getDescription() == null ? "" : status.getDescription();
    if (details.reason.isEmpty() && code(status) == Status.Code.UNAVAILABLE) {
      return "No server answers at " + address + ". Is it running there? (" + message + ")";
    }
    if (details.reason.isEmpty() && status.getCode() == Status.Code.RESOURCE_EXHAUSTED) {
      int size = request == null ? 0 : request.getSerializedSize();
      if (size > MAX_REQUEST_BYTES) {
        return "The request has %d bytes, and a server takes %d at most. Append the messages in several calls."
            .formatted(size, MAX_REQUEST_BYTES);
      }
    }
    StringBuilder text = new StringBuilder(message);
    details.resource.ifPresent(
        resource -> {
          text.append(" %s \"%s\"".formatted(resource.type, resource.name));
          String session = text(request, "session_id");
          if (!session.isEmpty() && !resource.type.equals("Session")) {
            text.append(" of session \"%s\"".formatted(session));
          }
          String namespace = text(request, "namespace");
          text.append(
              " in namespace \"%s\".".formatted(namespace.isEmpty() ? "default" : namespace));
        });
    String advice = ADVICE.get(details.reason);
    return advice == null ? text.toString() : text.append(' ').append(advice).toString();
  }

  private static String text(Message request, String name) {
    if (request == null) return "";
    var field = request.getDescriptorForType().findFieldByName(name);
    return field == null ? "" : request.getField(field).toString();
  }
}
