package memorysidecar_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/memory-sidecar/memory-sidecar/clients/go/memorysidecar"
	pb "github.com/memory-sidecar/memory-sidecar/clients/go/memorysidecar/v1"
)

// fake is a server that answers as a test says.
type fake struct {
	pb.UnimplementedSessionServiceServer
	pb.UnimplementedEventServiceServer

	mu      sync.Mutex
	appends []*pb.AppendMessagesRequest
	tokens  []string
	errors  []error
	watches []*pb.WatchEventsRequest
	watch   func(number int, stream grpc.ServerStreamingServer[pb.WatchEventsResponse]) error
	acked   *pb.AckEventsRequest
	owners  map[string]string
}

// next notes a call and gives the error that it is to fail with.
func (f *fake) next(ctx context.Context) error {
	incoming, _ := metadata.FromIncomingContext(ctx)
	f.tokens = append(f.tokens, strings.Join(incoming.Get("authorization"), " "))
	if len(f.errors) == 0 {
		return nil
	}
	err := f.errors[0]
	f.errors = f.errors[1:]
	return err
}

func (f *fake) CreateSession(context.Context, *pb.CreateSessionRequest) (*pb.CreateSessionResponse, error) {
	return nil, failure(codes.AlreadyExists, "SESSION_ALREADY_EXISTS")
}

func (f *fake) AppendMessages(ctx context.Context, request *pb.AppendMessagesRequest) (*pb.AppendMessagesResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.appends = append(f.appends, request)
	return &pb.AppendMessagesResponse{LastSeq: int64(len(f.appends))}, f.next(ctx)
}

