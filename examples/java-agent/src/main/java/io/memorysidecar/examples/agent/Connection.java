package io.memorysidecar.examples.agent;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import java.util.List;
import java.util.Map;

/** Channels to the server. */
final class Connection {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  /**
   * gRPC itself repeats what is UNAVAILABLE: then nothing was done, or a connection broke and the
   * request id makes the repeat safe. Calls wait for a server that is away. A watch has no deadline.
   */
  private static final Map<String, ?> SERVICE_CONFIG = Map.of("methodConfig", List.of(
      Map.of(
          "name", List.of(Map.of()),
          "waitForReady", true,
          "timeout", "60s",
          "retryPolicy", Map.of(
              "maxAttempts", 5.0,
              "initialBackoff", "0.2s",
              "maxBackoff", "3s",
              "backoffMultiplier", 2.0,
              "retryableStatusCodes", List.of("UNAVAILABLE"))),
      Map.of(
          "name", List.of(Map.of("service", "memorysidecar.v1.EventService", "method", "WatchEvents")),
          "waitForReady", true)));

  private Connection() {}

  /** Opens a channel whose calls carry the token; none when it is empty. */
  static ManagedChannel open(String address, String token) {
    // A sidecar listens on the loopback address of the same host: no TLS.
    ManagedChannelBuilder<?> builder = ManagedChannelBuilder.forTarget(address)
        .usePlaintext()
        .defaultServiceConfig(SERVICE_CONFIG)
        .enableRetry();
    if (!token.isEmpty()) {
      Metadata headers = new Metadata();
      headers.put(AUTHORIZATION, "Bearer " + token);
      builder.intercept(MetadataUtils.newAttachHeadersInterceptor(headers));
    }
    return builder.build();
  }
}
