package io.memorysidecar.springai;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.memorysidecar.client.MemorySidecar;
import io.memorysidecar.client.MemorySidecarException;
import io.memorysidecar.client.adapter.ExactMetadata;
import io.memorysidecar.testing.Comparison;
import io.memorysidecar.testing.TestServer;
import io.memorysidecar.testing.Vectors;
import io.memorysidecar.v1.UpsertDocumentsRequest;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.net.URI;
import java.util.ArrayList;
import java.util.Date;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.ai.content.Media;
import org.springframework.ai.document.Document;
import org.springframework.ai.vectorstore.SearchRequest;
import org.springframework.ai.vectorstore.SimpleVectorStore;
import org.springframework.ai.vectorstore.VectorStore;
import org.springframework.ai.vectorstore.filter.Filter;
import org.springframework.ai.vectorstore.observation.VectorStoreObservationContext;

/** The vector store beyond the tests of the framework. */
class VectorStoreTest {
  private static final Set<Filter.ExpressionType> LOGICAL =
      EnumSet.of(
          Filter.ExpressionType.AND, Filter.ExpressionType.OR, Filter.ExpressionType.NOT);

  private static TestServer server;
  private static MemorySidecar client;

  @BeforeAll
  static void start() {
    server = TestServer.shared();
    client = server.client();
  }

  private static MemorySidecarVectorStore fresh() {
    return builder(UUID.randomUUID().toString()).build();
  }

  private static MemorySidecarVectorStore.Builder builder(String collection) {
    return MemorySidecarVectorStore.builder(client, collection, TestModel.OF_LETTERS);
  }

  private static List<Document> all(VectorStore store) {
    return store.similaritySearch(SearchRequest.builder().query("stork").topK(1_000).build());
  }

  private static Document document(String id, String text) {
    return new Document(id, text, Map.of());
  }

  @Test
  void givesDocumentsBackWithTheTypesOfTheirMetadata() {
    var store = fresh();
    Map<String, Object> metadata = new HashMap<>(Samples.metadata());
    metadata.remove("nothing");
    metadata.put("a.b~%", 7);
    store.add(List.of(new Document("1", "stork", metadata), document("2", "roof")));
    // The same ids replace, also within one list.
    store.add(List.of(document("2", "cat"), document("2", "storks"), document("3", "")));
    List<Document> found = all(store);
    assertEquals(List.of("1", "2", "3"), found.stream().map(Document::getId).toList());
    assertEquals("storks", found.get(1).getText());
    metadata.put("distance", 1 - found.get(0).getScore());
    assertEquals(metadata, found.get(0).getMetadata());
    assertEquals(1, found.get(0).getScore(), 1e-6);
    assertTrue(found.get(1).getScore() < 0.99);
    store.add(List.of());
    store.delete(List.of());
    store.delete(List.of("2", "none"));
    assertEquals(2, all(store).size());
    assertSame(client, store.getNativeClient().orElseThrow());
  }

  @Test
  void limitsByCountAndThreshold() {
    var store = fresh();
    var far = SearchRequest.builder().query("qqq");
    assertEquals(List.of(), store.similaritySearch(far.build()));
    for (int at = 0; at < 6; at++) store.add(List.of(document("" + at, "stork" + "z".repeat(at))));
    assertEquals(4, store.similaritySearch("stork").size());
    var near = SearchRequest.builder().query("stork").topK(6).similarityThreshold(0.999_999);
    assertEquals(1, store.similaritySearch(near.build()).size());
    assertEquals(6, store.similaritySearch(near.similarityThresholdAll().build()).size());
    assertEquals(0, store.similaritySearch(near.topK(0).build()).size());
  }

  /** A vector whose text is its cosine to that of the text 1. */
  private static float[] vectorOfCosine(String text) {
    return Vectors.at(Double.parseDouble(text), text.hashCode());
  }

