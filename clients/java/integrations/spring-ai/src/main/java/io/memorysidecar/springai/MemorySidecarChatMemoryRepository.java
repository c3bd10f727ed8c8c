package io.memorysidecar.springai;

import io.memorysidecar.client.MemorySidecar;
import io.memorysidecar.client.adapter.MessageList;
import io.memorysidecar.v1.ListSessionsRequest;
import io.memorysidecar.v1.MetadataCondition;
import io.memorysidecar.v1.Session;
import io.memorysidecar.v1.SessionFilter;
import java.util.List;
import java.util.function.Function;
import org.springframework.ai.chat.memory.ChatMemoryRepository;
import org.springframework.ai.chat.messages.Message;
import org.springframework.util.Assert;

/**
 * A repository for the chat memories of Spring AI, such as {@code MessageWindowChatMemory}.
 *
 * <p>Each conversation is a session. What the chat memory drops leaves the window of the session,
 * which is an event, and stays in its log. Messages of all types come back, tool calls and responses
 * too, with metadata of the same types.
 */
public final class MemorySidecarChatMemoryRepository implements ChatMemoryRepository {
  private final MemorySidecar client;
  private final MessageList list;
  private final String prefix;
  private final Function<String, Session> sessions;

  private MemorySidecarChatMemoryRepository(Builder settings) {
    this.client = settings.client;
    this.list =
        new MessageList(
            client,
            ChatMessages.PROVIDER,
            message -> ChatMessages.toStored(ChatMessages.fromStored(message)));
    this.prefix = settings.prefix;
    this.sessions = settings.sessions;
  }

  /** Makes a repository with the defaults of its settings. */
  public static MemorySidecarChatMemoryRepository of(MemorySidecar client) {
    return builder(client).build();
  }

  /** Makes a repository with settings. */
  public static Builder builder(MemorySidecar client) {
    return new Builder(client);
  }

  /** The conversations that were saved through a repository with this prefix. */
  @Override
  public List<String> findConversationIds() {
    var isSaved = MetadataCondition.newBuilder().setPath(MessageList.LIST).setExists(true);
    SessionFilter.Builder filter = SessionFilter.newBuilder().addMetadata(isSaved);
    if (!prefix.isEmpty()) filter.setSessionIdPrefix(prefix);
    var request = ListSessionsRequest.newBuilder().setFilter(filter).setPageSize(1_000).build();
    return client.listSessions(request).stream()
        .map(session -> session.getSessionId().substring(prefix.length()))
        .toList();
  }

  @Override
  public List<Message> findByConversationId(String conversationId) {
    Assert.hasText(conversationId, "conversationId cannot be null or empty");
    return list.read(prefix + conversationId).stream().map(ChatMessages::fromStored).toList();
  }

  @Override
  public void saveAll(String conversationId, List<Message> messages) {
    Assert.hasText(conversationId, "conversationId cannot be null or empty");
    Assert.notNull(messages, "messages cannot be null");
    Assert.noNullElements(messages, "messages cannot contain null elements");
    Session session =
        sessions.apply(conversationId).toBuilder().setSessionId(prefix + conversationId).build();
    list.write(session, messages.stream().map(ChatMessages::toStored).toList());
  }

  /** Deletes the session, and with it what had left its window. */
  @Override
  public void deleteByConversationId(String conversationId) {
    Assert.hasText(conversationId, "conversationId cannot be null or empty");
    list.delete(prefix + conversationId);
  }

  /** The settings of a repository. */
  public static final class Builder {
    private final MemorySidecar client;
    private String prefix = "";
    private Function<String, Session> sessions = id -> Session.getDefaultInstance();

    private Builder(MemorySidecar client) {
      this.client = client;
    }

    /** Begins the id of each session; the conversation id follows. Default: empty. */
    public Builder prefix(String value) {
      prefix = value;
      return this;
    }

    /**
     * Gives the session of a conversation its attributes, such as {@code userId}, labels and ttl,
     * when the repository creates it. Its id and its policy are ignored.
     */
    public Builder session(Function<String, Session> attributes) {
      sessions = attributes;
      return this;
    }

    /** Makes the repository. */
    public MemorySidecarChatMemoryRepository build() {
      return new MemorySidecarChatMemoryRepository(this);
    }
  }
}
