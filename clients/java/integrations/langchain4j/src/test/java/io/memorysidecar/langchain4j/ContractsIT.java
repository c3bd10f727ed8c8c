package io.memorysidecar.langchain4j;

import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.store.embedding.EmbeddingStore;
import dev.langchain4j.store.embedding.EmbeddingStoreAddAllContract;
import dev.langchain4j.store.embedding.EmbeddingStoreRemoveAllContract;
import io.memorysidecar.client.MemorySidecar;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;

/** The tests that the framework has for arguments of embedding stores; they need no server. */
class ContractsIT {
  private static final MemorySidecar CLIENT = MemorySidecar.connect("127.0.0.1:1");
  private static final EmbeddingStore<TextSegment> STORE =
      MemorySidecarEmbeddingStore.of(CLIENT, "segments");

  @AfterAll
  static void stop() {
    CLIENT.close();
  }

  @Nested
  class AddAll implements EmbeddingStoreAddAllContract {
    @Override
    public EmbeddingStore<TextSegment> embeddingStore() {
      return STORE;
    }
  }

  @Nested
  class RemoveAll implements EmbeddingStoreRemoveAllContract {
    @Override
    public EmbeddingStore<TextSegment> embeddingStore() {
      return STORE;
    }
  }
}
