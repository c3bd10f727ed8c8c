package io.memorysidecar.langchain4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.memory.ChatMemory;
import dev.langchain4j.memory.chat.MessageWindowChatMemory;
import dev.langchain4j.model.chat.mock.ChatModelMock;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.service.AiServices;
import io.memorysidecar.client.MemorySidecar;
import io.memorysidecar.client.Policies;
import io.memorysidecar.testing.TestServer;
import io.memorysidecar.v1.ListMessagesRequest;
import io.memorysidecar.v1.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The chat memory with the server's window, and agents over both memories. */
class ChatMemoryTest {
  private static TestServer server;
  private static MemorySidecar client;

  @BeforeAll
  static void start() {
    server = TestServer.start();
    client = server.client();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static int logSize(String session) {
    var request = ListMessagesRequest.newBuilder().setSessionId(session).build();
    return (int) client.listMessages(request).stream().count();
  }

  @Test
  void givesTheWindowOfThePolicy() {
    ChatMemory memory =
        MemorySidecarChatMemory.builder(client, "window")
            .session(
                Session.newBuilder()
                    .setPolicy(Policies.preset("token_budget", Map.of("max_tokens", 60)))
                    .build())
            .build();
    assertEquals(List.of(), memory.messages());
    memory.add(SystemMessage.from("Be brief."));
    for (int turn = 0; turn < 10; turn++) {
      memory.add(
          UserMessage.from("Where is stork " + turn + "?"),
          AiMessage.from(Samples.call("c" + turn)),
          Samples.result("c" + turn, "On the roof."),
          AiMessage.from("It is on the roof."));
    }
    List<ChatMessage> window = memory.messages();
    assertTrue(window.size() < 20);
    assertEquals(SystemMessage.from("Be brief."), window.get(0));
    assertEquals(
        window.stream()
            .filter(one -> one instanceof AiMessage ai && ai.hasToolExecutionRequests())
            .count(),
        window.stream().filter(ToolExecutionResultMessage.class::isInstance).count());
    assertEquals(41, logSize("window"));
    // The same instructions are no news; others take their place.
    memory.add(SystemMessage.from("Be brief."));
    memory.add(SystemMessage.from("Be kind."), SystemMessage.from("Be kinder."));
    assertEquals(SystemMessage.from("Be kinder."), memory.messages().get(0));
    assertEquals(41, logSize("window"));
    memory.set(Samples.everyKind());
    assertEquals(Samples.everyKind().size(), logSize("window"));
    assertEquals(Samples.everyKind(), memory(client, "set", Samples.everyKind()));
    assertThrows(IllegalArgumentException.class, () -> memory.set(List.of()));
    memory.clear();
    memory.clear();
    assertEquals(List.of(), memory.messages());
  }

  private static List<ChatMessage> memory(MemorySidecar client, String id, List<ChatMessage> all) {
    var memory = MemorySidecarChatMemory.of(client, id);
    memory.setAsync(all.subList(0, 2)).join();
    memory.addAsync(all.subList(2, all.size())).join();
    return memory.messagesAsync().join();
  }

  @Test
  void losesNothingWhenTwoWrite() {
    List<CompletableFuture<?>> writers = new ArrayList<>();
    for (int writer = 0; writer < 2; writer++) {
      String name = "w" + writer;
      ChatMemory memory = MemorySidecarChatMemory.of(client, "shared");
      writers.add(
          CompletableFuture.runAsync(
              () -> {
                for (int at = 0; at < 20; at++) memory.add(UserMessage.from(name + "-" + at));
              }));
    }
    writers.forEach(CompletableFuture::join);
    assertEquals(40, logSize("shared"));
    assertEquals(40, MemorySidecarChatMemory.of(client, "shared").messages().size());
  }

  interface Assistant {
    String chat(String text);
  }

  /** A tool whose server dies while it works. */
  static final class Storks {
    private final Runnable during;

    Storks(Runnable during) {
      this.during = during;
    }

    @Tool
    String look(String place) {
      during.run();
      return "Storks at " + place + ".";
    }
  }

  /** Calls the tool for each question, then answers with its result. */
  private static AiMessage answer(ChatRequest request) {
    List<ChatMessage> messages = request.messages();
    ChatMessage last = messages.get(messages.size() - 1);
    if (last instanceof ToolExecutionResultMessage result) return AiMessage.from(result.text());
    String place = ((UserMessage) last).singleText();
    var call =
        ToolExecutionRequest.builder()
            .id("c-" + place)
            .name("look")
            .arguments("{\"arg0\": \"" + place + "\", \"place\": \"" + place + "\"}")
            .build();
    return AiMessage.from(call);
  }

  @Tag("newest")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void servesAnAgentWhoseServerIsKilled(boolean isWindowed) throws Exception {
    String id = "agent-" + isWindowed;
    Session ana = Session.newBuilder().setUserId("ana").build();
    ChatMemory memory =
        isWindowed
            ? MemorySidecarChatMemory.builder(client, id).session(ana).build()
            : MessageWindowChatMemory.builder()
                .id(id)
                .maxMessages(8)
                .chatMemoryStore(
                    MemorySidecarChatMemoryStore.builder(client).session(any -> ana).build())
                .build();
    List<Thread> restarts = new ArrayList<>();
    Assistant assistant =
        AiServices.builder(Assistant.class)
            .chatModel(new ChatModelMock(ChatMemoryTest::answer))
            .chatMemory(memory)
            .tools(
                new Storks(
                    () -> {
                      if (restarts.isEmpty()) restarts.add(server.killAndRestart());
                    }))
            .build();
    for (int turn = 0; turn < 3; turn++) {
      assertEquals("Storks at roof" + turn + ".", assistant.chat("roof" + turn));
    }
    for (Thread restart : restarts) restart.join();
    assertEquals(12, logSize(id));
    assertEquals(isWindowed ? 12 : 8, memory.messages().size());
    server.erase("ana");
    assertEquals(List.of(), memory.messages());
  }
}
