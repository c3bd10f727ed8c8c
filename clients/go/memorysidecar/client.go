package memorysidecar

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	pb "github.com/memory-sidecar/memory-sidecar/clients/go/memorysidecar/v1"
)

const (
	version        = "0.1.0"
	defaultTimeout = 30 * time.Second
)

// Client is a connection to a server. Keep one for the life of the program and share it: it is safe
// for concurrent use.
type Client struct {
	Sessions pb.SessionServiceClient
	Memories pb.MemoryServiceClient
	Recalls  pb.RecallServiceClient
	Records  pb.RecordServiceClient
	Events   pb.EventServiceClient
	Tasks    pb.TaskServiceClient
	Admin    pb.AdminServiceClient

	conn     *grpc.ClientConn
	address  string
	settings settings
}

type settings struct {
	token     string
	tls       *tls.Config
	encrypted bool
	namespace string
	timeout   time.Duration
	retry     RetryPolicy
	dial      []grpc.DialOption
}

// Option is a setting of a client.
type Option func(*settings)

// WithToken sends a bearer token with every call. Connect refuses to send it unencrypted to another
// host.
func WithToken(token string) Option {
	return func(s *settings) { s.token = token }
}

// WithTLS encrypts the connection. A nil configuration trusts the authorities of the system.
func WithTLS(config *tls.Config) Option {
	return func(s *settings) { s.tls, s.encrypted = config, true }
}

// WithNamespace sets the namespace of the requests that name none.
func WithNamespace(namespace string) Option {
	return func(s *settings) { s.namespace = namespace }
}

// WithTimeout limits each call with all its attempts when its context has no deadline. The default
// is 30 seconds; 0 sets no limit. A watch has none.
func WithTimeout(timeout time.Duration) Option {
	return func(s *settings) { s.timeout = timeout }
}

// WithRetry changes how calls are repeated.
func WithRetry(policy RetryPolicy) Option {
	return func(s *settings) { s.retry = policy }
}

// WithDialOptions adds options of gRPC, such as interceptors for traces. They see each attempt.
func WithDialOptions(options ...grpc.DialOption) Option {
	return func(s *settings) { s.dial = append(s.dial, options...) }
}

// Connect makes a client for the server at an address: host:port, unix:/path or a path. The
// connection itself is made by the first call.
func Connect(address string, options ...Option) (*Client, error) {
	client := &Client{
		address:  address,
		settings: settings{timeout: defaultTimeout, retry: DefaultRetry},
	}
	for _, option := range options {
		option(&client.settings)
	}
	target, local, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	s := client.settings
	if s.token != "" && !s.encrypted && !local {
		return nil, fmt.Errorf("the token would travel unencrypted to %s: add WithTLS", address)
	}
	if client.conn, err = grpc.NewClient(target, client.dialOptions()...); err != nil {
		return nil, err
	}
	client.Sessions = pb.NewSessionServiceClient(client.conn)
	client.Memories = pb.NewMemoryServiceClient(client.conn)
	client.Recalls = pb.NewRecallServiceClient(client.conn)
	client.Records = pb.NewRecordServiceClient(client.conn)
	client.Events = pb.NewEventServiceClient(client.conn)
	client.Tasks = pb.NewTaskServiceClient(client.conn)
	client.Admin = pb.NewAdminServiceClient(client.conn)
	return client, nil
}

// Close ends the connection, and with it every call and watch.
func (c *Client) Close() error { return c.conn.Close() }

func (c *Client) dialOptions() []grpc.DialOption {
	transport := insecure.NewCredentials()
	if c.settings.encrypted {
		transport = credentials.NewTLS(c.settings.tls)
	}
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithUserAgent("memory-sidecar-go/" + version),
		// A sidecar is local: a proxy from the environment would only get in the way.
		grpc.WithNoProxy(),
		// Calls are repeated here, with delays that the caller can set.
		grpc.WithDisableServiceConfig(),
		grpc.WithDisableRetry(),
		// A restarted server is found again at once; the default waits up to two minutes.
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second},
			MinConnectTimeout: 5 * time.Second,
		}),
		// A watch notices a peer that vanished without a word.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: time.Minute, Timeout: 20 * time.Second}),
		grpc.WithUnaryInterceptor(c.callUnary),
		grpc.WithStreamInterceptor(c.openStream),
	}
	if c.settings.token != "" {
		options = append(options, grpc.WithPerRPCCredentials(bearer(c.settings.token)))
	}
	return append(options, c.settings.dial...)
}

// bearer sends a token with every call.
type bearer string

func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

// RequireTransportSecurity is false, as Connect has refused unencrypted connections to other hosts.
func (bearer) RequireTransportSecurity() bool { return false }

// EnsureSession creates a session, or gets the one that has its id already. The fields of the
// request do not change a session that exists; UpdateSession does. If it belongs to another user
// than that of the request, the error of the creation says so.
func (c *Client) EnsureSession(ctx context.Context, session *pb.Session) (*pb.Session, error) {
	created, err := c.Sessions.CreateSession(ctx, &pb.CreateSessionRequest{Session: session})
	if HasReason(err, pb.ErrorReason_ERROR_REASON_SESSION_ALREADY_EXISTS) {
		request := &pb.GetSessionRequest{SessionId: session.GetSessionId()}
		found, failure := c.Sessions.GetSession(ctx, request)
		if failure != nil {
			return nil, failure
		}
		if err := refuseOtherUser(found.GetSession(), session.GetUserId(), err); err != nil {
			return nil, err
		}
		return found.GetSession(), nil
	}
	return created.GetSession(), err
}

// EnsureConsumer creates a consumer, or gets the one that has its id already. A request without a
// start means the newest event.
func (c *Client) EnsureConsumer(ctx context.Context, request *pb.CreateConsumerRequest) (*pb.Consumer, error) {
	created, err := c.Events.CreateConsumer(ctx, request)
	if HasReason(err, pb.ErrorReason_ERROR_REASON_CONSUMER_ALREADY_EXISTS) {
		found, err := c.Events.GetConsumer(ctx, &pb.GetConsumerRequest{
			Namespace: request.GetNamespace(), ConsumerId: request.GetConsumerId(),
		})
		return found.GetConsumer(), err
	}
	return created.GetConsumer(), err
}

// Append appends messages to a session, all or none. Sessions.AppendMessages has the other fields of
// the request.
func (c *Client) Append(ctx context.Context, sessionID string, messages ...*pb.Message) (*pb.AppendMessagesResponse, error) {
	if len(messages) == 0 {
		return nil, errors.New("there is no message to append")
	}
	return c.Sessions.AppendMessages(ctx, &pb.AppendMessagesRequest{SessionId: sessionID, Messages: messages})
}

// Window gets the part of a session that goes to the model. Sessions.GetWindow has the other fields
// of the request.
func (c *Client) Window(ctx context.Context, sessionID string) (*pb.GetWindowResponse, error) {
	return c.Sessions.GetWindow(ctx, &pb.GetWindowRequest{SessionId: sessionID})
}
