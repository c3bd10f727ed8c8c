package io.memorysidecar.springai;

import io.memorysidecar.testing.TestServer;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.springframework.ai.document.Document;
import org.springframework.ai.test.vectorstore.BaseVectorStoreTests;
import org.springframework.ai.vectorstore.VectorStore;

/** The tests that the framework has for vector stores. */
class StoreIT {
  private static TestServer server;

  @BeforeAll
  static void start() {
    server = TestServer.shared();
    // The tests wait five seconds for a search, and the first one of a server reads its model.
    var store = MemorySidecarVectorStore.builder(server.client(), fresh()).build();
    store.add(List.of(new Document("stork")));
    store.similaritySearch("stork");
  }

  /** A collection that no other test has. */
  private static String fresh() {
    return UUID.randomUUID().toString();
  }

  @Nested
  class WithModel extends BaseVectorStoreTests {
    @Override
    protected void executeTest(Consumer<VectorStore> test) {
      test.accept(
          MemorySidecarVectorStore.builder(server.client(), fresh(), TestModel.OF_LETTERS).build());
    }
  }

  @Nested
  class WithModelOfServer extends BaseVectorStoreTests {
    @Override
    protected void executeTest(Consumer<VectorStore> test) {
      test.accept(MemorySidecarVectorStore.builder(server.client(), fresh()).build());
    }
  }
}
