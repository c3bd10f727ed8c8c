package io.memorysidecar.springai;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.client.advisor.MessageChatMemoryAdvisor;
import org.springframework.ai.chat.client.advisor.ToolCallingAdvisor;
import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.memory.MessageWindowChatMemory;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.SystemMessage;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.ai.tool.annotation.Tool;

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
    var budget = Policies.preset("token_budget", Map.of("max_tokens", 60));
    ChatMemory memory =
        MemorySidecarChatMemory.of(client, id -> Session.newBuilder().setPolicy(budget).build());
    assertEquals(List.of(), memory.get("window"));
    memory.add("window", new SystemMessage("Be brief."));
    for (int turn = 0; turn < 10; turn++) {
      memory.add(
          "window",
          List.of(
              new UserMessage("Where is stork " + turn + "?"),
              Samples.calling("c" + turn),
              Samples.responding("c" + turn),
              new AssistantMessage("It is on the roof.")));
    }
    List<Message> window = memory.get("window");
    assertTrue(window.size() < 20);
    assertEquals(new SystemMessage("Be brief."), window.get(0));
    assertEquals(
        window.stream()
            .filter(one -> one instanceof AssistantMessage answer && answer.hasToolCalls())
            .count(),
        window.stream().filter(ToolResponseMessage.class::isInstance).count());
    memory.add("window", new SystemMessage("Be kind."));
    assertEquals(new SystemMessage("Be kind."), memory.get("window").get(0));
    assertEquals(41, logSize("window"));
    memory.clear("window");
    memory.clear("window");
    assertEquals(List.of(), memory.get("window"));
    assertThrows(IllegalArgumentException.class, () -> memory.get(" "));
  }

  @Test
  void losesNothingWhenTwoWrite() {
    ChatMemory memory = MemorySidecarChatMemory.of(client);
    List<CompletableFuture<?>> writers = new ArrayList<>();
    for (int writer = 0; writer < 2; writer++) {
      String name = "w" + writer;
      writers.add(
          CompletableFuture.runAsync(
              () -> {
                for (int at = 0; at < 20; at++) {
                  memory.add("shared", new UserMessage(name + "-" + at));
                }
              }));
    }
    writers.forEach(CompletableFuture::join);
    assertEquals(40, memory.get("shared").size());
  }

  /** Calls the tool for each question, then answers with its result. */
  private static final class ScriptedModel implements ChatModel {
    @Override
    public ChatResponse call(Prompt prompt) {
      List<Message> messages = prompt.getInstructions();
      Message last = messages.get(messages.size() - 1);
      AssistantMessage answer =
          last instanceof ToolResponseMessage results
              ? new AssistantMessage(results.getResponses().get(0).responseData())
              : AssistantMessage.builder()
                  .content("")
                  .toolCalls(
                      List.of(
                          new AssistantMessage.ToolCall(
                              "c-" + last.getText(),
                              "function",
                              "look",
                              // The name of the parameter, with and without names in classes.
                              "{\"place\": \"%1$s\", \"arg0\": \"%1$s\"}"
                                  .formatted(last.getText()))))
                  .build();
      return new ChatResponse(List.of(new Generation(answer)));
    }

    @Override
    public ChatOptions getOptions() {
      return ToolCallingChatOptions.builder().build();
    }
  }

  /** A tool whose server dies while it works. */
  static final class Storks {
    private final Runnable during;

    Storks(Runnable during) {
      this.during = during;
    }

    @Tool(description = "Looks at a place.")
    String look(String place) {
      during.run();
      return "Storks at " + place + ".";
    }
  }

  @Tag("newest")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void servesAnAgentWhoseServerIsKilled(boolean isWindowed) throws Exception {
    String id = "agent-" + isWindowed;
    Session ana = Session.newBuilder().setUserId("ana").build();
    ChatMemory memory =
        isWindowed
            ? MemorySidecarChatMemory.of(client, any -> ana)
            : MessageWindowChatMemory.builder()
                .maxMessages(8)
                .chatMemoryRepository(
                    MemorySidecarChatMemoryRepository.builder(client).session(any -> ana).build())
                .build();
    List<Thread> restarts = new ArrayList<>();
    Runnable killOnce =
        () -> {
          if (restarts.isEmpty()) restarts.add(server.killAndRestart());
        };
    ChatClient agent =
        ChatClient.builder(new ScriptedModel())
            .defaultAdvisors(
                ToolCallingAdvisor.builder().disableInternalConversationHistory().build(),
                MessageChatMemoryAdvisor.builder(memory)
                    .order(ToolCallingAdvisor.DEFAULT_ORDER + 1)
                    .build())
            .defaultTools(new Storks(killOnce))
            .build();
    for (int turn = 0; turn < 3; turn++) {
      String place = "roof" + turn;
      String answer =
          agent
              .prompt(place)
              .advisors(advisor -> advisor.param(ChatMemory.CONVERSATION_ID, id))
              .call()
              .content();
      assertTrue(answer.contains("Storks at " + place + "."), answer);
    }
    for (Thread restart : restarts) restart.join();
    assertEquals(12, logSize(id));
    assertEquals(isWindowed ? 12 : 8, memory.get(id).size());
    server.erase("ana");
    assertEquals(List.of(), memory.get(id));
  }
}
