package io.memorysidecar.springai;

import io.memorysidecar.testing.TestServer;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.springframework.ai.test.vectorstore.BaseVectorStoreTests;
import org.springframework.ai.vectorstore.VectorStore;

/** The tests that the framework has for vector stores. */
class StoreIT {
  private static TestServer server;

  @BeforeAll
  static void start() {
    server = TestServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
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
          MemorySidecarVectorStore.builder(server.client(), fresh(), WordModel.INSTANCE).build());
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
