package io.memorysidecar.springai.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.memorysidecar.client.MemorySidecar;
import io.memorysidecar.client.MemorySidecarException;
import io.memorysidecar.springai.MemorySidecarChatMemoryRepository;
import io.memorysidecar.springai.MemorySidecarVectorStore;
import io.memorysidecar.testing.TestServer;
import io.memorysidecar.v1.ListSessionsRequest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.memory.ChatMemoryRepository;
import org.springframework.ai.chat.memory.InMemoryChatMemoryRepository;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.document.Document;
import org.springframework.ai.embedding.Embedding;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.embedding.EmbeddingRequest;
import org.springframework.ai.embedding.EmbeddingResponse;
import org.springframework.ai.model.chat.memory.autoconfigure.ChatMemoryAutoConfiguration;
import org.springframework.ai.model.chat.memory.repository.jdbc.autoconfigure.JdbcChatMemoryRepositoryAutoConfiguration;
import org.springframework.ai.vectorstore.SimpleVectorStore;
import org.springframework.ai.vectorstore.VectorStore;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Applications with the starter, over a server. */
class StarterTest {
  private static TestServer server;
  private static ApplicationContextRunner runner;

  @BeforeAll
  static void start() {
    server = TestServer.start();
    runner =
        new ApplicationContextRunner()
            .withConfiguration(
                AutoConfigurations.of(
                    MemorySidecarVectorStoreAutoConfiguration.class,
                    MemorySidecarAutoConfiguration.class,
                    ChatMemoryAutoConfiguration.class))
            .withPropertyValues("memorysidecar.address=" + server.address());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** A model that knows the length of a text. */
  private static final class Lengths implements EmbeddingModel {
    @Override
    public EmbeddingResponse call(EmbeddingRequest request) {
      List<Embedding> embeddings = new ArrayList<>();
      for (String text : request.getInstructions()) {
        embeddings.add(new Embedding(vector(text), embeddings.size()));
      }
      return new EmbeddingResponse(embeddings);
    }

    @Override
    public float[] embed(Document document) {
      return vector(document.getText());
    }

    private static float[] vector(String text) {
      return new float[] {1, text.length()};
    }
  }

  private static boolean hasSession(String namespace, String id) {
    var request = ListSessionsRequest.newBuilder().setNamespace(namespace).build();
    return server.client().listSessions(request).stream()
        .anyMatch(session -> session.getSessionId().equals(id));
  }

  @Test
  void makesBeansThatKeepWhatTheApplicationStores() {
    runner
        .withPropertyValues(
            "memorysidecar.namespace=boot",
            "memorysidecar.timeout=10s",
            "memorysidecar.chat-memory.prefix=chats/",
            "memorysidecar.vector-store.collection-id=birds",
            "memorysidecar.vector-store.user-id=ana",
            "memorysidecar.vector-store.model=lengths")
        .withBean(EmbeddingModel.class, Lengths::new)
        .run(
            context -> {
              context.getBean(ChatMemory.class).add("trip", new UserMessage("Hi."));
              var repository = context.getBean(ChatMemoryRepository.class);
              assertEquals(List.of("trip"), repository.findConversationIds());
              assertTrue(hasSession("boot", "chats/trip"));
              var store = context.getBean(VectorStore.class);
              store.add(List.of(new Document("1", "stork", Map.of())));
              assertEquals("stork", store.similaritySearch("roofs").get(0).getText());
              var whole =
                  MemorySidecarVectorStore.builder(
                          context.getBean(MemorySidecar.class), "birds", new Lengths())
                      .model("lengths");
              assertEquals(1, whole.build().similaritySearch("roofs").size());
              assertEquals(0, whole.userId("ben").build().similaritySearch("roofs").size());
            });
  }

  @Test
  void closesTheClientThatItMade() {
    AtomicReference<MemorySidecar> made = new AtomicReference<>();
    runner.run(
        context -> {
          made.set(context.getBean(MemorySidecar.class));
          assertTrue(made.get().listSessions(ListSessionsRequest.getDefaultInstance()) != null);
        });
    var sessions = made.get().listSessions(ListSessionsRequest.getDefaultInstance());
    assertThrows(MemorySidecarException.class, () -> sessions.stream().count());
  }

  @Test
  void givesWayToBeansOfTheApplication() {
    MemorySidecar client = server.client();
    var memories = new InMemoryChatMemoryRepository();
    var documents = SimpleVectorStore.builder(new Lengths()).build();
    runner
        .withBean(EmbeddingModel.class, Lengths::new)
        .withBean(MemorySidecar.class, () -> client, one -> one.setDestroyMethodName(""))
        .withBean(ChatMemoryRepository.class, () -> memories)
        .withBean(VectorStore.class, () -> documents)
        .run(
            context -> {
              assertSame(client, context.getBean(MemorySidecar.class));
              assertSame(memories, context.getBean(ChatMemoryRepository.class));
              assertSame(documents, context.getBean(VectorStore.class));
            });
  }

  /** A repository of which the starter knows nothing. Its name is behind those of the starter. */
  @AutoConfiguration(before = ChatMemoryAutoConfiguration.class)
  static class UnknownAutoConfiguration {
    @Bean
    ChatMemoryRepository unknownRepository() {
      return new InMemoryChatMemoryRepository();
    }
  }

  @Test
  void givesWayToOtherAutoConfiguredRepositories() {
    for (Class<?> other :
        List.of(JdbcChatMemoryRepositoryAutoConfiguration.class, UnknownAutoConfiguration.class)) {
      runner
          .withConfiguration(AutoConfigurations.of(other))
          .run(
              context -> {
                var made = context.getBeansOfType(ChatMemoryRepository.class).values();
                assertEquals(1, made.size(), other.getName());
                assertTrue(made.iterator().next() instanceof InMemoryChatMemoryRepository);
                assertNotNull(context.getBean(ChatMemory.class));
                assertNotNull(context.getBean(MemorySidecar.class));
              });
    }
  }

  @Test
  void makesOnlyWhatIsWanted() {
    runner.run(
        context -> {
          assertNotNull(context.getBean(MemorySidecarChatMemoryRepository.class));
          assertFalse(context.containsBean("memorySidecarVectorStore"));
        });
    runner
        .withBean("first", EmbeddingModel.class, Lengths::new)
        .withBean("second", EmbeddingModel.class, Lengths::new)
        .run(context -> assertEquals(0, context.getBeansOfType(VectorStore.class).size()));
    runner
        .withBean(EmbeddingModel.class, Lengths::new)
        .withPropertyValues(
            "memorysidecar.chat-memory.enabled=false", "memorysidecar.vector-store.enabled=false")
        .run(
            context -> {
              assertNotNull(context.getBean(MemorySidecar.class));
              // That of Spring AI takes its place.
              assertTrue(
                  context.getBean(ChatMemoryRepository.class)
                      instanceof InMemoryChatMemoryRepository);
              assertEquals(0, context.getBeansOfType(VectorStore.class).size());
            });
  }

  @Test
  void startsWithoutAServerAndNeverSendsTokensUnencrypted(@TempDir Path folder) throws Exception {
    Path certificates = folder.resolve("authorities.pem");
    Files.writeString(certificates, authority());
    ApplicationContextRunner remote =
        runner.withPropertyValues(
            "memorysidecar.address=example.invalid:1", "memorysidecar.token=secret");
    remote.run(
        context -> {
          String error = String.valueOf(root(context.getStartupFailure()).getMessage());
          assertTrue(error.contains("unencrypted"), error);
          assertFalse(error.contains("secret"), error);
        });
    remote
        .withPropertyValues(
            "memorysidecar.tls.enabled=true",
            "memorysidecar.tls.certificates=file:" + certificates,
            "memorysidecar.tls.server-name=sidecar",
            "memorysidecar.retry.max-attempts=1")
        .run(
            context -> {
              String all = context.getBean(MemorySidecarProperties.class).toString();
              assertFalse(all.contains("secret"), all);
              var repository = context.getBean(ChatMemoryRepository.class);
              assertThrows(
                  MemorySidecarException.class, () -> repository.findByConversationId("a"));
            });
    remote
        .withPropertyValues(
            "memorysidecar.tls.enabled=true", "memorysidecar.tls.certificates=file:/nowhere")
        .run(
            context -> {
              Throwable failure = context.getStartupFailure();
              assertTrue(root(failure) instanceof IOException, String.valueOf(failure));
            });
  }

  @Test
  void refusesSettingsOfTlsWithoutTls() {
    Map<String, String> settings = Map.of("certificates", "file:/nowhere", "server-name", "sidecar");
    settings.forEach(
        (name, value) ->
            runner
                .withPropertyValues("memorysidecar.tls." + name + "=" + value)
                .run(
                    context -> {
                      String error = String.valueOf(root(context.getStartupFailure()).getMessage());
                      assertTrue(error.contains("memorysidecar.tls." + name), error);
                      assertTrue(error.contains("memorysidecar.tls.enabled=true"), error);
                    }));
  }

  @Test
  void takesEmptySettingsForNone() {
    runner
        .withPropertyValues(
            "memorysidecar.address=example.invalid:1",
            "memorysidecar.token=",
            "memorysidecar.tls.certificates=",
            "memorysidecar.tls.server-name=")
        .run(context -> assertNotNull(context.getBean(MemorySidecar.class)));
  }

  private static Throwable root(Throwable error) {
    return error.getCause() == null ? error : root(error.getCause());
  }

  /** One of the authorities that Java trusts, as PEM. */
  private static String authority() throws Exception {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init((KeyStore) null);
    var manager = (X509TrustManager) factory.getTrustManagers()[0];
    byte[] certificate = manager.getAcceptedIssuers()[0].getEncoded();
    String lines = Base64.getMimeEncoder().encodeToString(certificate);
    return "-----BEGIN CERTIFICATE-----\n" + lines + "\n-----END CERTIFICATE-----\n";
  }

  /** The page lists the properties that editors know, with their defaults. */
  @Test
  void documentsItsProperties() throws IOException {
    Map<String, String> known = new TreeMap<>();
    try (InputStream json =
        StarterTest.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
      for (JsonNode one : JsonMapper.builder().build().readTree(json).get("properties")) {
        known.put(one.get("name").asString(), one.path("defaultValue").asString(""));
      }
    }
    Map<String, String> listed = new TreeMap<>();
    Path page = TestServer.root().resolve("docs/integrations/spring-ai.md");
    var rows = Pattern.compile("^\\| `(memorysidecar\\.[^`]+)` \\| (?:`([^`]+)`)?.*\\|$");
    for (String line : Files.readAllLines(page)) {
      var row = rows.matcher(line);
      if (row.find()) listed.put(row.group(1), row.group(2) == null ? "" : row.group(2));
    }
    assertEquals(known, listed);
  }
}
