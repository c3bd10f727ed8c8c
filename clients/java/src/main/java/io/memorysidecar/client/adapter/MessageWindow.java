package io.memorysidecar.client.adapter;

import io.memorysidecar.client.MemorySidecar;
import io.memorysidecar.client.MemorySidecarException;
import io.memorysidecar.v1.AllMessages;
import io.memorysidecar.v1.AppendMessagesRequest;
import io.memorysidecar.v1.DeleteSessionRequest;
import io.memorysidecar.v1.ErrorReason;
import io.memorysidecar.v1.Message;
import io.memorysidecar.v1.OnExistingMessage;
import io.memorysidecar.v1.ReplaceMessagesRequest;
import io.memorysidecar.v1.Role;
import io.memorysidecar.v1.Session;
import java.util.ArrayList;
import java.util.List;

/**
 * A conversation whose window the server keeps, by the policy of its session.
 *
 * <p>It holds one system message; another one takes its place, and the text of the old one is gone.
 */
public final class MessageWindow {
  /** The id of the system message. */
  public static final String SYSTEM_ID = "system-prompt";

  private final MemorySidecar client;
  private final Session attributes;

  /** The first message creates the session with these attributes, which need a {@code sessionId}. */
  public MessageWindow(MemorySidecar client, Session attributes) {
    this.client = client;
    this.attributes = attributes;
  }

  /** Appends messages, all or none; at most 1,000 and 4 MiB. */
  public void append(List<Message> messages) {
    if (messages.isEmpty()) return;
    client
        .sessions()
        .appendMessages(
            AppendMessagesRequest.newBuilder()
                .setSessionId(attributes.getSessionId())
                .addAllMessages(named(messages))
                .setOnExisting(OnExistingMessage.ON_EXISTING_MESSAGE_UPDATE)
                .setCreateSession(true)
                .setSession(attributes)
                .build());
  }

  /** Replaces all messages, also those in the log, in one transaction. */
  public void replace(List<Message> messages) {
    client.ensureSession(attributes);
    client
        .sessions()
        .replaceMessages(
            ReplaceMessagesRequest.newBuilder()
                .setSessionId(attributes.getSessionId())
                .addAllMessages(named(messages))
                .setAll(AllMessages.getDefaultInstance())
                .build());
  }

  /** Gives the window; a session that does not exist has an empty one. */
  public List<Message> read() {
    try {
      return client.window(attributes.getSessionId()).getMessagesList();
    } catch (MemorySidecarException error) {
      if (error.hasReason(ErrorReason.ERROR_REASON_SESSION_NOT_FOUND)) return List.of();
      throw error;
    }
  }

  /** Deletes the session with its log; one that does not exist is no error. */
  public void delete() {
    client
        .sessions()
        .deleteSession(
            DeleteSessionRequest.newBuilder()
                .setSessionId(attributes.getSessionId())
                .setAllowMissing(true)
                .build());
  }

  /** The last of several system messages counts; it stands where the first one does. */
  private static List<Message> named(List<Message> messages) {
    List<Message> named = new ArrayList<>();
    int system = -1;
    for (Message message : messages) {
      if (message.getRole() != Role.ROLE_SYSTEM) {
        named.add(message);
        continue;
      }
      Message one = message.toBuilder().setMessageId(SYSTEM_ID).build();
      if (system >= 0) {
        named.set(system, one);
      } else {
        system = named.size();
        named.add(one);
      }
    }
    return named;
  }
}
