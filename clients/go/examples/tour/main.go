// Command tour walks once through the client: turns with tools, the window, what leaves it, memory,
// context, records, errors, erasure. The tours of all languages print the same lines.
//
//	go run ./examples/tour [ADDRESS [TOKEN]]
//
// It asks for a kill of the server, and then of itself; "resume" as a third argument goes on.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/memory-sidecar/memory-sidecar/clients/go/memorysidecar"
	pb "github.com/memory-sidecar/memory-sidecar/clients/go/memorysidecar/v1"
)

var input = bufio.NewReader(os.Stdin)

func main() {
	// More attempts than usual: a person who kills the server is slow to start it again.
	retry := memorysidecar.RetryPolicy{MaxAttempts: 30, InitialDelay: 100 * time.Millisecond, MaxDelay: 2 * time.Second}
	client, err := memorysidecar.Connect(argument(1, "127.0.0.1:50151"),
		memorysidecar.WithToken(argument(2, "")), memorysidecar.WithRetry(retry))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	type step = func(context.Context, *memorysidecar.Client) error
	steps := []step{start}
	if argument(3, "") == "resume" {
		steps = []step{resume, remember, records, refusals, erase}
	}
	for _, step := range steps {
		if err := step(context.Background(), client); err != nil {
			log.Fatal(err)
		}
	}
}

func argument(at int, otherwise string) string {
	if at < len(os.Args) {
		return os.Args[at]
	}
	return otherwise
}

func ask(text string) {
	fmt.Println(text)
	_, _ = input.ReadString('\n')
}

func start(ctx context.Context, client *memorysidecar.Client) error {
	fmt.Println("== Turns")
	_, err := client.EnsureSession(ctx, &pb.Session{
		SessionId: "trip",
		UserId:    "ada",
		Policy:    memorysidecar.Preset("turns", memorysidecar.Options{"max_turns": 1}),
	})
	if err != nil {
		return err
	}
	consumer := &pb.CreateConsumerRequest{
		ConsumerId: "tour",
		Start:      &pb.CreateConsumerRequest_Position{Position: pb.StreamPosition_STREAM_POSITION_OLDEST},
	}
	if _, err := client.EnsureConsumer(ctx, consumer); err != nil {
		return err
	}
	trims, err := watchTrims(ctx, client)
	if err != nil {
		return err
	}
	defer trims.Close()

	if err := turn(ctx, client, 1, "Lisbon"); err != nil {
		return err
	}
	if err := show(ctx, client); err != nil {
		return err
	}
	if err := turn(ctx, client, 2, "Oslo"); err != nil {
		return err
	}
	if err := showTrim(ctx, trims); err != nil {
		return err
	}
	ask("Kill the server, press Enter, and start it again.")
	if err := turn(ctx, client, 3, "Rome"); err != nil {
		return err
	}
	if err := showTrim(ctx, trims); err != nil {
		return err
	}
	if err := turn(ctx, client, 4, "Paris"); err != nil {
		return err
	}
	ask("Kill this program, and start it again with resume.")
	return nil
}

func watchTrims(ctx context.Context, client *memorysidecar.Client) (*memorysidecar.Watch, error) {
	return client.Watch(ctx, &pb.WatchEventsRequest{
		Start: &pb.WatchEventsRequest_ConsumerId{ConsumerId: "tour"},
		Filter: &pb.EventFilter{
			SessionId:  proto.String("trip"),
			EventTypes: []pb.EventType{pb.EventType_EVENT_TYPE_MESSAGES_TRIMMED},
		},
	})
}