func (f *fake) GetSession(ctx context.Context, request *pb.GetSessionRequest) (*pb.GetSessionResponse, error) {
	if owner, ok := f.owners[request.GetSessionId()]; ok {
		return &pb.GetSessionResponse{Session: &pb.Session{SessionId: request.GetSessionId(), UserId: owner}}, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func (f *fake) ListMessages(ctx context.Context, request *pb.ListMessagesRequest) (*pb.ListMessagesResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.next(ctx); err != nil {
		return nil, err
	}
	page := &pb.ListMessagesResponse{Messages: []*pb.Message{{Seq: 1}, {Seq: 2}}, NextPageToken: "two"}
	if request.GetPageToken() == "two" {
		page = &pb.ListMessagesResponse{Messages: []*pb.Message{{Seq: 3}}}
	}
	return page, nil
}

func (f *fake) WatchEvents(request *pb.WatchEventsRequest, stream grpc.ServerStreamingServer[pb.WatchEventsResponse]) error {
	f.mu.Lock()
	f.watches = append(f.watches, request)
	number := len(f.watches)
	f.mu.Unlock()
	return f.watch(number, stream)
}

func (f *fake) AckEvents(_ context.Context, request *pb.AckEventsRequest) (*pb.AckEventsResponse, error) {
	f.acked = request
	return &pb.AckEventsResponse{}, nil
}

var quick = memorysidecar.WithRetry(memorysidecar.RetryPolicy{MaxAttempts: 4, InitialDelay: time.Millisecond, MaxDelay: 2 * time.Millisecond})

// serve starts the fake and gives its address.
func serve(t *testing.T, f *fake, options ...grpc.ServerOption) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(options...)
	pb.RegisterSessionServiceServer(server, f)
	pb.RegisterEventServiceServer(server, f)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

func connect(t *testing.T, address string, options ...memorysidecar.Option) *memorysidecar.Client {
	t.Helper()
	client, err := memorysidecar.Connect(address, append([]memorysidecar.Option{quick}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func failure(code codes.Code, reason string, details ...protoadapt.MessageV1) error {
	all := append([]protoadapt.MessageV1{&errdetails.ErrorInfo{Reason: reason, Domain: "memorysidecar.io", Metadata: map[string]string{"last_seq": "7"}}}, details...)
	found, err := status.New(code, "no").WithDetails(all...)
	if err != nil {
		panic(err)
	}
	return found.Err()
}

func TestTheSessionOfAnotherUser(t *testing.T) {
	client := connect(t, serve(t, &fake{owners: map[string]string{"anas": "ana", "nobodys": ""}}))
	for _, ask := range []struct{ session, user, fault string }{
		{"anas", "ana", ""},
		{"anas", "", ""},
		{"nobodys", "bob", ""},
		{"anas", "bob", `Session "anas" exists, and belongs to another user than "bob".`},
	} {
		session, err := client.EnsureSession(t.Context(), &pb.Session{SessionId: ask.session, UserId: ask.user})
		if ask.fault == "" {
			if err != nil || session.GetSessionId() != ask.session {
				t.Errorf("%v: %v, %v", ask, session, err)
			}
			continue
		}
		if session != nil || !strings.Contains(err.Error(), ask.fault) ||
			!memorysidecar.HasReason(err, pb.ErrorReason_ERROR_REASON_SESSION_ALREADY_EXISTS) {
			t.Errorf("%v: %v, %v", ask, session, err)
		}
	}
}

func TestAddressesAndTokens(t *testing.T) {
	for _, address := range []string{"http://localhost:7437", "localhost", "", ":50151", "localhost:0", "localhost:99999", "a b:1"} {
		if _, err := memorysidecar.Connect(address); err == nil || !strings.Contains(err.Error(), "the address must be host:port") {
			t.Errorf("%q: %v", address, err)
		}
	}
	token := memorysidecar.WithToken("secret")
	for _, address := range []string{"memory.example:50151", "10.0.0.7:50151", "[2001:db8::1]:50151"} {
		if _, err := memorysidecar.Connect(address, token); err == nil || !strings.Contains(err.Error(), "WithTLS") {
			t.Errorf("%q: the token would travel unencrypted: %v", address, err)
		}
		connect(t, address, token, memorysidecar.WithTLS(nil))
		connect(t, address)
	}
	for _, address := range []string{"localhost:50151", "127.0.0.1:50151", "[::1]:50151", "unix:/tmp/a.sock", "./a.sock"} {
		connect(t, address, token)
	}
}

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{}
	server := grpc.NewServer()
	pb.RegisterSessionServiceServer(server, f)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	for _, address := range []string{path, "unix:" + path} {
		if _, err := connect(t, address).Append(t.Context(), "s", memorysidecar.User("hi")); err != nil {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestTLS(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "memory"}, DNSNames: []string{"memory.example"},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(certificate)
	own := tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	f := &fake{}
	address := serve(t, f, grpc.Creds(credentials.NewServerTLSFromCert(&own)))
	config := &tls.Config{RootCAs: roots, ServerName: "memory.example"}
	client := connect(t, address, memorysidecar.WithTLS(config), memorysidecar.WithToken("secret"))
	if _, err := client.Append(t.Context(), "s", memorysidecar.User("hi")); err != nil {
		t.Fatal(err)
	}
	if f.tokens[0] != "Bearer secret" {
		t.Errorf("the token is %q", f.tokens[0])
	}
	var refused *memorysidecar.Error
	_, err = connect(t, address, memorysidecar.WithTLS(nil)).Append(t.Context(), "s", memorysidecar.User("hi"))
	if !errors.As(err, &refused) || refused.Code != codes.Unavailable {
		t.Errorf("a certificate of nobody was trusted: %v", err)
	}
}

func TestRepeatsWhatIsUnavailable(t *testing.T) {
	f := &fake{errors: []error{
		failure(codes.Unavailable, "OVERLOADED", &errdetails.RetryInfo{RetryDelay: durationpb.New(30 * time.Millisecond)}),
		status.Error(codes.Unavailable, "connection lost"),
		status.Error(codes.Canceled, "connection torn down"),
	}}
	client := connect(t, serve(t, f), memorysidecar.WithNamespace("tenant"), memorysidecar.WithToken("secret"))
	request := &pb.AppendMessagesRequest{SessionId: "s", Messages: []*pb.Message{memorysidecar.User("hi")}}
	before := proto.CloneOf(request)
	began := time.Now()
	answer, err := client.Sessions.AppendMessages(t.Context(), request)
	if err != nil || answer.GetLastSeq() != 4 {
		t.Fatalf("%v %v", answer, err)
	}
	if time.Since(began) < 30*time.Millisecond {
		t.Error("the client came back before the server asked")
	}
	if !proto.Equal(request, before) {
		t.Errorf("the request of the caller became %v", request)
	}
	first := f.appends[0]
	for at, sent := range f.appends {
		if sent.GetRequestId() == "" || sent.GetRequestId() != first.GetRequestId() {
			t.Errorf("attempt %d has the request id %q", at, sent.GetRequestId())
		}
		if sent.GetNamespace() != "tenant" || f.tokens[at] != "Bearer secret" {
			t.Errorf("attempt %d: %v %q", at, sent, f.tokens[at])
		}
	}
	if _, err := client.Sessions.AppendMessages(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if f.appends[4].GetRequestId() == first.GetRequestId() {
		t.Error("two calls have one request id")
	}
	own := &pb.AppendMessagesRequest{SessionId: "s", RequestId: "mine", Namespace: "other", TurnEnd: true}
	if _, err := client.Sessions.AppendMessages(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	if sent := f.appends[5]; !proto.Equal(sent, own) {
		t.Errorf("%v was sent as %v", own, sent)
	}
}

func TestGivesUp(t *testing.T) {
	again := func(times int, err error) (list []error) {
		for range times {
			list = append(list, err)
		}
		return list
	}
	for _, test := range []struct {
		name     string
		errors   []error
		attempts int
	}{
		{"after the attempts", again(9, failure(codes.Unavailable, "OVERLOADED")), 4},
		{"at once when somebody was faster", again(9, failure(codes.Aborted, "LAST_SEQ_MISMATCH")), 1},
		{"at once when the disk is full", again(9, failure(codes.ResourceExhausted, "STORE_FULL")), 1},
		{"when the delay is longer than the call", again(9, failure(codes.Unavailable, "OVERLOADED",
			&errdetails.RetryInfo{RetryDelay: durationpb.New(time.Hour)})), 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &fake{errors: test.errors}
			_, err := connect(t, serve(t, f)).Append(t.Context(), "s", memorysidecar.User("hi"))
			if err == nil || len(f.appends) != test.attempts {
				t.Errorf("%d attempts: %v", len(f.appends), err)
			}
		})
	}
}

func TestErrorsAreTyped(t *testing.T) {
	f := &fake{errors: []error{failure(codes.NotFound, "SESSION_NOT_FOUND",
		&errdetails.ResourceInfo{ResourceType: "Session", ResourceName: "s"},
		&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "session_id", Description: "is unknown"}}},
	)}}
	client := connect(t, serve(t, f))
	_, err := client.Sessions.AppendMessages(t.Context(), &pb.AppendMessagesRequest{SessionId: "s", RequestId: "mine"})
	var refused *memorysidecar.Error
	if !errors.As(err, &refused) {
		t.Fatal(err)
	}
	if refused.Code != codes.NotFound || status.Code(err) != codes.NotFound || refused.Reason != "SESSION_NOT_FOUND" ||
		refused.Metadata["last_seq"] != "7" || refused.RequestID != "mine" || *refused.Resource != (memorysidecar.Resource{Type: "Session", Name: "s"}) ||
		refused.Violations[0] != (memorysidecar.FieldViolation{Field: "session_id", Description: "is unknown"}) ||
		refused.Method != pb.SessionService_AppendMessages_FullMethodName {
		t.Errorf("%+v", refused)
	}
	for _, part := range []string{`SESSION_NOT_FOUND: no Session "s" in namespace "default".`, "EnsureSession"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q lacks %q", err, part)
		}
	}
	if !memorysidecar.HasReason(err, pb.ErrorReason_ERROR_REASON_SESSION_NOT_FOUND) ||
		memorysidecar.HasReason(err, pb.ErrorReason_ERROR_REASON_MESSAGE_NOT_FOUND) ||
		memorysidecar.HasReason(errors.New("SESSION_NOT_FOUND"), pb.ErrorReason_ERROR_REASON_SESSION_NOT_FOUND) {
		t.Error("HasReason is wrong")
	}

	_, err = connect(t, "127.0.0.1:1").Append(t.Context(), "s", memorysidecar.User("hi"))
	if err == nil || !strings.Contains(err.Error(), "No server answers at 127.0.0.1:1. Is it running there?") {
		t.Error(err)
	}
	limited, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = client.Sessions.GetSession(limited, &pb.GetSessionRequest{SessionId: "s"})
	if !errors.Is(err, context.DeadlineExceeded) || status.Code(err) != codes.DeadlineExceeded {
		t.Error(err)
	}
	_, err = connect(t, serve(t, f), memorysidecar.WithTimeout(20*time.Millisecond)).Sessions.GetSession(t.Context(), &pb.GetSessionRequest{})
	if status.Code(err) != codes.DeadlineExceeded {
		t.Error(err)
	}
}

func TestPages(t *testing.T) {
	f := &fake{}
	client := connect(t, serve(t, f))
	var seqs []int64
	request := &pb.ListMessagesRequest{SessionId: "s"}
	for message, err := range client.ListMessages(t.Context(), request) {
		if err != nil {
			t.Fatal(err)
		}
		seqs = append(seqs, message.GetSeq())
	}
	if len(seqs) != 3 || seqs[2] != 3 || request.GetPageToken() != "" {
		t.Errorf("%v, and the request is %v", seqs, request)
	}
	calls := len(f.tokens)
	for range client.ListMessages(t.Context(), request) {
		break
	}
	if len(f.tokens) != calls+1 {
		t.Error("a page was fetched that nobody reads")
	}
	f.errors = []error{failure(codes.NotFound, "SESSION_NOT_FOUND")}
	for _, err := range client.ListMessages(t.Context(), request) {
		if !memorysidecar.HasReason(err, pb.ErrorReason_ERROR_REASON_SESSION_NOT_FOUND) {
			t.Error(err)
		}
	}
}

func answer(token string, revisions ...int64) *pb.WatchEventsResponse {
	events := make([]*pb.StreamedEvent, len(revisions))
	for at, revision := range revisions {
		events[at] = &pb.StreamedEvent{Event: &pb.Event{Revision: revision}, ResumeToken: token}
	}
	return &pb.WatchEventsResponse{Events: events, ResumeToken: token}
}

func TestWatchResumes(t *testing.T) {
	f := &fake{watch: func(number int, stream grpc.ServerStreamingServer[pb.WatchEventsResponse]) error {
		switch number {
		case 1:
			return status.Error(codes.Unavailable, "starting")
		case 2:
			_ = stream.Send(answer("start"))
			_ = stream.Send(answer("after-2", 1, 2))
			return status.Error(codes.Unavailable, "killed")
		case 3:
			_ = stream.Send(answer("after-3", 2, 3))
			return nil // No orderly end is known.
		case 4:
			_ = stream.Send(answer("checkpoint"))
			return failure(codes.Unavailable, "SHUTTING_DOWN")
		}
		_ = stream.Send(answer("after-4", 4))
		return failure(codes.OutOfRange, "RESUME_TOKEN_EXPIRED")
	}}
	client := connect(t, serve(t, f), memorysidecar.WithNamespace("tenant"))
	interrupts := 0
	request := &pb.WatchEventsRequest{Start: &pb.WatchEventsRequest_ConsumerId{ConsumerId: "c"}}
	watch, err := client.Watch(t.Context(), request, memorysidecar.OnInterrupt(func(error, int) { interrupts++ }))
	if err != nil {
		t.Fatal(err)
	}
	if watch.ResumeToken() != "start" {
		t.Errorf("the first token is %q", watch.ResumeToken())
	}
	var revisions []int64
	var last error
	for streamed, err := range watch.Events() {
		if err != nil {
			last = err
			break
		}
		revisions = append(revisions, streamed.GetEvent().GetRevision())
		if streamed.GetEvent().GetRevision() == 3 {
			if err := watch.Ack(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(revisions) != 4 || revisions[0] != 1 || revisions[1] != 2 || revisions[2] != 3 || revisions[3] != 4 {
		t.Errorf("the events are %v", revisions)
	}
	if !memorysidecar.HasReason(last, pb.ErrorReason_ERROR_REASON_RESUME_TOKEN_EXPIRED) {
		t.Error(last)
	}
	if interrupts != 4 || len(f.watches) != 5 {
		t.Errorf("%d interrupts of %d streams", interrupts, len(f.watches))
	}
	for at, token := range []string{"", "", "after-2", "after-3", "checkpoint"} {
		if sent := f.watches[at]; sent.GetResumeToken() != token || sent.GetNamespace() != "tenant" {
			t.Errorf("stream %d began with %v", at, sent)
		}
	}
	if f.acked.GetConsumerId() != "c" || f.acked.GetResumeToken() != "after-3" || f.acked.GetNamespace() != "tenant" {
		t.Errorf("%v was acknowledged", f.acked)
	}
}

func TestWatchEnds(t *testing.T) {
	f := &fake{watch: func(_ int, stream grpc.ServerStreamingServer[pb.WatchEventsResponse]) error {
		_ = stream.Send(answer("start"))
		<-stream.Context().Done()
		return stream.Context().Err()
	}}
	address := serve(t, f)
	watch, err := connect(t, address).Watch(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := watch.Ack(t.Context()); err == nil {
		t.Error("a watch without a consumer was acknowledged")
	}
	time.AfterFunc(20*time.Millisecond, watch.Close)
	for _, err := range watch.Events() {
		t.Error(err)
	}
	if f.watches[0].GetPosition() != pb.StreamPosition_STREAM_POSITION_NOW {
		t.Errorf("it began with %v", f.watches[0])
	}
	limited, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	watch, err = connect(t, address).Watch(limited, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := watch.Next(); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	closing := connect(t, address)
	watch, err = closing.Watch(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() { _ = closing.Close() })
	if _, err := watch.Next(); status.Code(err) != codes.Canceled {
		t.Error(err)
	}
	f.watch = func(int, grpc.ServerStreamingServer[pb.WatchEventsResponse]) error {
		return status.Error(codes.Unavailable, "away")
	}
	began := len(f.watches)
	if _, err := connect(t, address).Watch(t.Context(), nil); status.Code(err) != codes.Unavailable || len(f.watches) != began+4 {
		t.Errorf("%d streams: %v", len(f.watches)-began, err)
	}
}

func TestWatchErrorsAreTyped(t *testing.T) {
	for _, c := range []struct {
		code codes.Code
		want error
	}{
		{codes.DeadlineExceeded, context.DeadlineExceeded},
		{codes.OutOfRange, nil},
	} {
		f := &fake{watch: func(_ int, stream grpc.ServerStreamingServer[pb.WatchEventsResponse]) error {
			_ = stream.Send(answer("start"))
			return status.Error(c.code, "no")
		}}
		watch, err := connect(t, serve(t, f)).Watch(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = watch.Next()
		var failure *memorysidecar.Error
		if !errors.As(err, &failure) || failure.Code != c.code || failure.Unwrap() != c.want {
			t.Errorf("%v: %v", c.code, err)
		}
	}
}

func TestPolicies(t *testing.T) {
	preset := memorysidecar.Preset("marsys", memorysidecar.Options{"max_total_tokens_trigger": 9, "trigger_events": []string{"add"}, "active_context": map[string]any{"enabled": true}}).GetPreset()
	if preset.GetName() != "marsys" || preset.GetOptions().GetFields()["max_total_tokens_trigger"].GetNumberValue() != 9 ||
		preset.GetOptions().GetFields()["trigger_events"].GetListValue().GetValues()[0].GetStringValue() != "add" {
		t.Error(preset)
	}
	if options := memorysidecar.Preset("turns", nil).GetPreset().GetOptions(); len(options.GetFields()) != 0 {
		t.Error(options)
	}
	policy := memorysidecar.MakePolicy(
		memorysidecar.Shorten("results", &pb.Shorten{MaxTokens: 64}),
		memorysidecar.Filter("chatter", "message.content != 'ok'"),
		memorysidecar.DropDuplicates("same", &pb.DropDuplicates{}),
		memorysidecar.PackNewest("pack", &pb.PackNewest{MaxTokens: proto.Int64(900)}),
		memorysidecar.PinMiddleRecent("middle", &pb.PinMiddleRecent{}),
		memorysidecar.DropOldest("fit", &pb.DropOldest{MaxTokens: proto.Int64(500)}),
		memorysidecar.KeepLast("last", 1),
	).GetPolicy()
	for _, stage := range policy.GetStages() {
		if stage.GetName() == "" || stage.GetSelect() == nil {
			t.Error(stage)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("an option without a form in JSON was taken")
		}
	}()
	memorysidecar.Preset("turns", memorysidecar.Options{"max_turns": func() {}})
}
