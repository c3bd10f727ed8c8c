package io.memorysidecar.langchain4j;

import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.store.memory.chat.ChatMemoryStore;
import io.memorysidecar.client.MemorySidecar;
import io.memorysidecar.client.adapter.MessageList;
import io.memorysidecar.v1.Session;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Function;

/**
 * A store for the chat memories of LangChain4j, such as {@code MessageWindowChatMemory}.
 *
 * <p>Each memory is a session. What the chat memory evicts leaves the window of the session, which is
 * an event, and stays in its log. Messages come back as the framework's own JSON.
 */
public final class MemorySidecarChatMemoryStore implements ChatMemoryStore {
  private final MessageList list;
  private final Function<Object, Session> sessions;
  private final Executor executor;

  private MemorySidecarChatMemoryStore(Builder settings) {
    this.list =
        new MessageList(
            settings.client,
            ChatMessages.PROVIDER,
            message -> ChatMessages.toStored(ChatMessages.fromStored(message)));
    this.sessions = settings.sessions;
    this.executor = settings.executor;
  }

  /** Makes a store with the defaults of its settings. */
  public static MemorySidecarChatMemoryStore of(MemorySidecar client) {
    return builder(client).build();
  }

  /** Makes a store with settings. */
  public static Builder builder(MemorySidecar client) {
    return new Builder(client);
  }

  @Override
  public List<ChatMessage> getMessages(Object memoryId) {
    return list.read(attributes(memoryId).getSessionId()).stream()
        .map(ChatMessages::fromStored)
        .toList();
  }

  @Override
  public void updateMessages(Object memoryId, List<ChatMessage> messages) {
    list.write(attributes(memoryId), messages.stream().map(ChatMessages::toStored).toList());
  }

  /** Deletes the session, and with it what had left its window. */
  @Override
  public void deleteMessages(Object memoryId) {
    list.delete(attributes(memoryId).getSessionId());
  }

  @Override
  public CompletableFuture<List<ChatMessage>> getMessagesAsync(Object memoryId) {
    return CompletableFuture.supplyAsync(() -> getMessages(memoryId), executor);
  }

  @Override
  public CompletableFuture<Void> updateMessagesAsync(Object memoryId, List<ChatMessage> messages) {
    List<ChatMessage> now = List.copyOf(messages);
    return CompletableFuture.runAsync(() -> updateMessages(memoryId, now), executor);
  }

  @Override
  public CompletableFuture<Void> deleteMessagesAsync(Object memoryId) {
    return CompletableFuture.runAsync(() -> deleteMessages(memoryId), executor);
  }

  private Session attributes(Object memoryId) {
    return Sessions.attributes(sessions, memoryId);
  }

  /** The settings of a store. */
  public static final class Builder {
    private final MemorySidecar client;
    private Function<Object, Session> sessions = memoryId -> Session.getDefaultInstance();
    private Executor executor = ForkJoinPool.commonPool();

    private Builder(MemorySidecar client) {
      this.client = client;
    }

    /**
     * Gives the session of a memory id its attributes, such as {@code userId}, labels and ttl, when
     * the store creates it. An empty {@code sessionId} means the id as a text. The policy follows
     * the chat memory, and is ignored.
     */
    public Builder session(Function<Object, Session> attributes) {
      sessions = attributes;
      return this;
    }

    /** Runs the asynchronous methods, which wait for the server. Default: the common pool. */
    public Builder executor(Executor value) {
      executor = value;
      return this;
    }

    /** Makes the store. */
    public MemorySidecarChatMemoryStore build() {
      return new MemorySidecarChatMemoryStore(this);
    }
  }
}
