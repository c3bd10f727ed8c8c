package io.memorysidecar.client;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.grpc.stub.MetadataUtils;
import io.memorysidecar.v1.AdminServiceGrpc;
import io.memorysidecar.v1.AdminServiceGrpc.AdminServiceBlockingStub;
import io.memorysidecar.v1.AppendMessagesRequest;
import io.memorysidecar.v1.AppendMessagesResponse;
import io.memorysidecar.v1.Consumer;
import io.memorysidecar.v1.CreateConsumerRequest;
import io.memorysidecar.v1.CreateSessionRequest;
import io.memorysidecar.v1.Document;
import io.memorysidecar.v1.ErrorReason;
import io.memorysidecar.v1.Event;
import io.memorysidecar.v1.EventServiceGrpc;
import io.memorysidecar.v1.EventServiceGrpc.EventServiceBlockingStub;
import io.memorysidecar.v1.GetConsumerRequest;
import io.memorysidecar.v1.GetSessionRequest;
import io.memorysidecar.v1.GetWindowRequest;
import io.memorysidecar.v1.GetWindowResponse;
import io.memorysidecar.v1.ListDocumentsRequest;
import io.memorysidecar.v1.ListDocumentsResponse;
import io.memorysidecar.v1.ListEventsRequest;
import io.memorysidecar.v1.ListEventsResponse;
import io.memorysidecar.v1.ListMemoriesRequest;
import io.memorysidecar.v1.ListMemoriesResponse;
import io.memorysidecar.v1.ListMessagesRequest;
import io.memorysidecar.v1.ListMessagesResponse;
import io.memorysidecar.v1.ListRecordsRequest;
import io.memorysidecar.v1.ListRecordsResponse;
import io.memorysidecar.v1.ListSessionsRequest;
import io.memorysidecar.v1.ListSessionsResponse;
import io.memorysidecar.v1.Memory;
import io.memorysidecar.v1.MemoryServiceGrpc;
import io.memorysidecar.v1.MemoryServiceGrpc.MemoryServiceBlockingStub;
import io.memorysidecar.v1.Message;
import io.memorysidecar.v1.NamedRecord;
import io.memorysidecar.v1.RecallServiceGrpc;
import io.memorysidecar.v1.RecallServiceGrpc.RecallServiceBlockingStub;
import io.memorysidecar.v1.RecordServiceGrpc;
import io.memorysidecar.v1.RecordServiceGrpc.RecordServiceBlockingStub;
import io.memorysidecar.v1.Session;
import io.memorysidecar.v1.SessionServiceGrpc;
import io.memorysidecar.v1.SessionServiceGrpc.SessionServiceBlockingStub;
import io.memorysidecar.v1.TaskServiceGrpc;
import io.memorysidecar.v1.TaskServiceGrpc.TaskServiceBlockingStub;
import io.memorysidecar.v1.WatchEventsRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A connection to a server. Keep one for the life of the program and share it: it is safe for
 * concurrent use. The connection itself is made by the first call.
 */
public final class MemorySidecar implements AutoCloseable {
  private static final String VERSION = "0.1.0";

  private final ManagedChannel channel;
  private final EventLoopGroup threads;
  private final RepeatingChannel calls;

