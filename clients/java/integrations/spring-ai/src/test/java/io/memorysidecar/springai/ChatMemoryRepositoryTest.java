package io.memorysidecar.springai;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.memorysidecar.client.MemorySidecar;
import io.memorysidecar.client.MemorySidecarException;
import io.memorysidecar.testing.Comparison;
import io.memorysidecar.testing.TestServer;
import io.memorysidecar.v1.EventFilter;
import io.memorysidecar.v1.EventType;
import io.memorysidecar.v1.ListEventsRequest;
import io.memorysidecar.v1.ListMessagesRequest;
import io.memorysidecar.v1.Session;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.memory.ChatMemoryRepository;
import org.springframework.ai.chat.memory.InMemoryChatMemoryRepository;
import org.springframework.ai.chat.memory.MessageWindowChatMemory;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.SystemMessage;
import org.springframework.ai.chat.messages.UserMessage;

/** The repository: exactness, what the framework drops, writers that race, a comparison. */
class ChatMemoryRepositoryTest {
  private static TestServer server;
  private static MemorySidecar client;
  private static MemorySidecarChatMemoryRepository repository;

  @BeforeAll
  static void start() {
    server = TestServer.start();
    client = server.client();
    repository = MemorySidecarChatMemoryRepository.of(client);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static MessageWindowChatMemory memory(ChatMemoryRepository repository, int max) {
    return MessageWindowChatMemory.builder()
        .chatMemoryRepository(repository)
        .maxMessages(max)
        .build();
  }

  private static List<io.memorysidecar.v1.Message> log(String session) {
    var request = ListMessagesRequest.newBuilder().setSessionId(session).build();
    return client.listMessages(request).stream().toList();
  }

  private static List<Message> numbered(int from, int to) {
    return IntStream.range(from, to)
        .<Message>mapToObj(number -> new UserMessage("m" + number))
        .toList();
  }

  /** Messages in full: those of the framework compare without their media. */
  private static Object full(List<Message> messages) {
    return messages.stream().map(ChatMessages::toStored).toList();
  }

  @Test
  void givesMessagesOfEveryTypeBack() {
    List<Message> all = Samples.everyType();
    repository.saveAll("types", all);
    List<Message> read = repository.findByConversationId("types");
    assertEquals(all, read);
    assertEquals(full(all), full(read));
    assertEquals(all.get(1).getMetadata(), read.get(1).getMetadata());
    assertEquals(2, log("types").get(2).getToolCallsCount());
    assertEquals("c2", log("types").get(3).getParts(1).getToolResult().getToolCallId());
    assertEquals("c3", log("types").get(6).getToolCallId());
    assertTrue(log("types").get(1).getParts(1).hasImage());
    assertEquals(List.of(), repository.findByConversationId("none"));
    repository.deleteByConversationId("none");
    repository.deleteByConversationId("types");
    assertThrows(MemorySidecarException.class, () -> log("types"));
  }

  @Test
  void keepsWhatTheMemoryDrops() {
    ChatMemory memory = memory(repository, 4);
    memory.add("dropping", new SystemMessage("Be brief."));
    numbered(0, 6).forEach(message -> memory.add("dropping", message));
    assertEquals(4, memory.get("dropping").size());
    assertEquals(7, log("dropping").size());
    var window = client.window("dropping").getMessagesList();
    assertEquals(
        List.of(1L, 5L, 6L, 7L),
        window.stream().map(io.memorysidecar.v1.Message::getSeq).toList());
    var filter =
        EventFilter.newBuilder()
            .setSessionId("dropping")
            .addEventTypes(EventType.EVENT_TYPE_MESSAGES_TRIMMED);
    var events = client.listEvents(ListEventsRequest.newBuilder().setFilter(filter).build());
    assertEquals(3, events.stream().count());
  }

  @Test
  void losesNoMessageOfWritersThatRace() {
    List<CompletableFuture<?>> writers = new ArrayList<>();
    for (int writer = 0; writer < 2; writer++) {
      int first = 100 * writer;
      ChatMemory memory = memory(repository, 5);
      writers.add(
          CompletableFuture.runAsync(
              () -> numbered(first, first + 20).forEach(one -> memory.add("raced", one))));
    }
    writers.forEach(CompletableFuture::join);
    Set<String> texts = new TreeSet<>();
    log("raced").forEach(message -> texts.add(message.getText()));
    assertEquals(40, texts.size());
    assertTrue(repository.findByConversationId("raced").size() <= 5);
  }

  @Test
  void keepsConversationsOfAPrefixAndErasesUsers() {
    var anas =
        MemorySidecarChatMemoryRepository.builder(client)
            .prefix("ana/")
            .session(id -> Session.newBuilder().setUserId("ana").build())
            .build();
    anas.saveAll("b", numbered(0, 3));
    anas.saveAll("a", List.of());
    assertEquals(Set.of("a", "b"), Set.copyOf(anas.findConversationIds()));
    assertTrue(repository.findConversationIds().contains("ana/b"));
    server.erase("ana");
    assertEquals(List.of(), anas.findConversationIds());
    assertEquals(List.of(), anas.findByConversationId("b"));
  }

  @Test
  void refusesWhatTheFrameworkRefuses() {
    List<Message> large = List.of(new UserMessage("x".repeat(600_000)));
    assertThrows(MemorySidecarException.class, () -> repository.saveAll("large", large));
    assertThrows(IllegalArgumentException.class, () -> repository.saveAll(" ", List.of()));
    assertThrows(IllegalArgumentException.class, () -> repository.saveAll("a", null));
    assertThrows(IllegalArgumentException.class, () -> repository.findByConversationId(""));
    assertThrows(IllegalArgumentException.class, () -> repository.deleteByConversationId(null));
  }

  private record Step(String kind, String id, List<Message> messages) {
    @Override
    public String toString() {
      return kind + " " + id + " " + messages;
    }
  }

  @Tag("newest")
  @Test
  void isLikeTheRepositoryInMemory() {
    new Comparison<>("Spring AI (Java)", "chat memory repository", 2000, this::draw, this::pair).run();
  }

  private Step draw(Random random) {
    String id = "c" + random.nextInt(3);
    int kind = random.nextInt(20);
    if (kind == 0) return new Step("delete", id, List.of());
    if (kind == 1) return refused(random, id);
    List<Message> types = Samples.everyType();
    List<Message> drawn = new ArrayList<>();
    int count = kind < 5 ? random.nextInt(6) : 1 + random.nextInt(2);
    for (int at = 0; at < count; at++) {
      drawn.add(
          random.nextBoolean()
              ? types.get(random.nextInt(types.size()))
              : random.nextInt(6) == 0
                  ? new SystemMessage("s" + random.nextInt(3))
                  : new UserMessage("m" + random.nextInt(5)));
    }
    return new Step(kind < 5 ? "save" : "add", id, drawn);
  }

  /** A call that the framework refuses. */
  private static Step refused(Random random, String id) {
    String kind = List.of("delete", "save", "add", "find").get(random.nextInt(4));
    if (random.nextBoolean()) return new Step(kind, random.nextBoolean() ? " " : null, List.of());
    List<Message> wrong = random.nextBoolean() ? null : Collections.singletonList(null);
    return new Step(random.nextBoolean() ? "save" : "add", id, wrong);
  }

  private Comparison.Pair<Step> pair() {
    var theirs = new InMemoryChatMemoryRepository();
    var ours =
        MemorySidecarChatMemoryRepository.builder(client).prefix(UUID.randomUUID() + "/").build();
    return new Comparison.Pair<>(step -> play(theirs, step), step -> play(ours, step));
  }

  private static Object play(ChatMemoryRepository repository, Step step) {
    if (step.kind.equals("delete")) repository.deleteByConversationId(step.id);
    if (step.kind.equals("save")) repository.saveAll(step.id, step.messages);
    if (step.kind.equals("add")) memory(repository, 6).add(step.id, step.messages);
    return List.of(
        full(repository.findByConversationId(step.id)),
        new TreeSet<>(repository.findConversationIds()));
  }
}
