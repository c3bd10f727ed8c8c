package memorysidecar

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// RetryPolicy says how often and after how long a failed call is repeated.
type RetryPolicy struct {
	// MaxAttempts is the number of attempts in all. 1 means no retry.
	MaxAttempts int
	// InitialDelay is the longest delay before the second attempt. It doubles with every attempt.
	InitialDelay time.Duration
	// MaxDelay is the longest delay, unless the server asks for a longer one.
	MaxDelay time.Duration
}

// DefaultRetry outlives a restart of the server.
var DefaultRetry = RetryPolicy{MaxAttempts: 8, InitialDelay: 100 * time.Millisecond, MaxDelay: 5 * time.Second}

// delay gives the pause after so many failures: half of it random, so that many clients do not come
// back at once, and never shorter than the server asks.
func (p RetryPolicy) delay(failures int, asked time.Duration) time.Duration {
	full := p.InitialDelay
	for range failures - 1 {
		full = min(2*full, p.MaxDelay)
	}
	own := time.Duration((0.5 + 0.5*mathrand.Float64()) * float64(min(full, p.MaxDelay)))
	return max(own, time.Duration((1+0.25*mathrand.Float64())*float64(asked)))
}

// callUnary is the interceptor of unary calls. A repeat is safe, as each call is a read, has no
// further effect when it is repeated, or carries a request id.
func (c *Client) callUnary(
	ctx context.Context, method string, request, reply any, conn *grpc.ClientConn,
	invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	if _, ok := ctx.Deadline(); !ok && c.settings.timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, c.settings.timeout)
		defer cancel()
		ctx = limited
	}
	sent := c.prepare(request.(proto.Message))
	for attempt := 1; ; attempt++ {
		err := invoke(ctx, method, sent, reply, conn, options...)
		if err == nil {
			return nil
		}
		failure := c.newError(ctx, err, method, sent)
		if attempt >= c.settings.retry.MaxAttempts || !c.isRetryable(ctx, failure) {
			return failure
		}
		if !pause(ctx, c.settings.retry.delay(attempt, failure.RetryDelay)) {
			return failure
		}
	}
}

// isRetryable says whether the same request may be sent again: the contract says so with
// UNAVAILABLE alone. A call that neither the caller nor the server's own word cancelled was cut off
// with its connection.
func (c *Client) isRetryable(ctx context.Context, err *Error) bool {
	if ctx.Err() != nil || c.conn.GetState() == connectivity.Shutdown {
		return false
	}
	return err.Code == codes.Unavailable || err.Code == codes.Canceled && err.Reason == ""
}

// pause waits, unless the context would end before.
func pause(ctx context.Context, delay time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= delay {
		return false
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// prepare fills in the namespace and the request id that the caller has left out. The caller's
// message stays as it is, so that it can be sent again as another request.
func (c *Client) prepare(request proto.Message) proto.Message {
	message := request.ProtoReflect()
	namespace := emptyText(message, "namespace")
	requestID := emptyText(message, "request_id")
	if c.settings.namespace == "" {
		namespace = nil
	}
	if namespace == nil && requestID == nil {
		return request
	}
	sent := message.New()
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		sent.Set(field, value)
		return true
	})
	sent.SetUnknown(message.GetUnknown())
	if namespace != nil {
		sent.Set(namespace, protoreflect.ValueOfString(c.settings.namespace))
	}
	if requestID != nil {
		sent.Set(requestID, protoreflect.ValueOfString(newRequestID()))
	}
	return sent.Interface()
}

// newRequestID makes an id of the time in ms and of 130 random bits. The server keeps answers in
// the order of their ids. Those that rise with time lie on the same pages of its disk; with random
// ones it writes up to three times as much.
func newRequestID() string {
	return fmt.Sprintf("%012x%s", time.Now().UnixMilli(), rand.Text())
}

// emptyText finds a field of text that is not set.
func emptyText(message protoreflect.Message, name protoreflect.Name) protoreflect.FieldDescriptor {
	field := message.Descriptor().Fields().ByName(name)
	if field == nil || field.Kind() != protoreflect.StringKind || message.Has(field) {
		return nil
	}
	return field
}

// openStream is the interceptor of streams. A stream is not repeated; Watch resumes one.
func (c *Client) openStream(
	ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string,
	open grpc.Streamer, options ...grpc.CallOption,
) (grpc.ClientStream, error) {
	inner, err := open(ctx, desc, conn, method, options...)
	if err != nil {
		return nil, c.newError(ctx, err, method, nil)
	}
	return &stream{ClientStream: inner, ctx: ctx, client: c, method: method}, nil
}

// stream prepares the request of a stream and types its errors.
type stream struct {
	grpc.ClientStream
	// The caller's context. The stream's own is cancelled whenever the stream ends.
	ctx    context.Context
	client *Client
	method string
	sent   proto.Message
}

func (s *stream) SendMsg(request any) error {
	s.sent = s.client.prepare(request.(proto.Message))
	return s.typed(s.ClientStream.SendMsg(s.sent))
}

func (s *stream) RecvMsg(answer any) error { return s.typed(s.ClientStream.RecvMsg(answer)) }

func (s *stream) typed(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return s.client.newError(s.ctx, err, s.method, s.sent)
}
