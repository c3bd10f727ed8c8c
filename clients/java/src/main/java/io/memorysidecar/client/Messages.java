package io.memorysidecar.client;

import io.memorysidecar.v1.Message;
import io.memorysidecar.v1.Role;
import io.memorysidecar.v1.ToolCall;
import java.util.List;

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

  private static Message.Builder message(Role role, String text) {
    return Message.newBuilder().setRole(role).setText(text);
  }
}
