package memorysidecar

import (
	"context"
	"errors"
	"io"
	"iter"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "github.com/memory-sidecar/memory-sidecar/clients/go/memorysidecar/v1"
)

// Watch is the stream of the events of a namespace. When the server goes away it resumes by itself,
// without a gap and without a repeat. One goroutine at a time may read it.
type Watch struct {
	client      *Client
	ctx         context.Context
	cancel      context.CancelFunc
	request     *pb.WatchEventsRequest
	onInterrupt func(err error, failures int)

	stream      grpc.ServerStreamingClient[pb.WatchEventsResponse]
	waiting     []*pb.StreamedEvent
	last        *pb.Event
	resumeToken string
	failures    int
}

// WatchOption is a setting of a watch.
type WatchOption func(*Watch)

// OnInterrupt calls a function when the stream broke and will be resumed, with the attempts in a row
// that failed.
func OnInterrupt(call func(err error, failures int)) WatchOption {
	return func(w *Watch) { w.onInterrupt = call }
}

// Watch opens a stream of events and returns when the server has answered: no event after that is
// missed. A request without a start begins after the newest event. The context ends the watch; its
// deadline is that of the whole watch. The first answer is given up on after the attempts of the
// retry policy.
//
// A watch is refused when events after its place are no longer kept or the store has another
// history (RESUME_TOKEN_EXPIRED, RESUME_TOKEN_FOREIGN, RESUME_TOKEN_INVALID, REVISION_NOT_REACHED):
// watch from now, then read the state.
func (c *Client) Watch(ctx context.Context, request *pb.WatchEventsRequest, options ...WatchOption) (*Watch, error) {
	w := &Watch{client: c, request: proto.CloneOf(request), onInterrupt: func(error, int) {}}
	if w.request == nil {
		w.request = &pb.WatchEventsRequest{}
	}
	if w.request.Start == nil {
		w.request.Start = &pb.WatchEventsRequest_Position{Position: pb.StreamPosition_STREAM_POSITION_NOW}
	}
	for _, option := range options {
		option(w)
	}
	w.ctx, w.cancel = context.WithCancel(ctx)
	for w.resumeToken == "" && len(w.waiting) == 0 {
		if err := w.receive(); err != nil {
			w.cancel()
			return nil, err
		}
	}
	return w, nil
}

// Next waits for the next event.
func (w *Watch) Next() (*pb.StreamedEvent, error) {
	for {
		for len(w.waiting) > 0 {
			streamed := w.waiting[0]
			w.waiting = w.waiting[1:]
			w.resumeToken = streamed.GetResumeToken()
			// After a resume an event may come again.
			if isAfter(streamed.GetEvent(), w.last) {
				w.last = streamed.GetEvent()
				return streamed, nil
			}
		}
		if err := w.receive(); err != nil {
			return nil, err
		}
	}
}

// Events gives the events as they come. The first error ends them; so does Close, without an error.
func (w *Watch) Events() iter.Seq2[*pb.StreamedEvent, error] {
	return func(yield func(*pb.StreamedEvent, error) bool) {
		for {
			streamed, err := w.Next()
			if w.ctx.Err() != nil && errors.Is(err, context.Canceled) {
				return
			}
			if !yield(streamed, err) || err != nil {
				return
			}
		}
	}
}

// ResumeToken resumes after the event that was given last, also in another process.
func (w *Watch) ResumeToken() string { return w.resumeToken }

// Ack tells the server that everything up to the event that was given last is done. The next watch
// of this consumer begins there. The watch must be one of a consumer.
func (w *Watch) Ack(ctx context.Context) error {
	start, ok := w.request.GetStart().(*pb.WatchEventsRequest_ConsumerId)
	if !ok {
		return errors.New("the watch is not of a consumer: start it with a ConsumerId")
	}
	_, err := w.client.Events.AckEvents(ctx, &pb.AckEventsRequest{
		Namespace:   w.request.GetNamespace(),
		ConsumerId:  start.ConsumerId,
		ResumeToken: w.resumeToken,
	})
	return err
}

// Close ends the watch. So does the Close of its client, with an error.
func (w *Watch) Close() { w.cancel() }

// receive takes one answer of the server, or gets ready for the next attempt.
func (w *Watch) receive() error {
	if w.stream == nil {
		request := proto.CloneOf(w.request)
		if w.resumeToken != "" {
			request.Start = &pb.WatchEventsRequest_ResumeToken{ResumeToken: w.resumeToken}
		}
		stream, err := w.client.Events.WatchEvents(w.ctx, request)
		if err != nil {
			return w.recover(err)
		}
		w.stream = stream
	}
	answer, err := w.stream.Recv()
	if err != nil {
		w.stream = nil
		return w.recover(err)
	}
	w.failures = 0
	w.waiting = answer.GetEvents()
	// The first answer and checkpoints have no event, but a newer token.
	if len(w.waiting) == 0 {
		w.resumeToken = answer.GetResumeToken()
	}
	return nil
}

// recover waits before the next attempt, or gives the error when there must be none.
func (w *Watch) recover(err error) error {
	if err == io.EOF {
		// The contract knows no orderly end of a watch.
		err = w.client.newError(w.ctx, status.Error(codes.Unavailable, "the stream ended"), pb.EventService_WatchEvents_FullMethodName, w.request)
	}
	var failure *Error
	if !errors.As(err, &failure) || !w.client.isRetryable(w.ctx, failure) {
		return err
	}
	w.failures++
	if w.resumeToken == "" && w.failures >= w.client.settings.retry.MaxAttempts {
		return err
	}
	w.onInterrupt(err, w.failures)
	if !pause(w.ctx, w.client.settings.retry.delay(w.failures, failure.RetryDelay)) {
		return err
	}
	return nil
}

func isAfter(event, last *pb.Event) bool {
	if last == nil || event.GetRevision() != last.GetRevision() {
		return last == nil || event.GetRevision() > last.GetRevision()
	}
	return event.GetIndex() > last.GetIndex()
}
