package io.memorysidecar.client;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Deadline;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The channel of the blocking stubs: it fills in what requests leave out, repeats unary calls by the
 * rule of the contract, and throws typed errors. A repeat is safe, as each call is a read, has no
 * further effect when it is repeated, or carries a request id.
 */
final class RepeatingChannel extends Channel {
  private final ManagedChannel channel;
  private final String address;
  private final String namespace;
  private final Duration timeout;
  private final RetryPolicy retry;

  RepeatingChannel(
      ManagedChannel channel,
      String address,
      String namespace,
      Duration timeout,
      RetryPolicy retry) {
    this.channel = channel;
    this.address = address;
    this.namespace = namespace;
    this.timeout = timeout;
    this.retry = retry;
  }

  @Override
  public String authority() {
    return channel.authority();
  }

  @Override
  public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
    if (method.getType() == MethodType.UNARY) return new RepeatedCall<>(method, options);
    return new SimpleForwardingClientCall<>(channel.newCall(method, options)) {
      @Override
      public void sendMessage(Q request) {
        super.sendMessage(prepare(request));
      }
    };
  }

  RetryPolicy retry() {
    return retry;
  }

  boolean isRetryable(MemorySidecarException error) {
    if (channel.isShutdown() || Thread.currentThread().isInterrupted()) return false;
    // A call that neither the caller nor the server's own word cancelled was cut off with its
    // connection.
    return error.code() == Status.Code.UNAVAILABLE
        || error.code() == Status.Code.CANCELLED && error.reason().isEmpty();
  }

  /** Waits before the next attempt; false when there must be none. */
  boolean pause(int failures, MemorySidecarException error, Deadline deadline) {
    long delay = retry.delayMillis(failures, error.retryDelay());
    if (deadline != null && deadline.timeRemaining(TimeUnit.MILLISECONDS) <= delay) return false;
    try {
      Thread.sleep(delay);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
    // gRPC's own wait for a server that is away would be up to two minutes.
    channel.resetConnectBackoff();
    return true;
  }

  MemorySidecarException typed(
      StatusRuntimeException error, MethodDescriptor<?, ?> method, Object request) {
    Message message = request instanceof Message sent ? sent : null;
    return MemorySidecarException.of(error, method.getFullMethodName(), address, message);
  }

  private <A, Q> A call(MethodDescriptor<Q, A> method, CallOptions options, Q request) {
    Q sent = prepare(request);
    CallOptions limited =
        options.getDeadline() != null || timeout.isZero()
            ? options
            : options.withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS);
    for (int attempt = 1; ; attempt++) {
      try {
        return ClientCalls.blockingUnaryCall(channel, method, limited, sent);
      } catch (StatusRuntimeException failure) {
        MemorySidecarException error = typed(failure, method, sent);
        if (attempt >= retry.maxAttempts() || !isRetryable(error)) throw error;
        if (!pause(attempt, error, limited.getDeadline())) throw error;
      }
    }
  }

  /** Fills in the namespace and the request id that the caller has left out. */
  @SuppressWarnings("unchecked")
  private <Q> Q prepare(Q request) {
    if (!(request instanceof Message message)) return request;
    Message.Builder builder = message.toBuilder();
    setIfEmpty(builder, "namespace", () -> namespace);
    setIfEmpty(builder, "request_id", RepeatingChannel::newRequestId);
    return (Q) builder.build();
  }

  /**
   * Makes an id of the time in ms and a random UUID. The server keeps answers in the order of their
   * ids. Those that rise with time lie on the same pages of its disk; with random ones it writes
   * up to three times as much.
   */
  private static String newRequestId() {
    return "%012x-%s".formatted(System.currentTimeMillis(), UUID.randomUUID());
  }

  private static void setIfEmpty(Message.Builder builder, String name, Supplier<String> value) {
    FieldDescriptor field = builder.getDescriptorForType().findFieldByName(name);
    if (field == null || field.getType() != FieldDescriptor.Type.STRING) return;
    if (!builder.hasField(field)) builder.setField(field, value.get());
  }

  /**
   * One call of a blocking stub. The stub hands over the request and then waits; the attempts are
   * made in between, on its thread, where an exception goes straight to the caller.
   */
  private final class RepeatedCall<Q, A> extends ClientCall<Q, A> {
    private final MethodDescriptor<Q, A> method;
    private final CallOptions options;
    private Listener<A> listener;
    private Q request;

    RepeatedCall(MethodDescriptor<Q, A> method, CallOptions options) {
      this.method = method;
      this.options = options;
    }

    @Override
    public void start(Listener<A> responses, Metadata headers) {
      listener = responses;
    }

    @Override
    public void sendMessage(Q message) {
      request = message;
    }

    @Override
    public void halfClose() {
      listener.onMessage(call(method, options, request));
      listener.onClose(Status.OK, new Metadata());
    }

    @Override
    public void request(int count) {}

    @Override
    public void cancel(String message, Throwable cause) {}
  }
}
