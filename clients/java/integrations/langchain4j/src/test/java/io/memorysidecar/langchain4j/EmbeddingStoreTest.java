package io.memorysidecar.langchain4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.langchain4j.data.document.Metadata;
import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.store.embedding.EmbeddingMatch;
import dev.langchain4j.store.embedding.EmbeddingSearchRequest;
import dev.langchain4j.store.embedding.EmbeddingStore;
import dev.langchain4j.store.embedding.filter.Filter;
import dev.langchain4j.store.embedding.filter.MetadataFilterBuilder;
import dev.langchain4j.store.embedding.filter.comparison.IsEqualTo;
import dev.langchain4j.store.embedding.filter.comparison.IsGreaterThan;
import dev.langchain4j.store.embedding.filter.comparison.IsIn;
import dev.langchain4j.store.embedding.filter.comparison.IsLessThan;
import dev.langchain4j.store.embedding.inmemory.InMemoryEmbeddingStore;
import io.memorysidecar.client.MemorySidecar;
import io.memorysidecar.client.MemorySidecarException;
import io.memorysidecar.testing.Comparison;
import io.memorysidecar.testing.TestServer;
import io.memorysidecar.testing.Vectors;
import io.memorysidecar.v1.Document;
import io.memorysidecar.v1.ListDocumentsRequest;
import io.memorysidecar.v1.UpsertDocumentsRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The embedding store beyond the tests of the framework. */
class EmbeddingStoreTest {
  private static final Embedding QUERY = Embedding.from(new float[] {1, 2, 3});
  private static final List<Number> NUMBERS =
      List.of(
          Double.NEGATIVE_INFINITY, Long.MIN_VALUE, -1e30, -12.5, -12, -1.5f, -1, -1e-30, 0, 0.0,
          1e-30, 0.1, 0.1f, 1, 1.5, 12, 120, 9007199254740992L, 9007199254740993L, Long.MAX_VALUE,
          1e300, Double.POSITIVE_INFINITY);

  private static TestServer server;
  private static MemorySidecar client;

  @BeforeAll
  static void start() {
    server = TestServer.shared();
    client = server.client();
  }

  private static MemorySidecarEmbeddingStore fresh() {
    return MemorySidecarEmbeddingStore.of(client, UUID.randomUUID().toString());
  }

  private static List<EmbeddingMatch<TextSegment>> all(
      EmbeddingStore<TextSegment> store, Filter filter) {
    var request = EmbeddingSearchRequest.builder().queryEmbedding(QUERY).maxResults(1_000);
    return store.search(request.filter(filter).build()).matches();
  }

  @Tag("newest")
  @Test
  void splitsLargeAdds() {
    var store = fresh();
    List<Embedding> many = Collections.nCopies(1_200, QUERY);
    assertEquals(1_200, store.addAll(many).size());
    assertEquals(1_000, all(store, null).size());
    store.removeAll();
    assertEquals(0, all(store, null).size());
    String text = "x".repeat(900_000);
    store.addAll(
        List.of("a", "b", "c", "d"),
        Collections.nCopies(4, QUERY),
        Collections.nCopies(4, TextSegment.from(text)));
    assertEquals(4, all(store, null).size());
  }

  @Test
  void keepsUsersApartAndErasesThem() {
    String collection = UUID.randomUUID().toString();
    var ana = MemorySidecarEmbeddingStore.builder(client, collection).userId("ana").build();
    var ben = MemorySidecarEmbeddingStore.builder(client, collection).userId("ben").build();
    ana.add(QUERY, TextSegment.from("Ana's."));
    ben.add(QUERY, TextSegment.from("Ben's."));
    assertEquals("Ana's.", all(ana, null).get(0).embedded().text());
    assertEquals(1, all(ben, null).size());
    assertEquals(2, all(MemorySidecarEmbeddingStore.of(client, collection), null).size());
    ana.addAll(List.of("1"), List.of(QUERY), List.of(TextSegment.from("Ana's first.")));
    ben.addAll(List.of("1"), List.of(QUERY), List.of(TextSegment.from("Ben's first.")));
    ben.remove("1");
    assertEquals(2, all(ana, null).size());
    assertTrue(all(ana, null).stream().anyMatch(match -> match.embeddingId().equals("1")));
    server.erase("ana");
    assertEquals(0, all(ana, null).size());
    ana.removeAll();
    assertEquals(1, all(ben, null).size());
  }

