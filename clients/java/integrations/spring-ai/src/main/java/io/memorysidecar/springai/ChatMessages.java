package io.memorysidecar.springai;

import com.google.protobuf.ByteString;
import io.memorysidecar.client.Messages;
import io.memorysidecar.client.adapter.Names;
import io.memorysidecar.v1.ContentPart;
import io.memorysidecar.v1.Image;
import io.memorysidecar.v1.ProviderPayload;
import io.memorysidecar.v1.Role;
import io.memorysidecar.v1.ToolCall;
import io.memorysidecar.v1.ToolResult;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.ai.chat.messages.AbstractMessage;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.MessageType;
import org.springframework.ai.chat.messages.SystemMessage;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.content.Media;
import org.springframework.ai.content.MediaContent;
import org.springframework.util.MimeType;
import tools.jackson.databind.json.JsonMapper;

/**
 * Messages of Spring AI as messages of a log.
 *
 * <p>The framework has no JSON form of a message, so the payload is one of ours; reads give that
 * back. Text, images and calls are copied out of it, so that windows, recall and extraction see them.
 */
final class ChatMessages {
  static final String PROVIDER = "spring.ai";
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int MAX_CALLS = 128;
  private static final int MAX_RESULTS = 64;
  private static final int MAX_PARTS = 256;
  private static final int MAX_URL_BYTES = 8_192;

  private ChatMessages() {}

  /** Makes the message that keeps one of the framework. */
  static io.memorysidecar.v1.Message toStored(Message message) {
    return contentOf(message)
        .setProviderPayload(
            ProviderPayload.newBuilder()
                .setProvider(PROVIDER)
                .setMediaType("application/json")
                .setData(ByteString.copyFrom(JSON.writeValueAsBytes(fieldsOf(message)))))
        .build();
  }

  /**
   * Gives the message that a stored one keeps. One that the server or another program wrote, such as
   * a summary in a window, becomes a message with its text and its calls.
   */
  static Message fromStored(io.memorysidecar.v1.Message stored) {
    if (stored.getProviderPayload().getProvider().equals(PROVIDER)) {
      byte[] json = stored.getProviderPayload().getData().toByteArray();
      return messageOf(JSON.readValue(json, Map.class));
    }
    String text = Messages.textOf(stored);
    if (stored.getRole() == Role.ROLE_SYSTEM) return new SystemMessage(text);
    if (stored.getRole() == Role.ROLE_USER) return new UserMessage(text);
    if (stored.getRole() == Role.ROLE_TOOL) {
      var response =
          new ToolResponseMessage.ToolResponse(stored.getToolCallId(), stored.getName(), text);
      return ToolResponseMessage.builder().responses(List.of(response)).build();
    }
    List<AssistantMessage.ToolCall> calls =
        Messages.callsOf(stored).stream()
            .map(
                call ->
                    new AssistantMessage.ToolCall(
                        call.getToolCallId(), "function", call.getName(), call.getArguments()))
            .toList();
    return AssistantMessage.builder().content(text).toolCalls(calls).build();
  }

