package io.memorysidecar.langchain4j;

import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.memory.ChatMemory;
import io.memorysidecar.client.MemorySidecar;
import io.memorysidecar.client.adapter.MessageWindow;
import io.memorysidecar.v1.Message;
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
  private final MessageWindow window;
  private final Object id;
  private final Executor executor;

  private MemorySidecarChatMemory(Builder settings) {
    Session attributes = Sessions.attributes(ignored -> settings.session, settings.id);
    this.window = new MessageWindow(settings.client, attributes);
    this.id = settings.id;
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
    window.append(stored(messages));
  }

  /** Replaces all messages, also those in the log, in one transaction. */
  @Override
  public void set(Iterable<ChatMessage> messages) {
    List<Message> stored = stored(messages);
    if (stored.isEmpty()) throw new IllegalArgumentException("messages must not be empty");
    window.replace(stored);
  }

  /** The window. */
  @Override
  public List<ChatMessage> messages() {
    return window.read().stream().map(ChatMessages::fromStored).toList();
  }

  /** Deletes the session with its log. */
  @Override
  public void clear() {
    window.delete();
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

  private static List<Message> stored(Iterable<ChatMessage> messages) {
    List<Message> stored = new ArrayList<>();
    for (ChatMessage message : messages) stored.add(ChatMessages.toStored(message));
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
