package main

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "github.com/memory-sidecar/memory-sidecar/clients/go/memorysidecar/v1"
)

const reconnectDelay = 200 * time.Millisecond

// trimWatch follows what leaves the window of the session. It resumes after the last event that it
// handled, on another connection and in another process: no event is lost.
type trimWatch struct {
	events  pb.EventServiceClient
	state   *state
	handled atomic.Int64
}

func newTrimWatch(conn grpc.ClientConnInterface, state *state) *trimWatch {
	w := &trimWatch{events: pb.NewEventServiceClient(conn), state: state}
	w.handled.Store(state.get().Revision)
	return w
}

// run watches until the context ends or an error comes that no repeat can mend.
func (w *trimWatch) run(ctx context.Context, ready func()) error {
	for {
		err := w.follow(ctx, ready)
		if ctx.Err() != nil || remedyOf(err) != sendAgain {
			return err
		}
		report("interrupted", map[string]any{"code": codeName(status.Code(err))})
		select {
		case <-time.After(reconnectDelay):
		case <-ctx.Done():
		}
	}
}

// follow reads one stream to its end, which is always an error.
func (w *trimWatch) follow(ctx context.Context, ready func()) error {
	request := &pb.WatchEventsRequest{
		Filter: &pb.EventFilter{
			SessionId:  proto.String(sessionID),
			EventTypes: []pb.EventType{pb.EventType_EVENT_TYPE_MESSAGES_TRIMMED},
		},
		Start: &pb.WatchEventsRequest_Position{Position: pb.StreamPosition_STREAM_POSITION_NOW},
	}
	if token := w.state.get().ResumeToken; token != "" {
		request.Start = &pb.WatchEventsRequest_ResumeToken{ResumeToken: token}
	}
	stream, err := w.events.WatchEvents(ctx, request)
	if err != nil {
		return err
	}
	for {
		answer, err := stream.Recv()
		if err == io.EOF {
			return status.Error(codes.Unavailable, "the stream ended without an error")
		}
		if err != nil {
			return err
		}
		for _, streamed := range answer.GetEvents() {
			if err := w.handle(streamed); err != nil {
				return err
			}
		}
		// The first answer and checkpoints have no event, but a newer token.
		if err := w.state.change(func(s *stateData) { s.ResumeToken = answer.GetResumeToken() }); err != nil {
			return err
		}
		ready()
	}
}

// handle takes an event once: after a resume it may come again.
func (w *trimWatch) handle(streamed *pb.StreamedEvent) error {
	event, last := streamed.GetEvent(), w.state.get()
	revision, index := event.GetRevision(), event.GetIndex()
	if revision < last.Revision || revision == last.Revision && index <= last.Index {
		return nil
	}
	report("trim", map[string]any{
		"revision": revision,
		"index":    index,
		"removed":  event.GetMessagesTrimmed().GetTrim().GetRemovedTotals().GetMessageCount(),
	})
	err := w.state.change(func(s *stateData) {
		s.Revision, s.Index, s.ResumeToken = revision, index, streamed.GetResumeToken()
	})
	w.handled.Store(revision)
	return err
}

// wait returns when the events up to a revision were handled.
func (w *trimWatch) wait(ctx context.Context, revision int64) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for w.handled.Load() < revision {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
