package io.memorysidecar.langchain4j;

import com.google.protobuf.ByteString;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ChatMessageDeserializer;
import dev.langchain4j.data.message.ChatMessageSerializer;
import dev.langchain4j.data.message.Content;
import dev.langchain4j.data.message.CustomMessage;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import io.memorysidecar.client.Messages;
import io.memorysidecar.client.adapter.Names;
import io.memorysidecar.v1.ContentPart;
import io.memorysidecar.v1.Image;
import io.memorysidecar.v1.Message;
import io.memorysidecar.v1.ProviderPayload;
import io.memorysidecar.v1.Role;
import io.memorysidecar.v1.ToolCall;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Messages of LangChain4j as messages of a log.
 *
 * <p>The JSON of the framework is the payload of a message, and reads give that back. Text, images
 * and calls are copied out of it, so that windows, recall and extraction see them.
 */
final class ChatMessages {
  static final String PROVIDER = "langchain4j";
  private static final int MAX_CALLS = 128;
  private static final int MAX_PARTS = 256;
  private static final int MAX_URL_BYTES = 8_192;

  private ChatMessages() {}

  /** Makes the message that keeps one of the framework. */
  static Message toStored(ChatMessage message) {
    String json = ChatMessageSerializer.messageToJson(message);
    return contentOf(message)
        .setProviderPayload(
            ProviderPayload.newBuilder()
                .setProvider(PROVIDER)
                .setMediaType("application/json")
                .setData(ByteString.copyFromUtf8(json)))
        .build();
  }

  /**
   * Gives the message that a stored one keeps. One that the server or another program wrote, such as
   * a summary in a window, becomes a message with its text and its calls.
   */
  static ChatMessage fromStored(Message message) {
    if (message.getProviderPayload().getProvider().equals(PROVIDER)) {
      String json = message.getProviderPayload().getData().toStringUtf8();
      return ChatMessageDeserializer.messageFromJson(json);
    }
    String text = Messages.textOf(message);
    if (message.getRole() == Role.ROLE_SYSTEM) return SystemMessage.from(text.isEmpty() ? " " : text);
    if (message.getRole() == Role.ROLE_TOOL) {
      return ToolExecutionResultMessage.from(message.getToolCallId(), message.getName(), text);
    }
    if (message.getRole() == Role.ROLE_USER) return UserMessage.from(text.isEmpty() ? " " : text);
    List<ToolExecutionRequest> calls =
        Messages.callsOf(message).stream()
            .map(
                call ->
                    ToolExecutionRequest.builder()
                        .id(call.getToolCallId())
                        .name(call.getName())
                        .arguments(call.getArguments())
                        .build())
            .toList();
    return calls.isEmpty() ? AiMessage.from(text) : AiMessage.from(text, calls);
  }

  private static Message.Builder contentOf(ChatMessage message) {
    Message.Builder stored = Message.newBuilder();
    if (message instanceof SystemMessage system) {
      return stored.setRole(Role.ROLE_SYSTEM).setText(system.text());
    }
    if (message instanceof UserMessage user) {
      if (Names.isName(user.name())) stored.setName(user.name());
      return contentOf(user.contents(), stored.setRole(Role.ROLE_USER));
    }
    if (message instanceof ToolExecutionResultMessage result) {
      if (Names.isName(result.id())) stored.setToolCallId(result.id());
      if (Names.isName(result.toolName())) stored.setName(result.toolName());
      stored.setToolError(Boolean.TRUE.equals(result.isError()));
      return contentOf(result.contents(), stored.setRole(Role.ROLE_TOOL));
    }
    if (message instanceof AiMessage answer) {
      if (answer.text() != null) stored.setText(answer.text());
      return stored.setRole(Role.ROLE_ASSISTANT).addAllToolCalls(calls(answer));
    }
    // Only the model of the framework reads a custom message.
    return stored.setRole(
        message instanceof CustomMessage ? Role.ROLE_USER : Role.ROLE_ASSISTANT);
  }

  /**
   * The calls that the server can hold: those of one id once. Some models give no ids; results
   * without one answer the calls before them.
   */
  private static List<ToolCall> calls(AiMessage answer) {
    Map<String, ToolCall> calls = new LinkedHashMap<>();
    for (ToolExecutionRequest call : answer.toolExecutionRequests()) {
      if (!Names.isName(call.name()) || calls.size() == MAX_CALLS) continue;
      String id = Names.isName(call.id()) ? call.id() : "call-" + calls.size();
      String arguments = call.arguments() == null ? "" : call.arguments();
      calls.putIfAbsent(id, Messages.call(id, call.name(), arguments));
    }
    return List.copyOf(calls.values());
  }

  private static Message.Builder contentOf(List<Content> contents, Message.Builder stored) {
    List<ContentPart> parts =
        contents.stream().map(ChatMessages::partOf).filter(part -> part != null).toList();
    boolean hasImages = parts.stream().anyMatch(ContentPart::hasImage);
    if (hasImages && parts.size() <= MAX_PARTS) return stored.addAllParts(parts);
    String text =
        parts.stream()
            .filter(ContentPart::hasText)
            .map(ContentPart::getText)
            .collect(Collectors.joining("\n"));
    return stored.setText(text);
  }

  private static ContentPart partOf(Content content) {
    if (content instanceof TextContent text) {
      return ContentPart.newBuilder().setText(text.text()).build();
    }
    if (content instanceof ImageContent image && image.image().url() != null) {
      String url = image.image().url().toString();
      if (url.getBytes(StandardCharsets.UTF_8).length > MAX_URL_BYTES) return null;
      return ContentPart.newBuilder().setImage(Image.newBuilder().setUrl(url)).build();
    }
    return null;
  }
}
