package io.memorysidecar.langchain4j;

import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.store.embedding.EmbeddingStore;
import dev.langchain4j.store.embedding.EmbeddingStoreWithFilteringIT;
import dev.langchain4j.store.embedding.EmbeddingStoreWithRemovalIT;
import io.memorysidecar.testing.TestServer;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** The tests that the framework has for embedding stores. */
class StoreIT {
  private static TestServer server;

  @BeforeAll
  static void start() {
    server = TestServer.shared();
  }

  /** A store of a collection that no other test has. */
  private static EmbeddingStore<TextSegment> fresh() {
    return MemorySidecarEmbeddingStore.of(server.client(), UUID.randomUUID().toString());
  }

  @Nested
  class Filtering extends EmbeddingStoreWithFilteringIT {
    private final EmbeddingStore<TextSegment> store = fresh();

    @Override
    protected EmbeddingStore<TextSegment> embeddingStore() {
      return store;
    }

    @Override
    protected EmbeddingModel embeddingModel() {
      return WordModel.INSTANCE;
    }

    @Override
    protected boolean supportsContains() {
      return true;
    }
  }

  @Nested
  class Removal extends EmbeddingStoreWithRemovalIT {
    private final EmbeddingStore<TextSegment> store = fresh();

    @Override
    protected EmbeddingStore<TextSegment> embeddingStore() {
      return store;
    }

    @Override
    protected EmbeddingModel embeddingModel() {
      return WordModel.INSTANCE;
    }
  }
}
