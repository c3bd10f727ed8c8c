package io.memorysidecar.springai;

import io.memorysidecar.client.MemorySidecar;
import io.memorysidecar.client.adapter.VectorCollection;
import io.memorysidecar.v1.Embedding;
import io.memorysidecar.v1.RecallHit;
import io.memorysidecar.v1.RecallRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.springframework.ai.document.Document;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.embedding.EmbeddingOptions;
import org.springframework.ai.embedding.EmbeddingRequest;
import org.springframework.ai.embedding.EmbeddingResponse;
import org.springframework.ai.observation.conventions.VectorStoreSimilarityMetric;
import org.springframework.ai.vectorstore.AbstractVectorStoreBuilder;
import org.springframework.ai.vectorstore.SearchRequest;
import org.springframework.ai.vectorstore.filter.Filter;
import org.springframework.ai.vectorstore.observation.AbstractObservationVectorStore;
import org.springframework.ai.vectorstore.observation.VectorStoreObservationContext;
import org.springframework.util.Assert;

/**
 * A vector store of Spring AI: a collection of documents.
 *
 * <p>Your embedding model makes the vectors, or the server's own does when you give none. Scores are
 * cosines. Documents come back with metadata of the same types. Recall finds their texts, too.
 */
public final class MemorySidecarVectorStore extends AbstractObservationVectorStore {
  /** More than a cosine of the server can be off. */
  private static final double ROUNDING = 0.001;

  private final MemorySidecar client;
  private final VectorCollection documents;
  private final String collectionId;
  private final String model;

  private MemorySidecarVectorStore(Builder settings) {
    super(settings);
    this.client = settings.client;
    this.documents =
        new VectorCollection(settings.client, settings.collectionId, settings.userId);
    this.collectionId = settings.collectionId;
    this.model = settings.model;
  }

  /** Makes a builder of a store over a collection whose vectors the server makes. */
  public static Builder builder(MemorySidecar client, String collectionId) {
    return new Builder(client, collectionId, new ServerModel());
  }

  /** Makes a builder of a store over a collection whose vectors this model makes. */
  public static Builder builder(
      MemorySidecar client, String collectionId, EmbeddingModel embeddingModel) {
    return new Builder(client, collectionId, embeddingModel);
  }

  /** Adds documents, or replaces those of the same ids. */
  @Override
  public void doAdd(List<Document> added) {
    Assert.notNull(added, "The document list should not be null.");
    Assert.noNullElements(added, "The document list should not contain null elements.");
    List<float[]> vectors =
        isOfServer() || added.isEmpty()
            ? List.of()
            : embeddingModel.embed(added, EmbeddingOptions.builder().build(), batchingStrategy);
    List<io.memorysidecar.v1.Document> written = new ArrayList<>();
    for (int at = 0; at < added.size(); at++) {
      var document = Documents.write(added.get(at));
      if (!isOfServer()) document.setEmbedding(embedding(vectors.get(at)));
      written.add(document.build());
    }
    documents.put(written);
  }

  /** Deletes documents; ids that do not exist are no error. */
  @Override
  public void doDelete(List<String> ids) {
    Assert.notNull(ids, "The list of ids should not be null.");
    documents.delete(ids);
  }

  @Override
  protected void doDelete(Filter.Expression filter) {
    Assert.notNull(filter, "Filter expression must not be null");
    documents.deleteAll(List.of(Filters.condition(filter)));
  }

  /**
   * Gives at most 1,000 documents. With vectors of your model, scores are exact: the server itself
   * compares rounded ones.
   */
  @Override
  public List<Document> doSimilaritySearch(SearchRequest request) {
    float[] query = isOfServer() ? null : embeddingModel.embed(request.getQuery());
    RecallRequest.Builder wanted = RecallRequest.newBuilder();
    if (query == null) wanted.setQuery(request.getQuery());
    else wanted.setEmbedding(embedding(query)).setIncludeEmbeddings(true);
    double threshold = request.getSimilarityThreshold();
    // The threshold that accepts all also accepts those below it.
    double min = threshold == SearchRequest.SIMILARITY_THRESHOLD_ACCEPT_ALL ? -1 : threshold;
    return documents
        .search(
            wanted.build(),
            request.hasFilterExpression()
                ? List.of(Filters.condition(request.getFilterExpression()))
                : List.of(),
            request.getTopK(),
            min - ROUNDING)
        .map(hit -> Documents.read(hit.getDocument(), score(hit, query)))
        .filter(document -> min == -1 || document.getScore() >= min)
        .limit(request.getTopK())
        .sorted(Comparator.comparing(Document::getScore).reversed())
        .toList();
  }

  @Override
  public VectorStoreObservationContext.Builder createObservationContextBuilder(String operation) {
    return VectorStoreObservationContext.builder("memory_sidecar", operation)
        .collectionName(collectionId)
        .similarityMetric(VectorStoreSimilarityMetric.COSINE.value());
  }

  /** The client. */
  @Override
  @SuppressWarnings("unchecked")
  public <T> Optional<T> getNativeClient() {
    return Optional.of((T) client);
  }

  private boolean isOfServer() {
    return embeddingModel instanceof ServerModel;
  }

  private Embedding embedding(float[] vector) {
    Embedding.Builder embedding = Embedding.newBuilder().setModel(model);
    for (float value : vector) embedding.addValues(value);
    return embedding.build();
  }

  /** The cosine of the vectors as they were given, or that of the server. */
  private static double score(RecallHit hit, float[] query) {
    List<Float> values = hit.getDocument().getEmbedding().getValuesList();
    if (query == null || values.size() != query.length) return hit.getScore();
    double product = 0;
    double ofQuery = 0;
    double ofDocument = 0;
    for (int at = 0; at < query.length; at++) {
      double value = values.get(at);
      product += query[at] * value;
      ofQuery += (double) query[at] * query[at];
      ofDocument += value * value;
    }
    return Math.max(-1, Math.min(1, product / Math.sqrt(ofQuery * ofDocument)));
  }

  /** Stands where the framework demands a model while the server embeds. */
  private static final class ServerModel implements EmbeddingModel {
    @Override
    public EmbeddingResponse call(EmbeddingRequest request) {
      throw new UnsupportedOperationException("the server embeds");
    }

    @Override
    public float[] embed(Document document) {
      throw new UnsupportedOperationException("the server embeds");
    }
  }

  /** The settings of a store. */
  public static final class Builder extends AbstractVectorStoreBuilder<Builder> {
    private final MemorySidecar client;
    private final String collectionId;
    private String userId = "";
    private String model = "";

    private Builder(MemorySidecar client, String collectionId, EmbeddingModel embeddingModel) {
      super(embeddingModel);
      this.client = client;
      this.collectionId = collectionId;
    }

    /**
     * Makes the documents those of a user: the store then sees no others, and an erasure of the user
     * erases them. Default: those of the whole collection.
     */
    public Builder userId(String value) {
      userId = value;
      return this;
    }

    /**
     * Names the embedding model. Vectors of different models are never compared. Default: no name.
     * Without effect when the server embeds.
     */
    public Builder model(String value) {
      model = value;
      return this;
    }

    /** Makes the store. */
    @Override
    public MemorySidecarVectorStore build() {
      return new MemorySidecarVectorStore(this);
    }
  }
}
