package io.memorysidecar.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.CustomMessage;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import java.util.List;
import java.util.Map;

/** Messages of every kind. */
final class Samples {
  private Samples() {}

  static ToolExecutionRequest call(String id) {
    return ToolExecutionRequest.builder().id(id).name("look").arguments("{\"a\": 1}").build();
  }

  static ChatMessage result(String id, String text) {
    return ToolExecutionResultMessage.from(id, "look", text);
  }

  static List<ChatMessage> everyKind() {
    return List.of(
        SystemMessage.from("Be brief."),
        UserMessage.from("Ana", "Grüße \uD83D\uDC4B"),
        UserMessage.from(
            TextContent.from("What is it?"),
            ImageContent.from("https://example.com/stork.png"),
            ImageContent.from("AAAA", "image/png")),
        AiMessage.from("I look.", List.of(call("c1"), call("c2"))),
        result("c1", "A stork."),
        result("c2", "A roof."),
        AiMessage.builder()
            .text("A stork.")
            .thinking("It has long legs.")
            .attributes(Map.of("signature", "s1"))
            .build(),
        // Some models give no ids, or the same one twice.
        AiMessage.from(ToolExecutionRequest.builder().name("look").arguments("{}").build()),
        ToolExecutionResultMessage.from(null, "look", "Nothing."),
        AiMessage.from(call("c3"), call("c3")),
        CustomMessage.from(Map.of("kind", "note", "text", "Remember the roof.")));
  }
}
