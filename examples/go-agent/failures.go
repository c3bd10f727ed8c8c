package main

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "github.com/memory-sidecar/memory-sidecar/clients/go/memorysidecar/v1"
)

const errorDomain = "memorysidecar.io"

// remedy is what to do about an error. Its code alone says that; the reason says why.
type remedy string

const (
	sendAgain   remedy = "send the same request again"
	readFirst   remedy = "read, then send a new request"
	changeIt    remedy = "change the request"
	callAPerson remedy = "call a person"
)

func remedyOf(err error) remedy {
	switch status.Code(err) {
	// Nothing was done, or nobody knows; the request id makes the repeat safe.
	case codes.Unavailable, codes.DeadlineExceeded:
		return sendAgain
	case codes.Aborted:
		return readFirst
	case codes.InvalidArgument, codes.NotFound, codes.AlreadyExists, codes.FailedPrecondition, codes.OutOfRange:
		return changeIt
	default:
		return callAPerson
	}
}

// untilKnown calls until the outcome is known. gRPC has repeated what was UNAVAILABLE already.
func untilKnown[Request, Answer any](
	ctx context.Context,
	request Request,
	call func(context.Context, Request, ...grpc.CallOption) (Answer, error),
) (Answer, error) {
	for {
		attempt, cancel := context.WithTimeout(ctx, callDeadline)
		answer, err := call(attempt, request)
		cancel()
		if err == nil || ctx.Err() != nil || remedyOf(err) != sendAgain {
			return answer, err
		}
	}
}

// codeName is the name of a code in the contract, such as NOT_FOUND.
func codeName(code codes.Code) string {
	return map[codes.Code]string{
		codes.InvalidArgument: "INVALID_ARGUMENT", codes.NotFound: "NOT_FOUND",
		codes.AlreadyExists: "ALREADY_EXISTS", codes.Aborted: "ABORTED",
		codes.FailedPrecondition: "FAILED_PRECONDITION", codes.OutOfRange: "OUT_OF_RANGE",
		codes.DeadlineExceeded: "DEADLINE_EXCEEDED", codes.Unavailable: "UNAVAILABLE",
		codes.Unauthenticated: "UNAUTHENTICATED",
	}[code]
}

// showErrors makes an error of each class and shows what the server says of it.
func showErrors(ctx context.Context, conn *grpc.ClientConn, address string) error {
	stranger, err := connect(address)
	if err != nil {
		return err
	}
	defer stranger.Close()
	sessions := pb.NewSessionServiceClient(conn)
	hello := []*pb.Message{{Role: pb.Role_ROLE_USER, Text: "Hello."}}
	late := &pb.AppendMessagesRequest{SessionId: sessionID, Messages: hello, RequestId: "hello"}
	session := func(id, requestID string) *pb.CreateSessionRequest {
		return &pb.CreateSessionRequest{Session: &pb.Session{SessionId: id}, RequestId: requestID}
	}
	calls := []func() error{
		func() error {
			_, err := pb.NewSessionServiceClient(stranger).GetSession(ctx, &pb.GetSessionRequest{SessionId: sessionID})
			return err
		},
		func() error {
			_, err := sessions.AppendMessages(ctx, &pb.AppendMessagesRequest{SessionId: sessionID, Messages: []*pb.Message{{Text: "Whose?"}}})
			return err
		},
		func() error {
			_, err := sessions.GetSession(ctx, &pb.GetSessionRequest{SessionId: "nowhere"})
			return err
		},
		func() error {
			_, err := sessions.CreateSession(ctx, session(sessionID, ""))
			return err
		},
		func() error {
			_, err := sessions.CreateSession(ctx, session("other", "open"))
			return err
		},
		func() error {
			_, err := sessions.GetWindow(ctx, &pb.GetWindowRequest{SessionId: sessionID, AsOfSeq: proto.Int64(1_000_000)})
			return err
		},
		func() error {
			attempt, cancel := context.WithTimeout(ctx, time.Nanosecond)
			defer cancel()
			_, err := sessions.AppendMessages(attempt, late)
			return err
		},
		func() error {
			_, err := sessions.AppendMessages(ctx, &pb.AppendMessagesRequest{SessionId: sessionID, Messages: hello, ExpectedLastSeq: proto.Int64(1)})
			return err
		},
	}
	for _, call := range calls {
		if err := show(call()); err != nil {
			return err
		}
	}
	// Nobody knows whether the late request was done: the same request again settles it.
	if _, err := untilKnown(ctx, late, sessions.AppendMessages); err != nil {
		return err
	}
	return appendAfterRead(ctx, sessions, hello)
}

func show(err error) error {
	if err == nil {
		return fmt.Errorf("a call that must fail did not")
	}
	fields := map[string]any{"code": codeName(status.Code(err)), "remedy": remedyOf(err)}
	for _, detail := range status.Convert(err).Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			if detail.GetDomain() == errorDomain {
				fields["reason"] = detail.GetReason()
			}
		case *errdetails.BadRequest:
			fields["field"] = detail.GetFieldViolations()[0].GetField()
		}
	}
	report("error", fields)
	return nil
}

// appendAfterRead appends only if nobody else has since: after ABORTED it reads and tries again.
func appendAfterRead(ctx context.Context, sessions pb.SessionServiceClient, messages []*pb.Message) error {
	lastSeq := int64(1)
	for {
		_, err := sessions.AppendMessages(ctx, &pb.AppendMessagesRequest{
			SessionId:       sessionID,
			Messages:        messages,
			ExpectedLastSeq: &lastSeq,
		})
		if remedyOf(err) != readFirst {
			return err
		}
		answer, err := sessions.GetSession(ctx, &pb.GetSessionRequest{SessionId: sessionID})
		if err != nil {
			return err
		}
		lastSeq = answer.GetSession().GetLastSeq()
	}
}