  @Test
  void findsAllThatPassTheThreshold() {
    var store =
        MemorySidecarVectorStore.builder(
                client, UUID.randomUUID().toString(), new TestModel(VectorStoreTest::vectorOfCosine))
            .build();
    // About half pass, by less than the server rounds.
    store.add(
        IntStream.range(0, 400)
            .mapToObj(at -> new Document("" + (0.8 + (at - 200) * 5e-9), Map.of()))
            .toList());
    var request = SearchRequest.builder().query("1").topK(1_000);
    var passing =
        store.similaritySearch(request.build()).stream().filter(one -> one.getScore() >= 0.8).toList();
    assertTrue(passing.size() > 100 && passing.size() < 300);
    request.similarityThreshold(0.8);
    assertEquals(passing, store.similaritySearch(request.topK(passing.size()).build()));
    assertEquals(1, store.similaritySearch(request.topK(1).build()).size());
  }

  @Test
  void searchesByTheServersOwnModel() {
    var store = MemorySidecarVectorStore.builder(client, UUID.randomUUID().toString()).build();
    assertEquals(List.of(), store.similaritySearch("stork"));
    store.add(
        List.of(
            document("1", "The stork is on the roof."), document("2", "The bank lends money.")));
    List<Document> found = store.similaritySearch("Where do birds sit?");
    assertEquals(List.of("1", "2"), found.stream().map(Document::getId).toList());
    double score = found.get(0).getScore();
    assertEquals(1 - score, found.get(0).getMetadata().get("distance"));
    var request = SearchRequest.builder().query("Where do birds sit?").similarityThreshold(score);
    assertEquals(1, store.similaritySearch(request.build()).size());
    assertEquals(1, store.similaritySearch(request.similarityThreshold(0.01).topK(1).build()).size());
  }

  @Test
  void comparesValuesOfManyTypes() {
    var store = fresh();
    UUID id = UUID.randomUUID();
    Map<String, Object> metadata =
        Map.of("date", new Date(1_764_316_800_123L), "big", Long.MAX_VALUE, "id", id, "a.b~", "x");
    store.add(List.of(new Document("1", "stork", metadata), document("2", "stork")));
    assertEquals("1", found(store, "date == '2025-11-28T08:00:00Z'"));
    assertEquals("1", found(store, "date >= '2025-11-28' && date < '2025-11-29' && date IS NOT NULL"));
    assertEquals("1", found(store, new Filter.Value(new Date(1_764_316_800_000L)), "date"));
    assertEquals("1", found(store, new Filter.Value(Long.MAX_VALUE), "big"));
    assertEquals("", found(store, new Filter.Value(Long.MAX_VALUE - 1), "big"));
    assertEquals("1", found(store, new Filter.Value(id), "id"));
    assertEquals("1", found(store, "id == '" + id + "'"));
    assertEquals("1", found(store, new Filter.Value("x"), "a.b~"));
    // A missing value is less than any other.
    assertEquals("2", found(store, "big < 5"));
    assertEquals("12", found(store, "NOT (big == 5)"));
    assertEquals("2", found(store, "big IS NULL OR big IN [1, 2]"));
  }