  private static Map<String, Object> fieldsOf(Message message) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("type", message.getMessageType().name());
    fields.put("text", message.getText());
    Map<String, Object> metadata = new LinkedHashMap<>(message.getMetadata());
    metadata.remove(AbstractMessage.MESSAGE_TYPE);
    fields.put("metadata", TypedValues.writeAll(metadata));
    if (message instanceof MediaContent content && !content.getMedia().isEmpty()) {
      fields.put("media", content.getMedia().stream().map(ChatMessages::fieldsOf).toList());
    }
    if (message instanceof AssistantMessage answer && answer.hasToolCalls()) {
      fields.put(
          "toolCalls",
          answer.getToolCalls().stream()
              .map(call -> list(call.id(), call.type(), call.name(), call.arguments()))
              .toList());
    }
    if (message instanceof ToolResponseMessage results) {
      fields.put(
          "responses",
          results.getResponses().stream()
              .map(one -> list(one.id(), one.name(), one.responseData()))
              .toList());
    }
    return fields;
  }

  private static Map<String, Object> fieldsOf(Media media) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("mimeType", media.getMimeType().toString());
    fields.put("id", media.getId());
    fields.put("name", media.getName());
    Object data = media.getData();
    if (data instanceof byte[] bytes) {
      fields.put("bytes", Base64.getEncoder().encodeToString(bytes));
    } else {
      fields.put(data instanceof URL ? "url" : "text", data.toString());
    }
    return fields;
  }

  private static List<String> list(String... texts) {
    List<String> list = new ArrayList<>();
    for (String text : texts) list.add(text);
    return list;
  }

  private static Message messageOf(Map<?, ?> fields) {
    MessageType type = MessageType.valueOf(String.valueOf(fields.get("type")));
    String text = (String) fields.get("text");
    Map<String, Object> metadata = TypedValues.readAll((Map<?, ?>) fields.get("metadata"));
    List<Media> media =
        listOf(fields, "media").stream().map(one -> mediaOf((Map<?, ?>) one)).toList();
    return switch (type) {
      case SYSTEM -> SystemMessage.builder().text(text).metadata(metadata).build();
      case USER -> UserMessage.builder().text(text).media(media).metadata(metadata).build();
      case ASSISTANT ->
          AssistantMessage.builder()
              .content(text)
              .properties(metadata)
              .media(media)
              .toolCalls(
                  listOf(fields, "toolCalls").stream()
                      .map(List.class::cast)
                      .map(
                          call ->
                              new AssistantMessage.ToolCall(
                                  text(call, 0), text(call, 1), text(call, 2), text(call, 3)))
                      .toList())
              .build();
      case TOOL ->
          ToolResponseMessage.builder()
              .metadata(metadata)
              .responses(
                  listOf(fields, "responses").stream()
                      .map(List.class::cast)
                      .map(
                          one ->
                              new ToolResponseMessage.ToolResponse(
                                  text(one, 0), text(one, 1), text(one, 2)))
                      .toList())
              .build();
    };
  }

  private static Media mediaOf(Map<?, ?> fields) {
    Media.Builder media =
        Media.builder()
            .mimeType(MimeType.valueOf(String.valueOf(fields.get("mimeType"))))
            .id((String) fields.get("id"))
            .name((String) fields.get("name"));
    if (fields.get("bytes") instanceof String bytes) {
      return media.data(Base64.getDecoder().decode(bytes)).build();
    }
    if (fields.get("text") instanceof String text) return dataOf(text, media).build();
    try {
      return media.data(URI.create(String.valueOf(fields.get("url"))).toURL()).build();
    } catch (MalformedURLException error) {
      throw new IllegalStateException(error);
    }
  }

  /** A URI is kept as its text. Spring AI 2.0.0 takes no other texts. */
  private static Media.Builder dataOf(String text, Media.Builder media) {
    try {
      return media.data(URI.create(text));
    } catch (IllegalArgumentException error) {
      return media.data(text);
    }
  }

  private static List<?> listOf(Map<?, ?> fields, String name) {
    return fields.get(name) instanceof List<?> list ? list : List.of();
  }

  private static String text(List<?> list, int at) {
    return (String) list.get(at);
  }

  private static io.memorysidecar.v1.Message.Builder contentOf(Message message) {
    var stored = io.memorysidecar.v1.Message.newBuilder();
    String text = message.getText() == null ? "" : message.getText();
    if (message instanceof ToolResponseMessage results) {
      return results(results.getResponses(), stored.setRole(Role.ROLE_TOOL));
    }
    if (message instanceof AssistantMessage answer) {
      return stored.setRole(Role.ROLE_ASSISTANT).setText(text).addAllToolCalls(calls(answer));
    }
    if (!(message instanceof UserMessage user)) {
      boolean isSystem = message.getMessageType() == MessageType.SYSTEM;
      return stored.setRole(isSystem ? Role.ROLE_SYSTEM : Role.ROLE_USER).setText(text);
    }
    List<ContentPart> images =
        user.getMedia().stream()
            .filter(media -> media.getMimeType().getType().equals("image"))
            .map(media -> media.getData().toString())
            .filter(url -> url.startsWith("http"))
            .filter(url -> url.getBytes(StandardCharsets.UTF_8).length <= MAX_URL_BYTES)
            .map(url -> ContentPart.newBuilder().setImage(Image.newBuilder().setUrl(url)).build())
            .toList();
    stored.setRole(Role.ROLE_USER);
    if (images.isEmpty() || images.size() >= MAX_PARTS) return stored.setText(text);
    return stored.addParts(ContentPart.newBuilder().setText(text)).addAllParts(images);
  }

  /** The calls that the server can hold: those of one id once. */
  private static List<ToolCall> calls(AssistantMessage answer) {
    Map<String, ToolCall> calls = new LinkedHashMap<>();
    for (AssistantMessage.ToolCall call : answer.getToolCalls()) {
      if (!Names.isName(call.name()) || calls.size() == MAX_CALLS) continue;
      String id = Names.isName(call.id()) ? call.id() : "call-" + calls.size();
      String arguments = call.arguments() == null ? "" : call.arguments();
      calls.putIfAbsent(id, Messages.call(id, call.name(), arguments));
    }
    return List.copyOf(calls.values());
  }

  private static io.memorysidecar.v1.Message.Builder results(
      List<ToolResponseMessage.ToolResponse> responses,
      io.memorysidecar.v1.Message.Builder stored) {
    if (responses.size() == 1) {
      var one = responses.get(0);
      if (Names.isName(one.id())) stored.setToolCallId(one.id());
      if (Names.isName(one.name())) stored.setName(one.name());
      return stored.setText(dataOf(one));
    }
    Map<String, ToolResult> results = new LinkedHashMap<>();
    for (var one : responses) {
      if (!Names.isName(one.id()) || results.size() == MAX_RESULTS) continue;
      var result = ToolResult.newBuilder().setToolCallId(one.id()).setText(dataOf(one));
      results.putIfAbsent(one.id(), result.build());
    }
    for (ToolResult result : results.values()) {
      stored.addParts(ContentPart.newBuilder().setToolResult(result));
    }
    return stored;
  }

  private static String dataOf(ToolResponseMessage.ToolResponse response) {
    return response.responseData() == null ? "" : response.responseData();
  }
}
