package io.memorysidecar.client;

import io.memorysidecar.v1.ContentPart;
import io.memorysidecar.v1.Message;
import io.memorysidecar.v1.Role;
import io.memorysidecar.v1.ToolCall;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Short ways to write messages. */
public final class Messages {
  private Messages() {}

  /** A message of the user. */
  public static Message user(String text) {
    return message(Role.ROLE_USER, text).build();
  }

  /** A message with instructions for the model. */
  public static Message system(String text) {
    return message(Role.ROLE_SYSTEM, text).build();
  }

  /** An answer of the model, with the tools that it calls. */
  public static Message assistant(String text, ToolCall... calls) {
    return message(Role.ROLE_ASSISTANT, text).addAllToolCalls(List.of(calls)).build();
  }

  /** A call of a tool. The arguments are JSON, as the model wrote them. */
  public static ToolCall call(String toolCallId, String name, String arguments) {
    return ToolCall.newBuilder()
        .setToolCallId(toolCallId)
        .setName(name)
        .setArguments(arguments)
        .build();
  }

  /** The result of a call of a tool. */
  public static Message tool(String toolCallId, String text) {
    return message(Role.ROLE_TOOL, text).setToolCallId(toolCallId).build();
  }

  /** The text of a message, those of its parts joined by line breaks. */
  public static String textOf(Message message) {
    return textOf(message.getText(), message.getPartsList());
  }

  /** The calls of a message, wherever they stand in it. */
  public static List<ToolCall> callsOf(Message message) {
    return Stream.concat(
            message.getToolCallsList().stream(),
            message.getPartsList().stream()
                .filter(ContentPart::hasToolCall)
                .map(ContentPart::getToolCall))
        .toList();
  }

  private static String textOf(String text, List<ContentPart> parts) {
    return Stream.concat(Stream.of(text), parts.stream().map(Messages::textOf))
        .filter(one -> !one.isEmpty())
        .collect(Collectors.joining("\n"));
  }

  private static String textOf(ContentPart part) {
    var result = part.getToolResult();
    return part.hasToolResult()
        ? textOf(result.getText(), result.getPartsList())
        : part.getText();
  }

  private static Message.Builder message(Role role, String text) {
    return Message.newBuilder().setRole(role).setText(text);
  }
}
