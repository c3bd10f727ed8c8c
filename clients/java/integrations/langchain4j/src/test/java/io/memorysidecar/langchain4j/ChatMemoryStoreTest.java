package io.memorysidecar.langchain4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.memory.ChatMemory;
import dev.langchain4j.memory.chat.MessageWindowChatMemory;
import dev.langchain4j.store.memory.chat.ChatMemoryStore;
import dev.langchain4j.store.memory.chat.InMemoryChatMemoryStore;
import io.memorysidecar.client.MemorySidecar;
import io.memorysidecar.client.MemorySidecarException;
import io.memorysidecar.testing.Comparison;
import io.memorysidecar.testing.TestServer;
import io.memorysidecar.v1.EventFilter;
import io.memorysidecar.v1.EventType;
import io.memorysidecar.v1.ListEventsRequest;
import io.memorysidecar.v1.ListMessagesRequest;
import io.memorysidecar.v1.ListSessionsRequest;
import io.memorysidecar.v1.Message;
import io.memorysidecar.v1.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The store: exactness, what the framework evicts, writers that race, a comparison. */
class ChatMemoryStoreTest {
  private static TestServer server;
  private static MemorySidecar client;
  private static MemorySidecarChatMemoryStore store;

  @BeforeAll
  static void start() {
    server = TestServer.start();
    client = server.client();
    store = MemorySidecarChatMemoryStore.of(client);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static ChatMemory memory(ChatMemoryStore store, Object id, int max) {
    return MessageWindowChatMemory.builder().id(id).maxMessages(max).chatMemoryStore(store).build();
  }

  private static List<Message> log(String session) {
    var request = ListMessagesRequest.newBuilder().setSessionId(session).build();
    return client.listMessages(request).stream().toList();
  }

  private static List<Long> window(String session) {
    return client.window(session).getMessagesList().stream().map(Message::getSeq).toList();
  }

  /** The seqs that left the window, as events say. */
  private static List<Long> trimmed(String session) {
    var filter =
        EventFilter.newBuilder()
            .setSessionId(session)
            .addEventTypes(EventType.EVENT_TYPE_MESSAGES_TRIMMED);
    var request = ListEventsRequest.newBuilder().setFilter(filter).build();
    return client.listEvents(request).stream()
        .flatMap(event -> event.getMessagesTrimmed().getTrim().getSeqRangesList().stream())
        .flatMap(
            run -> IntStream.rangeClosed((int) run.getFirstSeq(), (int) run.getLastSeq()).boxed())
        .map(Integer::longValue)
        .toList();
  }

  private static List<ChatMessage> numbered(int from, int to) {
    return IntStream.range(from, to)
        .<ChatMessage>mapToObj(number -> UserMessage.from("m" + number))
        .toList();
  }

  @Test
  void givesMessagesOfEveryKindBack() {
    assertEquals(List.of(), store.getMessages("kinds"));
    store.deleteMessages("kinds");
    store.updateMessages("kinds", Samples.everyKind());
    assertEquals(Samples.everyKind(), store.getMessages("kinds"));
    List<Message> stored = log("kinds");
    assertEquals(2, stored.get(3).getToolCallsCount());
    assertEquals("A stork.", stored.get(4).getText());
    assertEquals("c1", stored.get(4).getToolCallId());
    assertTrue(stored.get(2).getParts(1).hasImage());
    assertEquals("call-0", stored.get(7).getToolCalls(0).getToolCallId());
    assertEquals(1, stored.get(9).getToolCallsCount());
    store.updateMessages("kinds", List.of());
    assertEquals(List.of(), store.getMessages("kinds"));
    assertEquals(Samples.everyKind().size(), log("kinds").size());
    store.deleteMessages("kinds");
    assertThrows(MemorySidecarException.class, () -> log("kinds"));
  }

  @Test
  void keepsWhatTheMemoryEvicts() {
    ChatMemory memory = memory(store, "evicting", 4);
    memory.add(SystemMessage.from("Be brief."));
    numbered(0, 6).forEach(memory::add);
    assertEquals(4, memory.messages().size());
    assertEquals(7, log("evicting").size());
    assertEquals(List.of(1L, 5L, 6L, 7L), window("evicting"));
    assertEquals(List.of(2L, 3L, 4L), trimmed("evicting"));
    // Another system message takes the place of the first one, at the end of the list.
    memory.add(SystemMessage.from("Be kind."));
    assertEquals(List.of(5L, 6L, 7L, 8L), window("evicting"));
    memory.add(UserMessage.from("m6"));
    assertEquals(List.of("m4", "m5", "system", "m6"), texts(memory.messages()));
    assertEquals(List.of(6L, 7L, 8L, 9L), window("evicting"));
    assertEquals(List.of(2L, 3L, 4L, 1L, 5L), trimmed("evicting"));
  }

  @Test
  void keepsTheOrderOfTheList() {
    var memory =
        MessageWindowChatMemory.builder()
            .id("first")
            .maxMessages(3)
            .alwaysKeepSystemMessageFirst(true)
            .chatMemoryStore(store)
            .build();
    numbered(0, 3).forEach(memory::add);
    memory.add(SystemMessage.from("Be brief."));
    assertEquals(List.of("system", "m1", "m2"), texts(memory.messages()));
    memory.add(UserMessage.from("m2"));
    assertEquals(List.of("system", "m2", "m2"), texts(memory.messages()));
    assertEquals(5, log("first").size());
  }

  @Test
  void keepsListsOfMoreThanOneAppend() {
    List<ChatMessage> many = numbered(0, 2_500);
    store.updateMessages("long", many);
    assertEquals(many, store.getMessages("long"));
    // Every second one: more runs than a session holds, so they are stored again.
    List<ChatMessage> half = IntStream.range(0, 1_250).mapToObj(at -> many.get(2 * at)).toList();
    store.updateMessages("long", half);
    assertEquals(half, store.getMessages("long"));
    assertEquals(3_750, log("long").size());
    assertEquals(1_250, window("long").size());
  }

  @Test
  void readsTheWindowOfAnotherProgram() {
    client.ensureSession(Session.newBuilder().setSessionId("foreign").build());
    client.append(
        "foreign",
        io.memorysidecar.client.Messages.user("Hi."),
        io.memorysidecar.client.Messages.assistant("Hello."));
    assertEquals(
        List.of(UserMessage.from("Hi."), AiMessage.from("Hello.")), store.getMessages("foreign"));
    memory(store, "foreign", 2).add(UserMessage.from("Who are you?"));
    assertEquals(List.of(2L, 3L), window("foreign"));
  }

  @Test
  void losesNoMessageOfWritersThatRace() {
    List<CompletableFuture<?>> writers = new ArrayList<>();
    for (int writer = 0; writer < 2; writer++) {
      int first = 100 * writer;
      ChatMemory memory = memory(store, "raced", 5);
      Runnable writing = () -> numbered(first, first + 20).forEach(memory::add);
      writers.add(CompletableFuture.runAsync(writing));
    }
    writers.forEach(CompletableFuture::join);
    List<String> texts = log("raced").stream().map(Message::getText).toList();
    for (ChatMessage message : numbered(0, 20)) assertTrue(texts.contains(text(message)));
    for (ChatMessage message : numbered(100, 120)) assertTrue(texts.contains(text(message)));
    assertTrue(store.getMessages("raced").size() <= 5);
    assertEquals(store.getMessages("raced").size(), window("raced").size());
  }

  @Test
  void erasesUsersAndRefusesWhatIsTooLarge() {
    var named =
        MemorySidecarChatMemoryStore.builder(client)
            .session(id -> Session.newBuilder().setUserId("ana").setSessionId("ana/" + id).build())
            .build();
    named.updateMessagesAsync(1, numbered(0, 3)).join();
    assertEquals(numbered(0, 3), named.getMessagesAsync(1).join());
    server.erase("ana");
    assertEquals(List.of(), named.getMessages(1));
    named.deleteMessagesAsync(1).join();
    var large = List.<ChatMessage>of(UserMessage.from("x".repeat(600_000)));
    var error =
        assertThrows(MemorySidecarException.class, () -> store.updateMessages("large", large));
    assertTrue(error.getMessage().contains("provider_payload"));
    assertTrue(
        client.listSessions(ListSessionsRequest.getDefaultInstance()).stream()
            .noneMatch(session -> session.getSessionId().equals("large")));
  }

  private record Step(int memory, String kind, List<ChatMessage> messages) {}

  @Tag("newest")
  @Test
  void isLikeTheStoreInMemory() {
    new Comparison<>("LangChain4j (Java)", "chat memory store", 2000, this::draw, this::pair).run();
  }

  private Step draw(Random random) {
    int memory = random.nextInt(3);
    int kind = random.nextInt(20);
    if (kind == 0) return new Step(memory, "clear", List.of());
    // The framework refuses an empty list.
    if (kind == 1 && random.nextInt(3) == 0) return new Step(memory, "set", List.of());
    int count = kind < 3 ? 1 + random.nextInt(8) : 1;
    List<ChatMessage> kinds = Samples.everyKind();
    List<ChatMessage> drawn = new ArrayList<>();
    for (int at = 0; at < count; at++) {
      drawn.add(
          random.nextBoolean()
              ? kinds.get(random.nextInt(kinds.size()))
              : random.nextInt(6) == 0
                  ? SystemMessage.from("s" + random.nextInt(3))
                  : UserMessage.from("m" + random.nextInt(5)));
    }
    return new Step(memory, kind < 3 ? "set" : "add", drawn);
  }

  private Comparison.Pair<Step> pair() {
    String prefix = UUID.randomUUID().toString();
    List<ChatMemory> theirs = new ArrayList<>();
    List<ChatMemory> ours = new ArrayList<>();
    var inMemory = new InMemoryChatMemoryStore();
    for (int number = 0; number < 3; number++) {
      for (boolean isOurs : List.of(false, true)) {
        (isOurs ? ours : theirs)
            .add(
                MessageWindowChatMemory.builder()
                    .id(prefix + number)
                    .maxMessages(3 + 2 * number)
                    .alwaysKeepSystemMessageFirst(number == 1)
                    .chatMemoryStore(isOurs ? store : inMemory)
                    .build());
      }
    }
    return new Comparison.Pair<>(step -> play(theirs, step), step -> play(ours, step));
  }

  private static Object play(List<ChatMemory> memories, Step step) {
    ChatMemory memory = memories.get(step.memory);
    if (step.kind.equals("clear")) memory.clear();
    if (step.kind.equals("set")) memory.set(step.messages);
    if (step.kind.equals("add")) step.messages.forEach(memory::add);
    return memory.messages();
  }

  private static String text(ChatMessage message) {
    return message instanceof UserMessage user ? user.singleText() : "system";
  }

  private static List<String> texts(List<ChatMessage> messages) {
    return messages.stream().map(ChatMemoryStoreTest::text).toList();
  }
}