// turn asks, runs the tools of the answer side by side, and appends what they found.
func turn(ctx context.Context, client *memorysidecar.Client, number int, city string) error {
	arguments := fmt.Sprintf(`{"city":%q}`, city)
	calls := []*pb.ToolCall{
		memorysidecar.Call(fmt.Sprintf("table-%d", number), "find_table", arguments),
		memorysidecar.Call(fmt.Sprintf("weather-%d", number), "get_weather", arguments),
	}
	asked, err := client.Append(ctx, "trip",
		memorysidecar.User("Where do I eat in "+city+"?"), memorysidecar.Assistant("", calls...))
	if err != nil {
		return err
	}
	results := make([]*pb.Message, len(calls))
	var running sync.WaitGroup
	for at, call := range calls {
		running.Go(func() { results[at] = memorysidecar.Tool(call.GetToolCallId(), runTool(call.GetName(), city)) })
	}
	running.Wait()
	answer := memorysidecar.Assistant(results[0].GetText() + " " + results[1].GetText())
	done, err := client.Append(ctx, "trip", append(results, answer)...)
	if err != nil {
		return err
	}
	fmt.Printf("turn %d has the seqs %d to %d\n", number, asked.GetMessages()[0].GetSeq(), done.GetLastSeq())
	return nil
}

func runTool(name, city string) string {
	if name == "get_weather" {
		return "It is sunny in " + city + "."
	}
	return "The Anchor in " + city + " has a table."
}

func show(ctx context.Context, client *memorysidecar.Client) error {
	window, err := client.Window(ctx, "trip")
	if err != nil {
		return err
	}
	for _, message := range window.GetMessages() {
		role := strings.ToLower(strings.TrimPrefix(message.GetRole().String(), "ROLE_"))
		line := fmt.Sprintf("%d %s:", message.GetSeq(), role)
		for _, call := range message.GetToolCalls() {
			line += fmt.Sprintf(" %s(%s)", call.GetName(), call.GetArguments())
		}
		if message.GetText() != "" {
			line += " " + message.GetText()
		}
		fmt.Println(line)
	}
	return nil
}

// showTrim waits for the next trim, shows it, and tells the server that it is done.
func showTrim(ctx context.Context, trims *memorysidecar.Watch) error {
	streamed, err := trims.Next()
	if err != nil {
		return err
	}
	trim := streamed.GetEvent().GetMessagesTrimmed().GetTrim()
	seqs := trim.GetSeqRanges()[0]
	fmt.Printf("left the window: %d to %d, by %s\n", seqs.GetFirstSeq(), seqs.GetLastSeq(), trim.GetStage())
	return trims.Ack(ctx)
}

func resume(ctx context.Context, client *memorysidecar.Client) error {
	fmt.Println("== Resumed")
	trims, err := watchTrims(ctx, client)
	if err != nil {
		return err
	}
	defer trims.Close()
	if err := showTrim(ctx, trims); err != nil {
		return err
	}
	if err := turn(ctx, client, 5, "Porto"); err != nil {
		return err
	}
	if err := showTrim(ctx, trims); err != nil {
		return err
	}
	count := 0
	for _, err := range client.ListMessages(ctx, &pb.ListMessagesRequest{SessionId: "trip", PageSize: 4}) {
		if err != nil {
			return err
		}
		count++
	}
	fmt.Printf("the log has %d messages\n", count)
	return nil
}

func remember(ctx context.Context, client *memorysidecar.Client) error {
	fmt.Println("== Memory")
	for _, text := range []string{"Ada lives in Porto.", "Ada lives in Berlin."} {
		_, err := client.Memories.Remember(ctx, &pb.RememberRequest{
			Memories: []*pb.Memory{{UserId: "ada", Key: "home_city", Text: text}},
			Conflict: &pb.ConflictRule{Mode: pb.ConflictMode_CONFLICT_MODE_SUPERSEDE},
		})
		if err != nil {
			return err
		}
	}
	_, err := client.Memories.Remember(ctx, &pb.RememberRequest{
		Memories: []*pb.Memory{{UserId: "ada", Text: "Ada is allergic to peanuts."}},
	})
	if err != nil {
		return err
	}
	found, err := client.Recalls.Recall(ctx, &pb.RecallRequest{
		Query:    "which city is home",
		PageSize: 1,
		Filter: &pb.RecallFilter{
			Scope: memorysidecar.VisibleTo("ada"),
			Kinds: []pb.RecallKind{pb.RecallKind_RECALL_KIND_MEMORY},
		},
	})
	if err != nil {
		return err
	}
	for _, hit := range found.GetHits() {
		fmt.Println("recalled:", hit.GetMemory().GetText())
	}
	prompt, err := client.Recalls.AssembleContext(ctx, &pb.AssembleContextRequest{
		SessionId:           "trip",
		Query:               "a dinner without peanuts",
		MaxTokens:           500,
		ExcludeConversation: true,
		Sections:            []*pb.ContextSection{{Kind: pb.ContextSectionKind_CONTEXT_SECTION_KIND_LONG_TERM}},
	})
	if err != nil {
		return err
	}
	fmt.Println(prompt.GetText())
	return nil
}