  private MemorySidecar(Builder settings, Address address) {
    this.threads =
        address.socket() == null
            ? null
            : new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("memory-sidecar", true), EpollIoHandler.newFactory());
    this.channel = open(settings, address, threads);
    this.calls =
        new RepeatingChannel(
            channel, settings.address, settings.namespace, settings.timeout, settings.retry);
  }

  /**
   * Makes a client for the server at an address: {@code host:port}, {@code unix:/path} or a path. A
   * Unix socket needs Linux.
   */
  public static MemorySidecar connect(String address) {
    return builder(address).connect();
  }

  /** Makes a client with settings. */
  public static Builder builder(String address) {
    return new Builder(address);
  }

  private static ManagedChannel open(Builder settings, Address address, EventLoopGroup threads) {
    ChannelCredentials credentials =
        settings.tls == null ? InsecureChannelCredentials.create() : settings.tls;
    NettyChannelBuilder builder;
    if (address.socket() == null) {
      String host = address.host().replaceAll("[\\[\\]]", "");
      builder = NettyChannelBuilder.forAddress(host, address.port(), credentials);
    } else {
      var socket = new DomainSocketAddress(address.socket().toFile());
      builder =
          NettyChannelBuilder.forAddress(socket, credentials)
              .eventLoopGroup(threads)
              .channelType(EpollDomainSocketChannel.class, DomainSocketAddress.class)
              .overrideAuthority("localhost");
    }
    if (settings.serverName != null) builder.overrideAuthority(settings.serverName);
    if (settings.token != null) {
      Metadata headers = new Metadata();
      headers.put(
          Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
          "Bearer " + settings.token);
      builder.intercept(MetadataUtils.newAttachHeadersInterceptor(headers));
    }
    return builder
        .userAgent("memory-sidecar-java/" + VERSION)
        // A sidecar is local: a proxy from the environment would only get in the way.
        .proxyDetector(target -> null)
        // RepeatingChannel repeats, with delays that the caller can set.
        .disableRetry()
        // A watch notices a peer that vanished without a word.
        .keepAliveTime(60, TimeUnit.SECONDS)
        .keepAliveTimeout(20, TimeUnit.SECONDS)
        .build();
  }

  /** The stub of SessionService. */
  public SessionServiceBlockingStub sessions() {
    return SessionServiceGrpc.newBlockingStub(calls);
  }

  /** The stub of MemoryService. */
  public MemoryServiceBlockingStub memories() {
    return MemoryServiceGrpc.newBlockingStub(calls);
  }

  /** The stub of RecallService. */
  public RecallServiceBlockingStub recalls() {
    return RecallServiceGrpc.newBlockingStub(calls);
  }

  /** The stub of RecordService. */
  public RecordServiceBlockingStub records() {
    return RecordServiceGrpc.newBlockingStub(calls);
  }

  /** The stub of EventService. */
  public EventServiceBlockingStub events() {
    return EventServiceGrpc.newBlockingStub(calls);
  }

  /** The stub of TaskService. */
  public TaskServiceBlockingStub tasks() {
    return TaskServiceGrpc.newBlockingStub(calls);
  }

  /** The stub of AdminService. */
  public AdminServiceBlockingStub admin() {
    return AdminServiceGrpc.newBlockingStub(calls);
  }

  /**
   * Creates a session, or gets the one that has its id already. The fields of the request do not
   * change a session that exists; updateSession does. If it belongs to another user than that of the
   * request, the error of the creation says so.
   */
  public Session ensureSession(Session session) {
    try {
      return sessions()
          .createSession(CreateSessionRequest.newBuilder().setSession(session).build())
          .getSession();
    } catch (MemorySidecarException error) {
      if (!error.hasReason(ErrorReason.ERROR_REASON_SESSION_ALREADY_EXISTS)) throw error;
      Session found =
          sessions()
              .getSession(
                  GetSessionRequest.newBuilder().setSessionId(session.getSessionId()).build())
              .getSession();
      String asked = session.getUserId();
      String user = found.getUserId();
      boolean isOther = !asked.isEmpty() && !user.isEmpty() && !user.equals(asked);
      if (isOther) throw error.ofOtherUser(found.getSessionId(), asked);
      return found;
    }
  }

  /** Creates a consumer, or gets the one that has its id already. */
  public Consumer ensureConsumer(CreateConsumerRequest request) {
    try {
      return events().createConsumer(request).getConsumer();
    } catch (MemorySidecarException error) {
      if (!error.hasReason(ErrorReason.ERROR_REASON_CONSUMER_ALREADY_EXISTS)) throw error;
      return events()
          .getConsumer(
              GetConsumerRequest.newBuilder()
                  .setNamespace(request.getNamespace())
                  .setConsumerId(request.getConsumerId())
                  .build())
          .getConsumer();
    }
  }

  /**
   * Appends messages to a session, all or none. {@code sessions().appendMessages} has the other
   * fields of the request.
   */
  public AppendMessagesResponse append(String sessionId, Message... messages) {
    if (messages.length == 0) throw new IllegalArgumentException("there is no message to append");
    return sessions()
        .appendMessages(
            AppendMessagesRequest.newBuilder()
                .setSessionId(sessionId)
                .addAllMessages(List.of(messages))
                .build());
  }

  /**
   * Gets the part of a session that goes to the model. {@code sessions().getWindow} has the other
   * fields of the request.
   */
  public GetWindowResponse window(String sessionId) {
    return sessions().getWindow(GetWindowRequest.newBuilder().setSessionId(sessionId).build());
  }

  /** The sessions of a namespace, the newest first unless the request orders them otherwise. */
  public Items<Session> listSessions(ListSessionsRequest request) {
    return Items.of(sessions()::listSessions, request, ListSessionsResponse::getSessionsList);
  }

  /** The log of a session, in the window or not. */
  public Items<Message> listMessages(ListMessagesRequest request) {
    return Items.of(sessions()::listMessages, request, ListMessagesResponse::getMessagesList);
  }

  /** The memories that a filter finds. */
  public Items<Memory> listMemories(ListMemoriesRequest request) {
    return Items.of(memories()::listMemories, request, ListMemoriesResponse::getMemoriesList);
  }

  /** The documents of a collection. */
  public Items<Document> listDocuments(ListDocumentsRequest request) {
    return Items.of(memories()::listDocuments, request, ListDocumentsResponse::getDocumentsList);
  }

  /** The records of a range. */
  public Items<NamedRecord> listRecords(ListRecordsRequest request) {
    return Items.of(records()::listRecords, request, ListRecordsResponse::getRecordsList);
  }

  /** The events that are kept. */
  public Items<Event> listEvents(ListEventsRequest request) {
    return Items.of(events()::listEvents, request, ListEventsResponse::getEventsList);
  }

  /**
   * Opens a stream of events and returns when the server has answered: no event after that is
   * missed. A request without a start begins after the newest event. The first answer is given up on
   * after the attempts of the retry policy.
   *
   * <p>A watch is refused when events after its place are no longer kept or the store has another
   * history ({@code RESUME_TOKEN_EXPIRED}, {@code RESUME_TOKEN_FOREIGN}, {@code
   * RESUME_TOKEN_INVALID}, {@code REVISION_NOT_REACHED}): watch from now, then read the state.
   */
  public Watch watch(WatchEventsRequest request) {
    return new Watch(calls, request);
  }

  /** Ends the connection, and with it every call and watch. */
  @Override
  public void close() {
    channel.shutdownNow();
    if (threads != null) threads.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  /** The settings of a client. */
  public static final class Builder {
    private final String address;
    private String token;
    private ChannelCredentials tls;
    private String serverName;
    private String namespace = "";
    private Duration timeout = Duration.ofSeconds(30);
    private RetryPolicy retry = RetryPolicy.DEFAULT;

    private Builder(String address) {
      this.address = address;
    }

    /**
     * Sends a bearer token with every call. {@link #connect} refuses to send it unencrypted to
     * another host.
     */
    public Builder token(String value) {
      token = value;
      return this;
    }

    /** Encrypts the connection and trusts the authorities of the system. */
    public Builder tls() {
      return tls(TlsChannelCredentials.create());
    }

    /** Encrypts the connection with authorities or a certificate of your own. */
    public Builder tls(ChannelCredentials credentials) {
      if (credentials instanceof InsecureChannelCredentials) {
        throw new IllegalArgumentException("the credentials do not encrypt");
      }
      tls = credentials;
      return this;
    }

    /** Names the server as its certificate does, if that is not the host of the address. */
    public Builder serverName(String value) {
      serverName = value;
      return this;
    }

    /** Sets the namespace of the requests that name none. */
    public Builder namespace(String value) {
      namespace = value;
      return this;
    }

    /**
     * Limits each call with all its attempts when its stub has no deadline. The default is 30
     * seconds; zero sets no limit. A watch has none.
     */
    public Builder timeout(Duration value) {
      timeout = value;
      return this;
    }

    /** Changes how calls are repeated. */
    public Builder retry(RetryPolicy policy) {
      retry = policy;
      return this;
    }

    /** Makes the client. */
    public MemorySidecar connect() {
      Address parsed = Address.parse(address);
      if (token != null && tls == null && !parsed.isLocal()) {
        throw new IllegalArgumentException(
            "the token would travel unencrypted to " + address + ": add tls()");
      }
      return new MemorySidecar(this, parsed);
    }
  }
}
