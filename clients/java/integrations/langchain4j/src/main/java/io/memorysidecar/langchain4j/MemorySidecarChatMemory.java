package io.memorysidecar.langchain4j;

import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.memory.ChatMemory;
import io.memorysidecar.client.MemorySidecar;
import io.memorysidecar.client.MemorySidecarException;
import io.memorysidecar.v1.AllMessages;
import io.memorysidecar.v1.AppendMessagesRequest;
import io.memorysidecar.v1.DeleteSessionRequest;
import io.memorysidecar.v1.ErrorReason;
import io.memorysidecar.v1.Message;
import io.memorysidecar.v1.OnExistingMessage;
import io.memorysidecar.v1.ReplaceMessagesRequest;
import io.memorysidecar.v1.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

/**
 * A chat memory whose window the server keeps, by the policy of its session: within a budget of
 * tokens, with tool calls and their results whole, and with the summary of what left.
 *
 * <p>Adding a message is one append, so several writers lose nothing. The log keeps every message.
 * The memory holds one system message; another one takes its place, and the text of the old one is
 * gone.
 */
public final class MemorySidecarChatMemory implements ChatMemory {
  private static final String SYSTEM_ID = "langchain4j.system";

  private final MemorySidecar client;
  private final Object id;
  private final Session attributes;
  private final Executor executor;

  private MemorySidecarChatMemory(Builder settings) {
    this.client = settings.client;
    this.id = settings.id;
    this.attributes = Sessions.attributes(ignored -> settings.session, settings.id);
    this.executor = settings.executor;
  }

  /** Makes a memory with the default policy. */
  public static MemorySidecarChatMemory of(MemorySidecar client, Object id) {
    return builder(client, id).build();
  }

  /** Makes a memory with settings. */
  public static Builder builder(MemorySidecar client, Object id) {
    return new Builder(client, id);
  }

  @Override
  public Object id() {
    return id;
  }

  @Override
  public void add(ChatMessage message) {
    add(List.of(message));
  }

  /** Adds messages, all or none; at most 1,000 and 4 MiB. */
  @Override
  public void add(Iterable<ChatMessage> messages) {
    List<Message> stored = stored(messages);
    if (stored.isEmpty()) return;
    client
        .sessions()
        .appendMessages(
            AppendMessagesRequest.newBuilder()
                .setSessionId(attributes.getSessionId())
                .addAllMessages(stored)
                .setOnExisting(OnExistingMessage.ON_EXISTING_MESSAGE_UPDATE)
                .setCreateSession(true)
                .setSession(attributes)
                .build());
  }

  /** Replaces all messages, also those in the log, in one transaction. */
  @Override
  public void set(Iterable<ChatMessage> messages) {
    List<Message> stored = stored(messages);
    if (stored.isEmpty()) throw new IllegalArgumentException("messages must not be empty");
    client.ensureSession(attributes);
    client
        .sessions()
        .replaceMessages(
            ReplaceMessagesRequest.newBuilder()
                .setSessionId(attributes.getSessionId())
                .addAllMessages(stored)
                .setAll(AllMessages.getDefaultInstance())
                .build());
  }

  /** The window. */
  @Override
  public List<ChatMessage> messages() {
    try {
      return client.window(attributes.getSessionId()).getMessagesList().stream()
          .map(ChatMessages::fromStored)
          .toList();
    } catch (MemorySidecarException error) {
      if (error.hasReason(ErrorReason.ERROR_REASON_SESSION_NOT_FOUND)) return List.of();
      throw error;
    }
  }

  /** Deletes the session with its log. */
  @Override
  public void clear() {
    client
        .sessions()
        .deleteSession(
            DeleteSessionRequest.newBuilder()
                .setSessionId(attributes.getSessionId())
                .setAllowMissing(true)
                .build());
  }

  @Override
  public CompletableFuture<Void> addAsync(List<ChatMessage> messages) {
    List<ChatMessage> now = List.copyOf(messages);
    return CompletableFuture.runAsync(() -> add(now), executor);
  }

  @Override
  public CompletableFuture<Void> setAsync(List<ChatMessage> messages) {
    List<ChatMessage> now = List.copyOf(messages);
    return CompletableFuture.runAsync(() -> set(now), executor);
  }

  @Override
  public CompletableFuture<List<ChatMessage>> messagesAsync() {
    return CompletableFuture.supplyAsync(this::messages, executor);
  }

  /** The last of several system messages counts; it stands where the first one does. */
  private static List<Message> stored(Iterable<ChatMessage> messages) {
    List<Message> stored = new ArrayList<>();
    int system = -1;
    for (ChatMessage message : messages) {
      Message one = ChatMessages.toStored(message);
      if (!(message instanceof SystemMessage)) {
        stored.add(one);
        continue;
      }
      Message named = one.toBuilder().setMessageId(SYSTEM_ID).build();
      if (system >= 0) {
        stored.set(system, named);
      } else {
        system = stored.size();
        stored.add(named);
      }
    }
    return stored;
  }

  /** The settings of a memory. */
  public static final class Builder {
    private final MemorySidecar client;
    private final Object id;
    private Session session = Session.getDefaultInstance();
    private Executor executor = ForkJoinPool.commonPool();

    private Builder(MemorySidecar client, Object id) {
      this.client = client;
      this.id = id;
    }

    /**
     * Sets the attributes of the session that the first message creates: {@code policy}, {@code
     * userId}, labels, ttl. An empty {@code sessionId} means the id of the memory as a text.
     */
    public Builder session(Session attributes) {
      session = attributes;
      return this;
    }

    /** Runs the asynchronous methods, which wait for the server. Default: the common pool. */
    public Builder executor(Executor value) {
      executor = value;
      return this;
    }

    /** Makes the memory. */
    public MemorySidecarChatMemory build() {
      return new MemorySidecarChatMemory(this);
    }
  }
}
