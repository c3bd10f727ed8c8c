package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "github.com/memory-sidecar/memory-sidecar/clients/go/memorysidecar/v1"
)

const (
	sessionID    = "dinner"
	userID       = "ada"
	windowLimit  = 20
	keptTurns    = 3
	allergy      = "Ada is allergic to peanuts."
	callDeadline = 20 * time.Second
)

var cities = []string{"Lisbon", "Oslo", "Rome"}

// agent answers one question a turn. Its model is a stand-in that always wants both tools; what it
// sends depends on the turn alone, so that a turn that a crash cut short is repeated word for word,
// with the same request ids, and nothing is stored twice.
type agent struct {
	sessions pb.SessionServiceClient
	memories pb.MemoryServiceClient
	recall   pb.RecallServiceClient
	state    *state
	// The newest revision in which something left the window.
	lastTrim int64
}

func newAgent(conn grpc.ClientConnInterface, state *state) *agent {
	return &agent{
		sessions: pb.NewSessionServiceClient(conn),
		memories: pb.NewMemoryServiceClient(conn),
		recall:   pb.NewRecallServiceClient(conn),
		state:    state,
	}
}

func (a *agent) work(ctx context.Context, turns int) error {
	if err := a.open(ctx); err != nil {
		return err
	}
	for turn := a.state.get().Turn; turn <= turns; turn++ {
		if err := a.turn(ctx, turn); err != nil {
			return fmt.Errorf("turn %d: %w", turn, err)
		}
		if err := a.state.change(func(s *stateData) { s.Turn = turn + 1 }); err != nil {
			return err
		}
	}
	return a.lookBack(ctx)
}

// open creates the session, or finds it there.
func (a *agent) open(ctx context.Context) error {
	_, err := a.sessions.CreateSession(ctx, &pb.CreateSessionRequest{
		RequestId: "open",
		Session: &pb.Session{
			SessionId: sessionID,
			UserId:    userID,
			// As soon as the window holds more messages than this, only the newest turns stay.
			Policy: &pb.PolicyChoice{Choice: &pb.PolicyChoice_Policy{Policy: &pb.Policy{
				Stages: []*pb.PolicyStage{{
					Name:   "newest-turns",
					AnyOf:  []*pb.Trigger{{Condition: &pb.Trigger_MessageCountOver{MessageCountOver: windowLimit}}},
					Select: &pb.PolicyStage_KeepLast{KeepLast: &pb.KeepLast{UnitCount: proto.Int32(keptTurns)}},
				}},
			}}},
		},
	})
	if status.Code(err) == codes.AlreadyExists {
		return nil
	}
	return err
}

// turn asks, calls the tools side by side, and answers.
func (a *agent) turn(ctx context.Context, turn int) error {
	city := cities[turn%len(cities)]
	question := &pb.Message{Role: pb.Role_ROLE_USER, Text: fmt.Sprintf("Turn %d: where do I eat in %s?", turn, city)}
	calls := &pb.Message{Role: pb.Role_ROLE_ASSISTANT}
	for _, name := range []string{"find_restaurant", "get_weather"} {
		calls.ToolCalls = append(calls.ToolCalls, &pb.ToolCall{
			ToolCallId: fmt.Sprintf("%s-%d", name, turn),
			Name:       name,
			Arguments:  fmt.Sprintf(`{"city":%q}`, city),
		})
	}
	if err := a.append(ctx, fmt.Sprintf("turn-%d/ask", turn), false, question, calls); err != nil {
		return err
	}

	results := make(chan error)
	for _, call := range calls.ToolCalls {
		go func() {
			result := &pb.Message{Role: pb.Role_ROLE_TOOL, ToolCallId: call.ToolCallId, Text: runTool(call.Name, city)}
			results <- a.append(ctx, "result/"+call.ToolCallId, false, result)
		}()
	}
	for range calls.ToolCalls {
		if err := <-results; err != nil {
			return err
		}
	}

	window, err := a.sessions.GetWindow(ctx, &pb.GetWindowRequest{SessionId: sessionID})
	if err != nil {
		return err
	}
	answer := &pb.Message{Role: pb.Role_ROLE_ASSISTANT, Text: think(window.GetMessages(), turn)}
	if err := a.append(ctx, fmt.Sprintf("turn-%d/answer", turn), true, answer); err != nil {
		return err
	}
	if turn == 2 {
		if err := a.remember(ctx); err != nil {
			return err
		}
	}
	report("turn", map[string]any{
		"turn":      turn,
		"messages":  len(window.GetMessages()),
		"openCalls": len(window.GetOpenToolCallIds()),
		"answer":    answer.Text,
	})
	return nil
}

func runTool(name, city string) string {
	time.Sleep(20 * time.Millisecond)
	if name == "get_weather" {
		return "It is sunny in " + city + "."
	}
	return "The Anchor in " + city + " has a table."
}

// think is the model: it reads the results of this turn in the window.
func think(window []*pb.Message, turn int) string {
	found := map[string]string{}
	for _, message := range window {
		found[message.GetToolCallId()] = message.GetText()
	}
	return strings.TrimSpace(found[fmt.Sprintf("find_restaurant-%d", turn)] + " " + found[fmt.Sprintf("get_weather-%d", turn)])
}

// append stores messages. A deadline leaves open whether they are stored: the same request id gives
// the first answer then, and nothing is stored twice.
func (a *agent) append(ctx context.Context, requestID string, turnEnd bool, messages ...*pb.Message) error {
	request := &pb.AppendMessagesRequest{
		SessionId: sessionID,
		Messages:  messages,
		RequestId: requestID,
		TurnEnd:   turnEnd,
	}
	answer, err := untilKnown(ctx, request, a.sessions.AppendMessages)
	if err != nil {
		return err
	}
	if len(answer.GetTrims()) > 0 {
		a.lastTrim = max(a.lastTrim, answer.GetRevision())
	}
	return nil
}

func (a *agent) remember(ctx context.Context) error {
	request := &pb.RememberRequest{
		RequestId: "remember",
		Memories:  []*pb.Memory{{Text: allergy, UserId: userID, Importance: proto.Float64(0.9)}},
	}
	_, err := untilKnown(ctx, request, a.memories.Remember)
	return err
}

// lookBack finds what was remembered, by itself and in a context for the model.
func (a *agent) lookBack(ctx context.Context) error {
	found, err := a.recall.Recall(ctx, &pb.RecallRequest{
		Query: "what is Ada allergic to",
		Filter: &pb.RecallFilter{
			Scope: &pb.ScopeFilter{Scope: &pb.ScopeFilter_VisibleTo{VisibleTo: &pb.MemoryScope{UserId: proto.String(userID)}}},
			Kinds: []pb.RecallKind{pb.RecallKind_RECALL_KIND_MEMORY},
		},
	})
	if err != nil {
		return err
	}
	for _, hit := range found.GetHits() {
		report("recalled", map[string]any{"text": hit.GetMemory().GetText()})
	}
	prompt, err := a.recall.AssembleContext(ctx, &pb.AssembleContextRequest{
		SessionId: sessionID,
		Query:     "a dinner without peanuts",
		MaxTokens: 1_000,
	})
	if err != nil {
		return err
	}
	report("context", map[string]any{"text": prompt.GetText()})
	return nil
}