  @Tag("newest")
  @Test
  void losesNothingOfWritersThatRaceAndAServerThatIsKilled() throws Exception {
    var store = fresh();
    List<CompletableFuture<?>> writers = new ArrayList<>();
    for (int writer = 0; writer < 2; writer++) {
      writers.add(
          CompletableFuture.runAsync(() -> IntStream.range(0, 20).forEach(at -> store.add(QUERY))));
    }
    Thread restart = server.killAndRestart();
    writers.forEach(CompletableFuture::join);
    restart.join();
    assertEquals(40, all(store, null).size());
  }

  @Test
  void findsAllThatPassTheMinimum() {
    var store = fresh();
    // About half pass, by less than the server rounds.
    store.addAll(
        IntStream.range(0, 400)
            .mapToObj(at -> Embedding.from(Vectors.at(0.8 + (at - 200) * 5e-9, at)))
            .toList());
    var request =
        EmbeddingSearchRequest.builder().queryEmbedding(Embedding.from(Vectors.at(1, 0)));
    var all = store.search(request.maxResults(1_000).build()).matches();
    var passing = all.stream().filter(match -> match.score() >= 0.9).toList();
    assertTrue(passing.size() > 100 && passing.size() < 300);
    request.minScore(0.9);
    assertEquals(
        passing, store.search(request.maxResults(passing.size()).build()).matches());
    assertEquals(1, store.search(request.maxResults(1).build()).matches().size());
  }

  @Test
  void refusesWhatItCannotKeep() {
    var store = fresh();
    store.add(QUERY);
    var wide = new Metadata().put("wide", "x".repeat(20_000));
    var error =
        assertThrows(
            MemorySidecarException.class, () -> store.add(QUERY, TextSegment.from("x", wide)));
    assertTrue(error.getMessage().contains("metadata"), error.getMessage());
    var other = EmbeddingSearchRequest.builder().queryEmbedding(Embedding.from(new float[] {1}));
    assertThrows(MemorySidecarException.class, () -> store.search(other.build()));
    assertThrows(IllegalArgumentException.class, () -> store.remove(" "));
    assertThrows(IllegalArgumentException.class, () -> store.removeAll((Filter) null));
    var many = IntStream.range(0, 1_000).boxed().toList();
    assertEquals(0, all(store, new IsIn("number", many)).size());
  }

  @Test
  void readsDocumentsOfOtherPrograms() {
    String collection = UUID.randomUUID().toString();
    var vector = io.memorysidecar.v1.Embedding.newBuilder().addAllValues(QUERY.vectorAsList());
    client
        .memories()
        .upsertDocuments(
            UpsertDocumentsRequest.newBuilder()
                .setCollectionId(collection)
                .addDocuments(Document.newBuilder().setText("Hi.").setEmbedding(vector))
                .build());
    var store = MemorySidecarEmbeddingStore.of(client, collection);
    assertEquals(TextSegment.from("Hi."), all(store, null).get(0).embedded());
    store.add(QUERY, TextSegment.from("Ho.", new Metadata().put("a.b~%", 7L)));
    assertEquals(1, all(store, new IsGreaterThan("a.b~%", 6.5)).size());
    var request = ListDocumentsRequest.newBuilder().setCollectionId(collection).build();
    assertEquals(2, client.listDocuments(request).stream().count());
  }

  private record Step(String kind, int id, Metadata metadata, Filter filter) {}

  @Tag("newest")
  @Test
  void isLikeTheStoreInMemory() {
    new Comparison<>("LangChain4j (Java)", "embedding store", 1000, this::draw, this::pair).run();
  }