  @Test
  void findsListsByAnyOfTheirElements() {
    var store = fresh();
    UUID id = UUID.randomUUID();
    Map<String, Object> lists =
        Map.of(
            "years", List.of(2025, 9_007_199_254_740_993L),
            "ids", Set.of("x", id),
            "dates", List.of(new Date(1_764_316_800_123L)));
    store.add(
        List.of(
            new Document("1", "stork", lists),
            new Document("2", "stork", Map.of("years", List.of("2025", 2024.5))),
            new Document("3", "stork", Map.of("years", 2025))));
    assertEquals("13", found(store, "years == 2025"));
    assertEquals("13", found(store, "years IN [2025, 7]"));
    assertEquals("2", found(store, "years != 2025"));
    assertEquals("2", found(store, "years NIN [2025, 7]"));
    assertEquals("2", found(store, "NOT (years == 2025)"));
    assertEquals("2", found(store, "years == '2025'"));
    assertEquals("1", found(store, "years > 2025"));
    assertEquals("123", found(store, "years >= 2024.5"));
    assertEquals("2", found(store, "years < 2025"));
    assertEquals("1", found(store, new Filter.Value(9_007_199_254_740_993L), "years"));
    assertEquals("", found(store, new Filter.Value(9_007_199_254_740_992L), "years"));
    assertEquals("1", found(store, new Filter.Value(id), "ids"));
    assertEquals("1", found(store, "ids == 'x'"));
    assertEquals("1", found(store, new Filter.Value(new Date(1_764_316_800_000L)), "dates"));
    store.delete("years != 2025");
    assertEquals(List.of("1", "3"), all(store).stream().map(Document::getId).toList());
    assertEquals(lists.get("years"), all(store).get(0).getMetadata().get("years"));
  }

  private static String found(VectorStore store, Filter.Value value, String key) {
    var filter = new Filter.Expression(Filter.ExpressionType.EQ, new Filter.Key(key), value);
    return ids(store, SearchRequest.builder().query("stork").filterExpression(filter));
  }

  private static String found(VectorStore store, String filter) {
    return ids(store, SearchRequest.builder().query("stork").filterExpression(filter));
  }

  private static String ids(VectorStore store, SearchRequest.Builder request) {
    return store.similaritySearch(request.build()).stream()
        .map(Document::getId)
        .sorted()
        .collect(Collectors.joining());
  }

  @Test
  void refusesFiltersThatTheServerCannotTest() {
    var store = fresh();
    store.add(List.of(document("1", "stork")));
    Filter.Key key = new Filter.Key("year");
    List<Filter.Expression> wrong =
        List.of(
            new Filter.Expression(Filter.ExpressionType.EQ, key, new Filter.Value(null)),
            new Filter.Expression(Filter.ExpressionType.EQ, key, new Filter.Value(List.of(1))),
            new Filter.Expression(Filter.ExpressionType.GT, key, new Filter.Value(Map.of())),
            new Filter.Expression(Filter.ExpressionType.EQ, key, key),
            new Filter.Expression(Filter.ExpressionType.EQ, key),
            new Filter.Expression(Filter.ExpressionType.IN, key, new Filter.Value(1)),
            new Filter.Expression(Filter.ExpressionType.ISNULL, new Filter.Value(1)),
            new Filter.Expression(Filter.ExpressionType.NOT, key));
    for (Filter.Expression filter : wrong) {
      assertThrows(IllegalArgumentException.class, () -> store.delete(filter), filter::toString);
      var request = SearchRequest.builder().query("stork").filterExpression(filter).build();
      assertThrows(IllegalArgumentException.class, () -> store.similaritySearch(request));
    }
    assertThrows(IllegalArgumentException.class, () -> store.add(List.of(withMedia())));
    assertThrows(IllegalArgumentException.class, () -> store.add(null));
    assertThrows(IllegalArgumentException.class, () -> store.delete((Filter.Expression) null));
    var wide = new Document("stork", Map.of("wide", "x".repeat(20_000)));
    var error = assertThrows(MemorySidecarException.class, () -> store.add(List.of(wide)));
    assertTrue(error.getMessage().contains("metadata"), error.getMessage());
    assertEquals(1, all(store).size());
  }

  @Test
  void keepsUsersApartAndErasesThem() {
    String collection = UUID.randomUUID().toString();
    var ana = builder(collection).userId("ana").build();
    var ben = builder(collection).userId("ben").build();
    ana.add(List.of(document("1", "Ana's stork")));
    ben.add(List.of(document("1", "Ben's stork"), document("2", "Ben's roof")));
    assertEquals("Ana's stork", all(ana).get(0).getText());
    assertEquals(3, all(builder(collection).build()).size());
    ben.delete(List.of("2"));
    ben.delete("year IS NULL");
    assertEquals(1, all(ana).size());
    server.erase("ana");
    assertEquals(List.of(), all(ana));
  }

