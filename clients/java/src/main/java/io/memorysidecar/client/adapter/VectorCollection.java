package io.memorysidecar.client.adapter;

import io.memorysidecar.client.MemorySidecar;
import io.memorysidecar.client.MemorySidecarException;
import io.memorysidecar.v1.DeleteDocumentsRequest;
import io.memorysidecar.v1.Document;
import io.memorysidecar.v1.DocumentFilter;
import io.memorysidecar.v1.ErrorReason;
import io.memorysidecar.v1.Everyone;
import io.memorysidecar.v1.ListDocumentsRequest;
import io.memorysidecar.v1.MemoryScope;
import io.memorysidecar.v1.MetadataCondition;
import io.memorysidecar.v1.PurgeDocumentsRequest;
import io.memorysidecar.v1.RecallFilter;
import io.memorysidecar.v1.RecallHit;
import io.memorysidecar.v1.RecallRequest;
import io.memorysidecar.v1.RecallResponse;
import io.memorysidecar.v1.ScopeFilter;
import io.memorysidecar.v1.UpsertDocumentsRequest;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The documents of a collection, found by the cosine of vectors alone.
 *
 * <p>With a user, they are those of the user: no search finds them for another one, and an erasure
 * of the user erases them. Without, they are all documents of the collection.
 */
public final class VectorCollection {
  /** The least size of the pages after the first: few hits may be wanted of many that are near. */
  private static final int NEXT_PAGE = 100;

  private final MemorySidecar client;
  private final String collectionId;
  private final MemoryScope scope;
  /** Begins the ids of a user's documents: ids are unique in a collection, users choose the same. */
  private final String idStart;

  /** An empty {@code userId} stands for no user. */
  public VectorCollection(MemorySidecar client, String collectionId, String userId) {
    this.client = client;
    this.collectionId = collectionId;
    this.scope =
        userId.isEmpty()
            ? MemoryScope.getDefaultInstance()
            : MemoryScope.newBuilder().setUserId(userId).build();
    this.idStart = userId.isEmpty() ? "" : Names.digestOf(userId) + ":";
  }

  /**
   * Writes documents, and replaces those that have the same ids; of one id that comes twice, the
   * last. More than 1,000 documents or 3 MiB are written in parts.
   */
  public void put(List<Document> documents) {
    Map<String, Document> byId = new LinkedHashMap<>();
    for (Document document : documents) {
      String id = idStart + document.getDocumentId();
      byId.put(id, document.toBuilder().setDocumentId(id).setScope(scope).build());
    }
    List<Document> last = List.copyOf(byId.values());
    for (List<Document> part : Batches.of(last, Document::getSerializedSize)) {
      var request = UpsertDocumentsRequest.newBuilder().setCollectionId(collectionId);
      client.memories().upsertDocuments(request.addAllDocuments(part).build());
    }
  }

  /**
   * Gives the documents that are nearest to the embedding of a request, or to its query by the
   * server's own model, with their payloads, the best first; the score of a hit is its cosine, -1 to
   * 1. At most 1,000. Take as many as you want of them: the first page has as many as you expect to
   * take, and others are fetched when you take more.
   */
  public Stream<RecallHit> search(
      RecallRequest wanted, List<MetadataCondition> conditions, int expected, double minCosine) {
    var filter =
        RecallFilter.newBuilder()
            .addCollectionIds(collectionId)
            .setScope(scopeFilter())
            .addAllMetadata(conditions);
    RecallRequest request =
        wanted.toBuilder()
            .setScoring("cosine")
            .setFilter(filter)
            .setPageSize(Math.min(expected, 1_000))
            .setMinScore(minCosine)
            .setIncludePayloads(true)
            .build();
    return Stream.iterate(page(request), Objects::nonNull, page -> pageAfter(page, request))
        .flatMap(page -> page.getHitsList().stream())
        .map(this::withOwnId);
  }

  private RecallResponse page(RecallRequest request) {
    try {
      return client.recalls().recall(request);
    } catch (MemorySidecarException error) {
      // While there is no document, every model is an unknown one.
      boolean isUnknown = error.hasReason(ErrorReason.ERROR_REASON_EMBEDDING_MISMATCH);
      if (!isUnknown || !isEmpty()) throw error;
      return RecallResponse.getDefaultInstance();
    }
  }

  /** The next page, or null after the last one. */
  private RecallResponse pageAfter(RecallResponse page, RecallRequest request) {
    if (page.getNextPageToken().isEmpty()) return null;
    var next = request.toBuilder().setPageToken(page.getNextPageToken());
    return page(next.setPageSize(Math.max(request.getPageSize(), NEXT_PAGE)).build());
  }

  /** Whether there is no document. */
  public boolean isEmpty() {
    var filter = DocumentFilter.newBuilder().setScope(scopeFilter());
    var request = ListDocumentsRequest.newBuilder().setCollectionId(collectionId).setFilter(filter);
    return !client.listDocuments(request.setPageSize(1).build()).iterator().hasNext();
  }

  /** Deletes documents; ids that do not exist are no error. */
  public void delete(Collection<String> documentIds) {
    List<String> ids = documentIds.stream().distinct().map(id -> idStart + id).toList();
    for (List<String> part : Batches.of(ids, String::length)) {
      client
          .memories()
          .deleteDocuments(
              DeleteDocumentsRequest.newBuilder()
                  .setCollectionId(collectionId)
                  .addAllDocumentIds(part)
                  .setAllowMissing(true)
                  .build());
    }
  }

  /** Deletes the documents that meet all conditions, by 1,000 in one transaction. */
  public void deleteAll(List<MetadataCondition> conditions) {
    var filter = DocumentFilter.newBuilder().setScope(scopeFilter()).addAllMetadata(conditions);
    var request =
        PurgeDocumentsRequest.newBuilder()
            .setCollectionId(collectionId)
            .setFilter(filter)
            .setForce(true)
            .build();
    while (client.memories().purgeDocuments(request).getMore()) {
      // The next thousand.
    }
  }

  /** A hit with the id that the caller gave. Others put documents of this user under theirs. */
  private RecallHit withOwnId(RecallHit hit) {
    String id = hit.getDocument().getDocumentId();
    if (!id.startsWith(idStart)) return hit;
    var document = hit.getDocument().toBuilder().setDocumentId(id.substring(idStart.length()));
    return hit.toBuilder().setDocument(document).build();
  }

  private ScopeFilter scopeFilter() {
    return !scope.hasUserId()
        ? ScopeFilter.newBuilder().setEveryone(Everyone.getDefaultInstance()).build()
        : ScopeFilter.newBuilder().setExact(scope).build();
  }
}
