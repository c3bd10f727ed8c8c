package io.memorysidecar.langchain4j;

import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.store.embedding.CosineSimilarity;
import dev.langchain4j.store.embedding.EmbeddingMatch;
import dev.langchain4j.store.embedding.EmbeddingSearchRequest;
import dev.langchain4j.store.embedding.EmbeddingSearchResult;
import dev.langchain4j.store.embedding.EmbeddingStore;
import dev.langchain4j.store.embedding.RelevanceScore;
import dev.langchain4j.store.embedding.filter.Filter;
import io.memorysidecar.client.MemorySidecar;
import io.memorysidecar.client.adapter.VectorCollection;
import io.memorysidecar.v1.Document;
import io.memorysidecar.v1.RecallHit;
import io.memorysidecar.v1.RecallRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * An embedding store of LangChain4j: a collection of documents.
 *
 * <p>Your embeddings decide what is found, by their cosine. Segments come back with metadata of the
 * same types and with the very embedding that was given. Recall finds their texts, too.
 */
public final class MemorySidecarEmbeddingStore implements EmbeddingStore<TextSegment> {
  /** More than a cosine of the server can be off. */
  private static final double ROUNDING = 0.001;

  private final VectorCollection documents;
  private final String model;

  private MemorySidecarEmbeddingStore(Builder settings) {
    this.documents =
        new VectorCollection(settings.client, settings.collectionId, settings.userId);
    this.model = settings.model;
  }

  /** Makes a store over a collection, with the defaults of its settings. */
  public static MemorySidecarEmbeddingStore of(MemorySidecar client, String collectionId) {
    return builder(client, collectionId).build();
  }

  /** Makes a store with settings. */
  public static Builder builder(MemorySidecar client, String collectionId) {
    return new Builder(client, collectionId);
  }

  @Override
  public String add(Embedding embedding) {
    return add(embedding, null);
  }

  @Override
  public void add(String id, Embedding embedding) {
    put(List.of(id), List.of(embedding), Collections.singletonList(null));
  }

  @Override
  public String add(Embedding embedding, TextSegment segment) {
    String id = UUID.randomUUID().toString();
    put(List.of(id), List.of(embedding), Collections.singletonList(segment));
    return id;
  }

  @Override
  public List<String> addAll(List<Embedding> embeddings) {
    List<String> ids = generateIds(embeddings.size());
    addAll(ids, embeddings, null);
    return ids;
  }

  /** Adds embeddings with their segments, or replaces those of the same ids. */
  @Override
  public void addAll(List<String> ids, List<Embedding> embeddings, List<TextSegment> segments) {
    int size = sizeOf(embeddings);
    check(
        sizeOf(ids) == size, "ids size (" + sizeOf(ids) + ") is not equal to embeddings size", size);
    if (segments != null) {
      check(
          segments.size() == size,
          "embeddings size (" + size + ") is not equal to embedded size",
          segments.size());
    }
    if (size == 0) return;
    put(ids, embeddings, segments == null ? Collections.nCopies(size, null) : segments);
  }

  @Override
  public void remove(String id) {
    if (id == null || id.isBlank()) throw new IllegalArgumentException("id cannot be null or blank");
    documents.delete(List.of(id));
  }

  @Override
  public void removeAll(Collection<String> ids) {
    if (ids != null && !ids.isEmpty()) documents.delete(ids);
  }

  @Override
  public void removeAll(Filter filter) {
    if (filter == null) throw new IllegalArgumentException("filter cannot be null");
    documents.deleteAll(Filters.conditions(filter));
  }

  @Override
  public void removeAll() {
    documents.deleteAll(List.of());
  }

  /**
   * Searches by the embedding alone; the text of the query has no effect. Gives at most 1,000. The
   * scores are those of the embeddings as they were given: the server compares rounded ones.
   */
  @Override
  public EmbeddingSearchResult<TextSegment> search(EmbeddingSearchRequest request) {
    Embedding query = request.queryEmbedding();
    List<EmbeddingMatch<TextSegment>> matches =
        documents
            .search(
                RecallRequest.newBuilder().setEmbedding(vector(query)).build(),
                request.filter() == null ? List.of() : Filters.conditions(request.filter()),
                request.maxResults(),
                2 * request.minScore() - 1 - ROUNDING)
            .map(hit -> match(hit, query))
            .filter(match -> match.score() >= request.minScore())
            .limit(request.maxResults())
            .sorted(Comparator.comparing(EmbeddingMatch<TextSegment>::score).reversed())
            .toList();
    return new EmbeddingSearchResult<>(matches);
  }

  /** Searches on another thread of the common pool. */
  @Override
  public CompletableFuture<EmbeddingSearchResult<TextSegment>> searchAsync(
      EmbeddingSearchRequest request) {
    return CompletableFuture.supplyAsync(() -> search(request));
  }

  private static EmbeddingMatch<TextSegment> match(RecallHit hit, Embedding query) {
    Segments.Read read = Segments.read(hit.getDocument());
    double cosine =
        read.embedding() == null
            ? hit.getScore()
            : CosineSimilarity.between(read.embedding(), query);
    double score = RelevanceScore.fromCosineSimilarity(cosine);
    String id = hit.getDocument().getDocumentId();
    return new EmbeddingMatch<>(score, id, read.embedding(), read.segment());
  }

  private void put(List<String> ids, List<Embedding> embeddings, List<TextSegment> segments) {
    List<Document> written = new ArrayList<>();
    for (int at = 0; at < ids.size(); at++) {
      written.add(
          Segments.write(embeddings.get(at), segments.get(at))
              .setDocumentId(ids.get(at))
              .setEmbedding(vector(embeddings.get(at)))
              .build());
    }
    documents.put(written);
  }

  private io.memorysidecar.v1.Embedding vector(Embedding embedding) {
    return io.memorysidecar.v1.Embedding.newBuilder()
        .setModel(model)
        .addAllValues(embedding.vectorAsList())
        .build();
  }

  private static void check(boolean holds, String message, int size) {
    if (!holds) throw new IllegalArgumentException(message + " (" + size + ")");
  }

  private static int sizeOf(List<?> list) {
    return list == null ? 0 : list.size();
  }

  /** The settings of a store. */
  public static final class Builder {
    private final MemorySidecar client;
    private final String collectionId;
    private String userId = "";
    private String model = "";

    private Builder(MemorySidecar client, String collectionId) {
      this.client = client;
      this.collectionId = collectionId;
    }

    /**
     * Makes the segments those of a user: the store then sees no others, and an erasure of the user
     * erases them. Default: those of the whole collection.
     */
    public Builder userId(String value) {
      userId = value;
      return this;
    }

    /**
     * Names the embedding model. Embeddings of different models are never compared. Default: no
     * name.
     */
    public Builder model(String value) {
      model = value;
      return this;
    }

    /** Makes the store. */
    public MemorySidecarEmbeddingStore build() {
      return new MemorySidecarEmbeddingStore(this);
    }
  }
}
