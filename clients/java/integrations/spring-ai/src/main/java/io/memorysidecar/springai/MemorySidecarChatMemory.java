package io.memorysidecar.springai;

import io.memorysidecar.client.MemorySidecar;
import io.memorysidecar.client.adapter.MessageWindow;
import io.memorysidecar.v1.Session;
import java.util.List;
import java.util.function.Function;
import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.messages.Message;
import org.springframework.util.Assert;

/**
 * A chat memory whose windows the server keeps, by the policy of each session: within a budget of
 * tokens, with tool calls and their results whole, and with the summary of what left.
 *
 * <p>Adding messages is one append, so several writers lose nothing. The log keeps every message. A
 * conversation holds one system message; another one takes its place, and the text of the old one is
 * gone.
 */
public final class MemorySidecarChatMemory implements ChatMemory {
  private final MemorySidecar client;
  private final Function<String, Session> sessions;

  private MemorySidecarChatMemory(MemorySidecar client, Function<String, Session> sessions) {
    this.client = client;
    this.sessions = sessions;
  }

  /** Makes a memory whose sessions have the default policy. */
  public static MemorySidecarChatMemory of(MemorySidecar client) {
    return of(client, id -> Session.getDefaultInstance());
  }

  /**
   * Makes a memory. The function gives the session of a conversation its attributes when its first
   * message creates it: {@code policy}, {@code userId}, labels, ttl. An empty {@code sessionId} means
   * the id of the conversation.
   */
  public static MemorySidecarChatMemory of(
      MemorySidecar client, Function<String, Session> attributes) {
    return new MemorySidecarChatMemory(client, attributes);
  }

  /** Adds messages, all or none; at most 1,000 and 4 MiB. */
  @Override
  public void add(String conversationId, List<Message> messages) {
    Assert.notNull(messages, "messages cannot be null");
    Assert.noNullElements(messages, "messages cannot contain null elements");
    window(conversationId).append(messages.stream().map(ChatMessages::toStored).toList());
  }

  @Override
  public List<Message> get(String conversationId) {
    return window(conversationId).read().stream().map(ChatMessages::fromStored).toList();
  }

  /** Deletes the session with its log. */
  @Override
  public void clear(String conversationId) {
    window(conversationId).delete();
  }

  private MessageWindow window(String conversationId) {
    Assert.hasText(conversationId, "conversationId cannot be null or empty");
    Session session = sessions.apply(conversationId);
    return new MessageWindow(
        client,
        session.getSessionId().isEmpty()
            ? session.toBuilder().setSessionId(conversationId).build()
            : session);
  }
}
