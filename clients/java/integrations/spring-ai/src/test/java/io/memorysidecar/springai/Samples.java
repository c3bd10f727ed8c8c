package io.memorysidecar.springai;

import java.math.BigDecimal;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.SystemMessage;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.content.Media;

/** Messages of every type. */
final class Samples {
  private Samples() {}

  static AssistantMessage.ToolCall call(String id) {
    return new AssistantMessage.ToolCall(id, "function", "look", "{\"a\": 1}");
  }

  static AssistantMessage calling(String... ids) {
    return AssistantMessage.builder()
        .content("I look.")
        .toolCalls(Arrays.stream(ids).map(Samples::call).toList())
        .build();
  }

  static ToolResponseMessage responding(String... ids) {
    return ToolResponseMessage.builder()
        .responses(
            Arrays.stream(ids)
                .map(id -> new ToolResponseMessage.ToolResponse(id, "look", "Seen by " + id + "."))
                .toList())
        .build();
  }

  static Map<String, Object> metadata() {
    Map<String, Object> metadata = new HashMap<>();
    metadata.put("text", "Grüße \uD83D\uDC4B");
    metadata.put("flag", true);
    metadata.put("int", 1);
    metadata.put("long", 9007199254740993L);
    metadata.put("float", 0.1f);
    metadata.put("double", 1.0);
    metadata.put("decimal", new BigDecimal("1.10"));
    metadata.put("id", UUID.fromString("00000000-0000-0001-0000-000000000002"));
    metadata.put("instant", Instant.parse("2026-11-28T08:00:00.123456789Z"));
    metadata.put("day", LocalDate.of(2026, 11, 28));
    metadata.put("date", new Date(5));
    metadata.put("duration", Duration.ofMillis(5));
    metadata.put("uri", URI.create("https://example.com/a"));
    metadata.put("nothing", null);
    metadata.put("list", Arrays.asList(1L, "Integer", List.of(2), null));
    metadata.put("set", Set.of("a", "b"));
    metadata.put("map", Map.of("a", Map.of("b", 2)));
    return metadata;
  }

  static List<Message> everyType() {
    return List.of(
        SystemMessage.builder().text("Be brief.").metadata(Map.of("version", 2)).build(),
        UserMessage.builder()
            .text("What is it?")
            .metadata(metadata())
            .media(
                Media.builder()
                    .mimeType(Media.Format.IMAGE_PNG)
                    .data(URI.create("https://example.com/stork.png"))
                    .name("stork")
                    .build())
            .build(),
        calling("c1", "c2"),
        responding("c1", "c2"),
        AssistantMessage.builder()
            .content("A stork.")
            .properties(Map.of("finishReason", "STOP", "index", 0))
            .build(),
        calling("c3"),
        responding("c3"),
        calling("", ""),
        responding(""),
        AssistantMessage.builder().content(null).toolCalls(List.of(call("c4"), call("c4"))).build());
  }
}