  private Step draw(Random random) {
    int kind = random.nextInt(20);
    int id = random.nextInt(12);
    if (kind == 0) return refused(random, id);
    Metadata metadata = new Metadata();
    put(metadata, "n", NUMBERS.get(random.nextInt(NUMBERS.size())));
    if (random.nextBoolean()) metadata.put("s", word(random));
    if (kind < 10) return new Step("add", id, metadata, null);
    if (kind < 12) return new Step("remove", id, metadata, null);
    Filter filter = filter(random, 2);
    return new Step(kind < 14 ? "removeAll" : "search", id, metadata, filter);
  }

  /** A call that the framework refuses. */
  private static Step refused(Random random, int id) {
    String kind = List.of("removeBlank", "removeAll", "addTooFew").get(random.nextInt(3));
    return new Step(kind, id, new Metadata(), null);
  }

  private static void put(Metadata metadata, String key, Number number) {
    if (number instanceof Integer value) metadata.put(key, value);
    if (number instanceof Long value) metadata.put(key, value);
    if (number instanceof Float value) metadata.put(key, value);
    if (number instanceof Double value) metadata.put(key, value);
  }

  private static String word(Random random) {
    return List.of("", "a", "ab", "b", "é", "z").get(random.nextInt(6));
  }

  /** Filters take no infinite numbers. */
  private static Number finite(Random random) {
    return NUMBERS.get(1 + random.nextInt(NUMBERS.size() - 2));
  }

  private static Filter filter(Random random, int depth) {
    if (depth > 0 && random.nextInt(3) == 0) {
      Filter one = filter(random, depth - 1);
      int kind = random.nextInt(3);
      if (kind == 0) return Filter.not(one);
      Filter other = filter(random, depth - 1);
      return kind == 1 ? Filter.and(one, other) : Filter.or(one, other);
    }
    if (random.nextInt(3) == 0) {
      var key = MetadataFilterBuilder.metadataKey("s");
      return switch (random.nextInt(6)) {
        case 0 -> key.isEqualTo(word(random));
        case 1 -> key.isNotEqualTo(word(random));
        case 2 -> key.isGreaterThan(word(random));
        case 3 -> key.isLessThanOrEqualTo(word(random));
        case 4 -> key.isIn(word(random), word(random));
        default -> key.containsString(word(random));
      };
    }
    Number number = finite(random);
    return switch (random.nextInt(4)) {
      case 0 -> new IsGreaterThan("n", (Comparable<?>) number);
      case 1 -> new IsLessThan("n", (Comparable<?>) number);
      case 2 -> new IsIn("n", List.of(number, finite(random)));
      default -> new IsEqualTo("n", number);
    };
  }

  private Comparison.Pair<Step> pair() {
    var theirs = new InMemoryEmbeddingStore<TextSegment>();
    var ours = fresh();
    return new Comparison.Pair<>(step -> play(theirs, step), step -> play(ours, step));
  }

  /** An add removes first: the store in memory keeps two entries of one id. */
  private static Object play(EmbeddingStore<TextSegment> store, Step step) {
    String id = "d" + step.id;
    if (step.kind.equals("add")) {
      store.remove(id);
      Embedding embedding = Embedding.from(new float[] {1, step.id, 1});
      store.addAll(
          List.of(id), List.of(embedding), List.of(TextSegment.from("text " + id, step.metadata)));
    }
    if (step.kind.equals("remove")) store.remove(id);
    if (step.kind.equals("removeBlank")) store.remove(" ");
    if (step.kind.equals("addTooFew")) {
      // The contract of the framework has words for it that its own store does not use.
      Executable add = () -> store.addAll(List.of(id), List.of(QUERY, QUERY), null);
      return assertThrows(RuntimeException.class, add).getClass();
    }
    if (step.kind.equals("removeAll")) store.removeAll(step.filter);
    return all(store, step.kind.equals("search") ? step.filter : null);
  }
}
