package io.memorysidecar.examples.agent;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.util.function.Supplier;

/** Remedy for an error. Its code alone says that; the reason says why. */
enum Remedy {
  SEND_AGAIN("send the same request again"),
  READ_FIRST("read, then send a new request"),
  CHANGE_IT("change the request"),
  CALL_A_PERSON("call a person");

  private final String text;

  Remedy(String text) {
    this.text = text;
  }

  @Override
  public String toString() {
    return text;
  }

  static Remedy of(StatusRuntimeException error) {
    return switch (error.getStatus().getCode()) {
      // Nothing was done, or nobody knows; the request id makes the repeat safe.
      case UNAVAILABLE, DEADLINE_EXCEEDED -> SEND_AGAIN;
      // Netty's name for a call that meets a connection as it breaks. Servers send no cause.
      case UNKNOWN ->
          error.getStatus().getCause() instanceof IOException ? SEND_AGAIN : CALL_A_PERSON;
      case ABORTED -> READ_FIRST;
      case INVALID_ARGUMENT, NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION, OUT_OF_RANGE ->
          CHANGE_IT;
      default -> CALL_A_PERSON;
    };
  }

  /** Calls until the outcome is known. gRPC has repeated what was UNAVAILABLE already. */
  static <T> T untilKnown(Supplier<T> call) {
    while (true) {
      try {
        return call.get();
      } catch (StatusRuntimeException e) {
        if (of(e) != SEND_AGAIN) throw e;
      }
    }
  }

  /** Whether an error has a code. */
  static boolean is(StatusRuntimeException error, Status.Code code) {
    return error.getStatus().getCode() == code;
  }
}