  @Test
  void readsDocumentsOfOtherPrograms() {
    String collection = UUID.randomUUID().toString();
    var metadata = ExactMetadata.write(Map.of("year", 2026, "tags", List.of("a"), "is", true));
    client
        .memories()
        .upsertDocuments(
            UpsertDocumentsRequest.newBuilder()
                .setCollectionId(collection)
                .addDocuments(
                    io.memorysidecar.v1.Document.newBuilder()
                        .setDocumentId("1")
                        .setText("The stork.")
                        .setMetadata(metadata))
                .build());
    var store = MemorySidecarVectorStore.builder(client, collection).build();
    var request = SearchRequest.builder().query("stork").filterExpression("tags == 'a'");
    Map<String, Object> read = store.similaritySearch(request.build()).get(0).getMetadata();
    assertEquals(Set.of("year", "tags", "is", "distance"), read.keySet());
    assertEquals(List.of(2026.0, List.of("a"), true), values(read, "year", "tags", "is"));
  }

  private static List<Object> values(Map<String, Object> map, String... keys) {
    return List.of(keys).stream().map(map::get).toList();
  }

  @Test
  void observesWhatTheFrameworkObserves() {
    List<String> seen = new ArrayList<>();
    ObservationRegistry registry = ObservationRegistry.create();
    registry
        .observationConfig()
        .observationHandler(
            new ObservationHandler<VectorStoreObservationContext>() {
              @Override
              public boolean supportsContext(Observation.Context context) {
                return context instanceof VectorStoreObservationContext;
              }

              @Override
              public void onStop(VectorStoreObservationContext context) {
                seen.add(context.getOperationName() + " " + context.getCollectionName());
              }
            });
    String collection = UUID.randomUUID().toString();
    var store = builder(collection).observationRegistry(registry).build();
    store.add(List.of(document("1", "stork")));
    store.similaritySearch("stork");
    store.delete("a == 1");
    assertEquals(List.of("add " + collection, "query " + collection, "delete " + collection), seen);
  }

  @Tag("newest")
  @Test
  void splitsLargeAdds() {
    var store = fresh();
    store.add(IntStream.range(0, 1_200).mapToObj(at -> document("" + at, "stork")).toList());
    assertEquals(1_000, all(store).size());
    store.delete("year IS NULL");
    assertEquals(List.of(), all(store));
  }

  @Tag("newest")
  @Test
  void losesNothingOfWritersThatRaceAndAServerThatIsKilled() throws Exception {
    var store = fresh();
    List<CompletableFuture<?>> writers = new ArrayList<>();
    for (int writer = 0; writer < 2; writer++) {
      int first = 20 * writer;
      writers.add(
          CompletableFuture.runAsync(
              () ->
                  IntStream.range(first, first + 20)
                      .forEach(at -> store.add(List.of(document("" + at, "stork"))))));
    }
    Thread restart = server.killAndRestart();
    writers.forEach(CompletableFuture::join);
    restart.join();
    Set<String> ids = new TreeSet<>();
    all(store).forEach(document -> ids.add(document.getId()));
    assertEquals(40, ids.size());
  }

  private record Step(String kind, int id, Map<String, Object> metadata, Filter.Expression filter) {}

  @Tag("newest")
  @Test
  void isLikeTheStoreInMemory() {
    new Comparison<>("Spring AI (Java)", "vector store", 1000, this::draw, this::pair).run();
  }

