package io.memorysidecar.springai.boot;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.io.Resource;

/**
 * The properties of an application.
 *
 * @param address address of the server: host:port, unix:/path or a path
 * @param namespace namespace of all calls; empty is the default one
 * @param token bearer token, empty for none; it travels unencrypted to this host alone
 * @param timeout limit of each call with all its attempts; 0s for none
 * @param retry repeats of failed calls
 * @param tls encryption of the connection
 * @param chatMemory repository of chat memories
 * @param vectorStore store of documents
 */
@ConfigurationProperties("memorysidecar")
public record MemorySidecarProperties(
    @DefaultValue("127.0.0.1:50151") String address,
    @DefaultValue("") String namespace,
    String token,
    @DefaultValue("30s") Duration timeout,
    @DefaultValue Retry retry,
    @DefaultValue Tls tls,
    @DefaultValue ChatMemory chatMemory,
    @DefaultValue VectorStore vectorStore) {

  /**
   * Repeats of failed calls.
   *
   * @param maxAttempts attempts in all; 1 means no repeat
   * @param initialDelay longest delay before the second attempt; it doubles with every attempt
   * @param maxDelay longest delay, unless the server asks for a longer one
   */
  public record Retry(
      @DefaultValue("8") int maxAttempts,
      @DefaultValue("100ms") Duration initialDelay,
      @DefaultValue("5s") Duration maxDelay) {}

  /**
   * Encryption of the connection.
   *
   * @param enabled whether to encrypt
   * @param certificates PEM file of the authorities to trust; without it, those of the system. An
   *     error without encryption
   * @param serverName name in the certificate of the server, if it is not the host of the address.
   *     An error without encryption
   */
  public record Tls(
      @DefaultValue("false") boolean enabled, Resource certificates, String serverName) {}

  /**
   * Repository of chat memories.
   *
   * @param enabled whether to make it
   * @param prefix beginning of the id of each session; the conversation id follows
   */
  public record ChatMemory(
      @DefaultValue("true") boolean enabled, @DefaultValue("") String prefix) {}

  /**
   * Store of documents.
   *
   * @param enabled whether to make it when there is an embedding model
   * @param collectionId collection of the documents
   * @param userId user to whom the documents belong; empty for none
   * @param model name of the embedding model; vectors of different names are never compared
   */
  public record VectorStore(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("spring-ai") String collectionId,
      @DefaultValue("") String userId,
      @DefaultValue("") String model) {}

  /** The token is no text for logs. */
  @Override
  public String toString() {
    return "MemorySidecarProperties[address=%s, namespace=%s]".formatted(address, namespace);
  }
}