func records(ctx context.Context, client *memorysidecar.Client) error {
	fmt.Println("== Records")
	path := []string{"checkpoints", "trip"}
	for _, step := range []string{"one", "two", "three"} {
		_, err := client.Records.PutRecord(ctx, &pb.PutRecordRequest{Record: &pb.NamedRecord{
			Path: path, Key: step, Value: []byte("step " + step), Owner: &pb.MemoryScope{UserId: proto.String("ada")},
		}})
		if err != nil {
			return err
		}
	}
	request := &pb.ListRecordsRequest{Range: &pb.RecordRange{Path: path}, IncludeValues: true, PageSize: 2}
	for record, err := range client.ListRecords(ctx, request) {
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s\n", record.GetKey(), record.GetValue())
	}
	return nil
}

// refusals shows what errors tell, and that a request id stores once.
func refusals(ctx context.Context, client *memorysidecar.Client) error {
	fmt.Println("== Errors")
	late := &pb.AppendMessagesRequest{
		SessionId:       "trip",
		Messages:        []*pb.Message{memorysidecar.User("Too late")},
		ExpectedLastSeq: proto.Int64(1),
	}
	_, err := client.Sessions.AppendMessages(ctx, late)
	var refused *memorysidecar.Error
	if !errors.As(err, &refused) {
		return fmt.Errorf("an old seq was taken: %w", err)
	}
	fmt.Printf("%s: the newest seq is %s\n", refused.Reason, refused.Metadata["last_seq"])
	_, err = client.Append(ctx, "trip", &pb.Message{Text: "Whose?"})
	if !errors.As(err, &refused) {
		return fmt.Errorf("a message without a role was taken: %w", err)
	}
	fmt.Printf("%s: %s\n", refused.Reason, refused.Violations[0].Field)
	once := &pb.AppendMessagesRequest{SessionId: "trip", Messages: []*pb.Message{memorysidecar.User("Thank you.")}, RequestId: "thanks"}
	first, err := client.Sessions.AppendMessages(ctx, once)
	if err != nil {
		return err
	}
	again, err := client.Sessions.AppendMessages(ctx, once)
	if err != nil {
		return err
	}
	fmt.Printf("sent twice, stored once: seq %d and seq %d\n", first.GetLastSeq(), again.GetLastSeq())
	return nil
}

func erase(ctx context.Context, client *memorysidecar.Client) error {
	fmt.Println("== Erasure")
	answer, err := client.Admin.EraseSubject(ctx, &pb.EraseSubjectRequest{
		Subject: &pb.ErasureSubject{Subject: &pb.ErasureSubject_UserId{UserId: "ada"}},
	})
	if err != nil {
		return err
	}
	receipt := answer.GetErasure()
	for receipt.GetState() == pb.ErasureState_ERASURE_STATE_RUNNING {
		time.Sleep(20 * time.Millisecond)
		found, err := client.Admin.GetErasure(ctx, &pb.GetErasureRequest{ErasureId: receipt.GetErasureId()})
		if err != nil {
			return err
		}
		receipt = found.GetErasure()
	}
	for _, erased := range receipt.GetErased() {
		kind := strings.ToLower(strings.TrimPrefix(erased.GetKind().String(), "ERASED_KIND_"))
		fmt.Printf("erased %s: %d\n", kind, erased.GetCount())
	}
	_, err = client.Window(ctx, "trip")
	if !memorysidecar.HasReason(err, pb.ErrorReason_ERROR_REASON_SESSION_NOT_FOUND) {
		return fmt.Errorf("the session was not erased: %w", err)
	}
	fmt.Println("nothing is left of the session")
	return nil
}
