package io.memorysidecar.client.adapter;

import com.google.protobuf.ByteString;
import com.google.protobuf.FieldMask;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.memorysidecar.client.Items;
import io.memorysidecar.client.MemorySidecar;
import io.memorysidecar.client.MemorySidecarException;
import io.memorysidecar.client.Policies;
import io.memorysidecar.v1.AppendMessagesRequest;
import io.memorysidecar.v1.BatchGetMessagesRequest;
import io.memorysidecar.v1.BatchGetMessagesResponse;
import io.memorysidecar.v1.CreateSessionRequest;
import io.memorysidecar.v1.DeleteSessionRequest;
import io.memorysidecar.v1.DropOldest;
import io.memorysidecar.v1.ErrorReason;
import io.memorysidecar.v1.GetSessionRequest;
import io.memorysidecar.v1.GetWindowRequest;
import io.memorysidecar.v1.Message;
import io.memorysidecar.v1.Policy;
import io.memorysidecar.v1.PolicyChoice;
import io.memorysidecar.v1.Protections;
import io.memorysidecar.v1.Role;
import io.memorysidecar.v1.SeqRange;
import io.memorysidecar.v1.Session;
import io.memorysidecar.v1.SystemProtection;
import io.memorysidecar.v1.ToolPairing;
import io.memorysidecar.v1.UpdateSessionRequest;
import io.memorysidecar.v1.WindowUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The list of messages that a framework keeps of a conversation and rewrites as a whole, over the
 * log of a session.
 *
 * <p>A message that the framework takes out of its list stays in the log: it leaves the window of
 * the session, as an event says, in the transaction that changes the list. Messages are compared by
 * their role and their provider payload: one that is in the list already is not stored again. The
 * session holds the list as the seqs of its messages, in its metadata under {@value #LIST}.
 *
 * <p>Each message needs a provider payload, and no id.
 */
public final class MessageList {
  /** The key in the metadata of the session. */
  public static final String LIST = "message_list";

  private static final ErrorReason[] CHANGED = {
    ErrorReason.ERROR_REASON_ETAG_MISMATCH,
    ErrorReason.ERROR_REASON_LAST_SEQ_MISMATCH,
    ErrorReason.ERROR_REASON_SESSION_NOT_FOUND,
    ErrorReason.ERROR_REASON_SESSION_ALREADY_EXISTS,
  };
  private static final FieldMask MASK =
      FieldMask.newBuilder().addPaths("metadata").addPaths("policy").build();
  private static final int ATTEMPTS = 50;
  private static final int MAX_PINS = 256;
  private static final int MAX_WINDOW = 10_000;

  private final MemorySidecar client;
  private final String name;
  private final UnaryOperator<Message> asWritten;

  /**
   * The name is that of the provider in the payloads, and becomes that of the policy of the sessions:
   * at most 63 bytes. {@code asWritten} gives a message of another program as the framework writes
   * it after it has read it.
   */
  public MessageList(MemorySidecar client, String name, UnaryOperator<Message> asWritten) {
    this.client = client;
    this.name = name;
    this.asWritten = asWritten;
  }

  /**
   * Gives the list. A session that this class has not written yet gives its window, and one that
   * does not exist an empty list. Messages that were erased meanwhile are missing.
   */
  public List<Message> read(String sessionId) {
    try {
      Session session = get(sessionId);
      return session == null ? List.of() : read(session);
    } catch (MemorySidecarException error) {
      if (error.hasReason(ErrorReason.ERROR_REASON_SESSION_NOT_FOUND)) return List.of();
      throw error;
    }
  }

  /**
   * Replaces the list. The session is created with these attributes if it does not exist; they need
   * a {@code sessionId}, and must leave the policy unset, which follows the list.
   *
   * <p>The last writer wins: the messages of another one stay in the log. A list of more than 1,000
   * new messages or 3 MiB is appended in parts, and takes effect with the last one.
   */
  public void write(Session attributes, List<Message> messages) {
    for (int attempt = 1; ; attempt++) {
      try {
        new Change(attributes, messages).apply();
        return;
      } catch (MemorySidecarException error) {
        // Somebody else wrote in between: compare with what is there now.
        if (attempt == ATTEMPTS || !error.hasReason(CHANGED)) throw error;
      }
    }
  }

  /** Deletes the session with its log; one that does not exist is no error. */
  public void delete(String sessionId) {
    client
        .sessions()
        .deleteSession(
            DeleteSessionRequest.newBuilder().setSessionId(sessionId).setAllowMissing(true).build());
  }

  private Session get(String sessionId) {
    try {
      return client
          .sessions()
          .getSession(GetSessionRequest.newBuilder().setSessionId(sessionId).build())
          .getSession();
    } catch (MemorySidecarException error) {
      if (error.hasReason(ErrorReason.ERROR_REASON_SESSION_NOT_FOUND)) return null;
      throw error;
    }
  }

  private List<Message> read(Session session) {
    String id = session.getSessionId();
    Value list = session.getMetadata().getFieldsMap().get(LIST);
    if (list == null) {
      var window =
          client
              .sessions()
              .getWindow(GetWindowRequest.newBuilder().setSessionId(id).setReadOnly(true).build());
      return window.getMessagesList().stream().filter(message -> message.getSeq() > 0).toList();
    }
    List<SeqRange> runs = Runs.read(list.getStringValue());
    if (runs.isEmpty()) return List.of();
    var request =
        BatchGetMessagesRequest.newBuilder().setSessionId(id).addAllSeqRanges(runs).build();
    Map<Long, Message> found = new HashMap<>();
    for (Message message :
        Items.of(
            client.sessions()::batchGetMessages,
            request,
            BatchGetMessagesResponse::getMessagesList)) {
      found.put(message.getSeq(), message);
    }
    List<Message> messages = new ArrayList<>();
    for (SeqRange run : runs) {
      for (long seq = run.getFirstSeq(); seq <= run.getLastSeq(); seq++) {
        Message message = found.get(seq);
        if (message != null) messages.add(message);
      }
    }
    return messages;
  }

  /** Equality of messages: what the framework wrote. */
  private record Content(Role role, ByteString data) {}

  private List<Content> contents(List<Message> messages) {
    return messages.stream()
        .map(one -> one.getProviderPayload().getProvider().equals(name) ? one : asWritten.apply(one))
        .map(one -> new Content(one.getRole(), one.getProviderPayload().getData()))
        .toList();
  }

  /** One attempt to replace a list. */
  private final class Change {
    private final Session attributes;
    private final Session session;
    private final List<Message> before;
    private final List<Message> fresh = new ArrayList<>();
    private final Set<Long> kept = new HashSet<>();
    private final String list;
    private final int size;

    Change(Session attributes, List<Message> messages) {
      this.attributes = attributes;
      this.session = get(attributes.getSessionId());
      this.before = session == null ? List.of() : read(session);
      this.size = messages.size();
      String partly = plan(messages, Matching.partners(contents(before), contents(messages)));
      if (partly == null) {
        int[] none = new int[messages.size()];
        Arrays.fill(none, -1);
        partly = plan(messages, none);
      }
      this.list = partly;
    }

    /** Says which messages stay and which are new; gives the list, or null if it is too long. */
    private String plan(List<Message> messages, int[] partners) {
      fresh.clear();
      kept.clear();
      long last = session == null ? 0 : session.getLastSeq();
      List<Long> seqs = new ArrayList<>();
      for (int at = 0; at < partners.length; at++) {
        if (partners[at] >= 0) {
          seqs.add(before.get(partners[at]).getSeq());
          kept.add(before.get(partners[at]).getSeq());
        } else {
          fresh.add(messages.get(at));
          seqs.add(last + fresh.size());
        }
      }
      return Runs.write(seqs);
    }

    void apply() {
      if (!fresh.isEmpty()) {
        append();
      } else if (session == null) {
        var request = CreateSessionRequest.newBuilder().setSession(with(attributes, list, policy()));
        client.sessions().createSession(request.build());
      } else if (!session.getMetadata().containsFields(LIST) || !list.equals(listed())) {
        client
            .sessions()
            .updateSession(
                UpdateSessionRequest.newBuilder()
                    .setSession(with(session, list, policy()))
                    .setUpdateMask(MASK)
                    .build());
      }
    }

    /** The list that is stored. */
    private String listed() {
      return Runs.write(before.stream().map(Message::getSeq).toList());
    }

    /** Appends the new messages; the last part changes the list. */
    private void append() {
      long last = session == null ? 0 : session.getLastSeq();
      String etag = session == null ? "" : session.getEtag();
      List<List<Message>> parts = Batches.of(fresh, Message::getSerializedSize);
      for (int at = 0; at < parts.size(); at++) {
        boolean isEnd = at == parts.size() - 1;
        Session base = session == null ? attributes : session;
        // Nothing leaves the window before the list is whole.
        Session next =
            isEnd ? with(base, list, policy()) : with(base, listed(), Policies.of(open().build()));
        var request =
            AppendMessagesRequest.newBuilder()
                .setSessionId(attributes.getSessionId())
                .addAllMessages(parts.get(at))
                .setExpectedLastSeq(last)
                .setCreateSession(session == null && at == 0)
                .setSession(next.toBuilder().setEtag(etag))
                .setSessionUpdateMask(MASK);
        etag = client.sessions().appendMessages(request.build()).getSessionEtag();
        last += parts.get(at).size();
      }
    }

    private Session with(Session base, String runs, PolicyChoice policy) {
      Struct.Builder metadata = base.getMetadata().toBuilder();
      metadata.putFields(LIST, Value.newBuilder().setStringValue(runs).build());
      return base.toBuilder().setMetadata(metadata).setPolicy(policy).build();
    }

    /**
     * The policy that makes the window the list: as many messages, the newest ones, and those older
     * ones that the framework keeps although it took newer ones out.
     */
    private PolicyChoice policy() {
      long newestGone = session == null ? 0 : session.getLastSeq();
      while (kept.contains(newestGone)) newestGone--;
      long bound = newestGone;
      List<String> pins =
          before.stream()
              .filter(one -> one.getSeq() < bound && kept.contains(one.getSeq()))
              .map(Message::getMessageId)
              .toList();
      Policy.Builder policy = open();
      policy
          .getProtectionsBuilder()
          .addAllPinMessageIds(pins.subList(Math.max(0, pins.size() - MAX_PINS), pins.size()));
      var limit = DropOldest.newBuilder().setMaxMessages(Math.min(size, MAX_WINDOW)).build();
      return Policies.of(
          policy
              .addStages(
                  Policies.dropOldest("list", limit).toBuilder()
                      .setUnit(WindowUnit.WINDOW_UNIT_MESSAGE))
              .build());
    }

    private Policy.Builder open() {
      return Policy.newBuilder()
          .setName(name)
          // The framework alone says what leaves.
          .setToolPairing(ToolPairing.TOOL_PAIRING_LOOSE)
          .setProtections(
              Protections.newBuilder()
                  .setSystem(SystemProtection.SYSTEM_PROTECTION_NONE)
                  .setMinMessages(0)
                  .setReleaseLastUser(true));
    }
  }

}
