package io.memorysidecar.springai.boot;

import io.grpc.ChannelCredentials;
import io.grpc.TlsChannelCredentials;
import io.memorysidecar.client.MemorySidecar;
import io.memorysidecar.client.RetryPolicy;
import io.memorysidecar.springai.MemorySidecarChatMemoryRepository;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.springframework.ai.chat.memory.ChatMemoryRepository;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.util.StringUtils;

/**
 * Makes a client and a repository of chat memories, which Spring AI takes for its chat memory; each
 * unless the application has one of its own. The client connects with its first call, and is closed
 * with the application.
 *
 * <p>It gives way to the repositories of other auto-configurations, too: those of Spring AI by their
 * names, any other that comes before the chat memory by its order.
 */
@AutoConfiguration(
    beforeName = "org.springframework.ai.model.chat.memory.autoconfigure.ChatMemoryAutoConfiguration",
    afterName = {
      "org.springframework.ai.model.chat.memory.redis.autoconfigure"
          + ".RedisChatMemoryAutoConfiguration",
      "org.springframework.ai.model.chat.memory.repository.cassandra.autoconfigure"
          + ".CassandraChatMemoryRepositoryAutoConfiguration",
      "org.springframework.ai.model.chat.memory.repository.cosmosdb.autoconfigure"
          + ".CosmosDBChatMemoryRepositoryAutoConfiguration",
      "org.springframework.ai.model.chat.memory.repository.jdbc.autoconfigure"
          + ".JdbcChatMemoryRepositoryAutoConfiguration",
      "org.springframework.ai.model.chat.memory.repository.mongo.autoconfigure"
          + ".MongoChatMemoryAutoConfiguration",
      "org.springframework.ai.model.chat.memory.repository.neo4j.autoconfigure"
          + ".Neo4jChatMemoryRepositoryAutoConfiguration",
      "org.springframework.ai.model.chat.memory.repository.redis.autoconfigure"
          + ".RedisChatMemoryRepositoryAutoConfiguration"
    })
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@EnableConfigurationProperties(MemorySidecarProperties.class)
public class MemorySidecarAutoConfiguration {
  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  MemorySidecar memorySidecar(MemorySidecarProperties properties) {
    var retry = properties.retry();
    MemorySidecar.Builder client =
        MemorySidecar.builder(properties.address())
            .namespace(properties.namespace())
            .timeout(properties.timeout())
            .retry(
                new RetryPolicy(retry.maxAttempts(), retry.initialDelay(), retry.maxDelay()));
    if (StringUtils.hasLength(properties.token())) client.token(properties.token());
    var tls = properties.tls();
    boolean isNamed = StringUtils.hasLength(tls.serverName());
    if (tls.enabled()) {
      client.tls(credentials(tls));
      if (isNamed) client.serverName(tls.serverName());
    } else {
      if (tls.certificates() != null) throw withoutTls("certificates", tls.certificates());
      if (isNamed) throw withoutTls("server-name", tls.serverName());
    }
    return client.connect();
  }

  /** The error for a property whose author expects encryption. */
  private static InvalidConfigurationPropertyValueException withoutTls(String name, Object value) {
    return new InvalidConfigurationPropertyValueException(
        "memorysidecar.tls." + name,
        value,
        "It has no effect without encryption: set memorysidecar.tls.enabled=true, or remove it.");
  }

  private static ChannelCredentials credentials(MemorySidecarProperties.Tls tls) {
    if (tls.certificates() == null) return TlsChannelCredentials.create();
    try (InputStream certificates = tls.certificates().getInputStream()) {
      return TlsChannelCredentials.newBuilder().trustManager(certificates).build();
    } catch (IOException error) {
      throw new UncheckedIOException("memorysidecar.tls.certificates cannot be read", error);
    }
  }

  @Bean
  @ConditionalOnMissingBean(ChatMemoryRepository.class)
  @ConditionalOnProperty(name = "memorysidecar.chat-memory.enabled", matchIfMissing = true)
  MemorySidecarChatMemoryRepository memorySidecarChatMemoryRepository(
      MemorySidecar client, MemorySidecarProperties properties) {
    return MemorySidecarChatMemoryRepository.builder(client)
        .prefix(properties.chatMemory().prefix())
        .build();
  }
}