  private Step draw(Random random) {
    int kind = random.nextInt(20);
    int id = random.nextInt(12);
    if (kind == 0) return new Step("media", id, Map.of(), null);
    Map<String, Object> metadata = new HashMap<>();
    for (String key : List.of("n", "s", "b")) {
      if (random.nextInt(4) > 0) metadata.put(key, value(random, key));
    }
    if (kind < 9) return new Step("add", id, metadata, null);
    if (kind < 11) return new Step("delete", id, metadata, null);
    return new Step(kind < 13 ? "deleteAll" : "search", id, metadata, filter(random, 2));
  }

  private static Object value(Random random, String key) {
    List<?> values =
        switch (key) {
          case "n" ->
              List.of(
                  Double.NEGATIVE_INFINITY, -1e30, -12.5, -12, -1L, 0, 1e-30, 1, 1.5, 1.5f, 12L,
                  120, 1e300, Double.POSITIVE_INFINITY);
          case "s" -> List.of("", "a", "ab", "b", "é", "z");
          default -> List.of(true, false);
        };
    return values.get(random.nextInt(values.size()));
  }

  private static Filter.Expression filter(Random random, int depth) {
    if (depth > 0 && random.nextInt(3) == 0) {
      Filter.Operand left = operand(random, depth - 1);
      int kind = random.nextInt(3);
      if (kind == 0) return new Filter.Expression(Filter.ExpressionType.NOT, left);
      var type = kind == 1 ? Filter.ExpressionType.AND : Filter.ExpressionType.OR;
      return new Filter.Expression(type, left, operand(random, depth - 1));
    }
    String name = List.of("n", "s", "b").get(random.nextInt(3));
    var key = new Filter.Key(random.nextInt(5) == 0 ? "'" + name + "'" : name);
    List<Filter.ExpressionType> types =
        List.of(Filter.ExpressionType.values()).stream()
            .filter(type -> !LOGICAL.contains(type))
            .toList();
    Filter.ExpressionType type = types.get(random.nextInt(types.size()));
    Object value = value(random, name);
    return switch (type) {
      case ISNULL, ISNOTNULL -> new Filter.Expression(type, key);
      case IN, NIN ->
          new Filter.Expression(
              type, key, new Filter.Value(random.nextBoolean() ? List.of() : List.of(value)));
      default -> new Filter.Expression(type, key, new Filter.Value(value));
    };
  }

  private static Filter.Operand operand(Random random, int depth) {
    Filter.Expression inner = filter(random, depth);
    return random.nextBoolean() ? new Filter.Group(inner) : inner;
  }

  private Comparison.Pair<Step> pair() {
    var theirs = SimpleVectorStore.builder(TestModel.OF_LETTERS).build();
    var ours = fresh();
    return new Comparison.Pair<>(step -> play(theirs, step), step -> play(ours, step));
  }

  private static Object play(VectorStore store, Step step) {
    String id = "d" + step.id;
    String text = "stork" + "z".repeat(step.id);
    if (step.kind.equals("add")) store.add(List.of(new Document(id, text, step.metadata)));
    if (step.kind.equals("delete")) store.delete(List.of(id));
    if (step.kind.equals("deleteAll")) store.delete(step.filter);
    if (step.kind.equals("media")) store.add(List.of(withMedia()));
    var request = SearchRequest.builder().query("stork").topK(step.id + 1);
    if (step.kind.equals("search")) request.filterExpression(step.filter);
    if (step.id % 2 == 0) request.similarityThreshold(0.7);
    return store.similaritySearch(request.build()).stream()
        .map(
            one ->
                List.of(one.getId(), one.getText(), Math.round(one.getScore() * 1e4), own(one)))
        .toList();
  }

  /** The metadata without what a search adds, which is not exact. */
  private static Map<String, Object> own(Document document) {
    Map<String, Object> metadata = new HashMap<>(document.getMetadata());
    metadata.remove("distance");
    return metadata;
  }

  private static Document withMedia() {
    var media = Media.builder().mimeType(Media.Format.IMAGE_PNG).data(URI.create("a:b")).build();
    return new Document(media, Map.of());
  }
}
