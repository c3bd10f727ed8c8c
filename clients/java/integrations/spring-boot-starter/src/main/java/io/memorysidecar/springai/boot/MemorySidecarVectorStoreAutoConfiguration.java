package io.memorysidecar.springai.boot;

import io.memorysidecar.client.MemorySidecar;
import io.memorysidecar.springai.MemorySidecarVectorStore;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.ai.embedding.BatchingStrategy;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.vectorstore.VectorStore;
import org.springframework.ai.vectorstore.observation.VectorStoreObservationConvention;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/**
 * Makes a store of documents when there is one embedding model, or a primary one, and no other store.
 * It comes last: the embedding model is one of another auto-configuration.
 */
@AutoConfiguration(after = MemorySidecarAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
public class MemorySidecarVectorStoreAutoConfiguration {
  @Bean
  @ConditionalOnSingleCandidate(EmbeddingModel.class)
  @ConditionalOnMissingBean(VectorStore.class)
  @ConditionalOnProperty(name = "memorysidecar.vector-store.enabled", matchIfMissing = true)
  MemorySidecarVectorStore memorySidecarVectorStore(
      MemorySidecar client,
      EmbeddingModel embeddingModel,
      MemorySidecarProperties properties,
      ObjectProvider<ObservationRegistry> registry,
      ObjectProvider<VectorStoreObservationConvention> convention,
      ObjectProvider<BatchingStrategy> batches) {
    var settings = properties.vectorStore();
    var store =
        MemorySidecarVectorStore.builder(client, settings.collectionId(), embeddingModel)
            .userId(settings.userId())
            .model(settings.model());
    registry.ifUnique(store::observationRegistry);
    convention.ifAvailable(store::customObservationConvention);
    batches.ifAvailable(store::batchingStrategy);
    return store.build();
  }
}
