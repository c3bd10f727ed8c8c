package memorysidecar

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "github.com/memory-sidecar/memory-sidecar/clients/go/memorysidecar/v1"
)

const (
	errorDomain     = "memorysidecar.io"
	reasonPrefix    = "ERROR_REASON_"
	maxRequestBytes = 4 << 20
)

// Error is a call that failed. Find it with errors.As.
type Error struct {
	// Code is the status of gRPC. It alone says whether a retry makes sense.
	Code codes.Code
	// Reason is a name of pb.ErrorReason without its prefix, such as SESSION_NOT_FOUND. It is empty
	// when the error does not come from the server itself.
	Reason string
	// Message says what is wrong and what to do.
	Message string
	// Metadata holds the values behind the reason, such as last_seq.
	Metadata map[string]string
	// Violations lists every faulty field of the request.
	Violations []FieldViolation
	// Resource is what is missing or in the way, if anything is.
	Resource *Resource
	// RetryDelay is how long the server asks to wait, or 0.
	RetryDelay time.Duration
	// RequestID is the request id of a mutation. A repeat with it takes effect once.
	RequestID string
	// Method is the path of the rpc, such as /memorysidecar.v1.SessionService/GetSession.
	Method string

	status *status.Status
	cause  error
}

// FieldViolation is a faulty field of a request.
type FieldViolation struct {
	// Field is the path of the field, such as messages[3].text.
	Field string
	// Description says what is wrong and what is allowed.
	Description string
}

// Resource is the subject of an error.
type Resource struct {
	Type string
	Name string
}

func (e *Error) Error() string {
	name := e.Reason
	if name == "" {
		name = e.Code.String()
	}
	return name + ": " + e.Message
}

// Unwrap gives the error of a context that ended the call.
func (e *Error) Unwrap() error { return e.cause }

// GRPCStatus gives the status as the server sent it.
func (e *Error) GRPCStatus() *status.Status { return e.status }

// HasReason says whether an error is an Error with one of these reasons.
func HasReason(err error, reasons ...pb.ErrorReason) bool {
	var failure *Error
	return errors.As(err, &failure) && slices.ContainsFunc(reasons, func(reason pb.ErrorReason) bool {
		return failure.Reason == strings.TrimPrefix(reason.String(), reasonPrefix)
	})
}

// newError types an error of gRPC.
func (c *Client) newError(ctx context.Context, err error, method string, request proto.Message) *Error {
	found := status.Convert(err)
	failure := &Error{Code: found.Code(), Method: method, status: found, cause: ctx.Err()}
	// The server may notice the end of the time before the context does.
	if failure.cause == nil && failure.Code == codes.DeadlineExceeded {
		failure.cause = context.DeadlineExceeded
	}
	for _, detail := range found.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			if detail.GetDomain() == errorDomain {
				failure.Reason, failure.Metadata = detail.GetReason(), detail.GetMetadata()
			}
		case *errdetails.RetryInfo:
			failure.RetryDelay = detail.GetRetryDelay().AsDuration()
		case *errdetails.ResourceInfo:
			failure.Resource = &Resource{Type: detail.GetResourceType(), Name: detail.GetResourceName()}
		case *errdetails.BadRequest:
			for _, violation := range detail.GetFieldViolations() {
				failure.Violations = append(failure.Violations, FieldViolation{violation.GetField(), violation.GetDescription()})
			}
		}
	}
	if request, ok := request.(interface{ GetRequestId() string }); ok {
		failure.RequestID = request.GetRequestId()
	}
	failure.Message = advise(failure, found.Message(), c.address, request)
	return failure
}

// refuseOtherUser gives the error of a creation, without the name of the other user, if the session
// that exists belongs to another user than the one who asks. That of nobody is taken.
func refuseOtherUser(session *pb.Session, asked string, creation error) error {
	var failure *Error
	user := session.GetUserId()
	if asked == "" || user == "" || user == asked || !errors.As(creation, &failure) {
		return nil
	}
	refused := *failure
	refused.Message = fmt.Sprintf("Session %q exists, and belongs to another user than %q. "+
		"Give each user a session of its own.", session.GetSessionId(), asked)
	return &refused
}

var advices = map[string]string{
	"SESSION_NOT_FOUND":      "Create it with EnsureSession, or append with CreateSession set.",
	"SESSION_ALREADY_EXISTS": "Use EnsureSession to take the one that exists.",
	"MESSAGE_ALREADY_EXISTS": "Leave MessageId out, or repeat the first call with its RequestId.",
	"CONSUMER_NOT_FOUND":     "Create it with EnsureConsumer.",
	"TOKEN_MISSING":          "Give the client the token of the server: Connect(address, WithToken(token)).",
	"TOKEN_INVALID":          "Compare the token of the client with the token file of the server.",
}

// advise adds to the message of the server what only the caller knows, and what to do.
func advise(failure *Error, message, address string, request proto.Message) string {
	if failure.Reason == "" && failure.Code == codes.Unavailable {
		return fmt.Sprintf("No server answers at %s. Is it running there? (%s)", address, message)
	}
	if failure.Reason == "" && failure.Code == codes.ResourceExhausted && request != nil {
		if size := proto.Size(request); size > maxRequestBytes {
			return fmt.Sprintf("The request has %d bytes, and a server takes %d at most. "+
				"Append the messages in several calls.", size, maxRequestBytes)
		}
	}
	parts := []string{message}
	if failure.Resource != nil {
		parts = append(parts, wanted(failure.Resource, request))
	}
	if advice := advices[failure.Reason]; advice != "" {
		parts = append(parts, advice)
	}
	return strings.Join(parts, " ")
}

// wanted names a resource with the session and the namespace in which it was looked for.
func wanted(resource *Resource, request proto.Message) string {
	text := fmt.Sprintf("%s %q", resource.Type, resource.Name)
	if request, ok := request.(interface{ GetSessionId() string }); ok && request.GetSessionId() != "" && resource.Type != "Session" {
		text += fmt.Sprintf(" of session %q", request.GetSessionId())
	}
	if request, ok := request.(interface{ GetNamespace() string }); ok {
		namespace := request.GetNamespace()
		if namespace == "" {
			namespace = "default"
		}
		text += fmt.Sprintf(" in namespace %q", namespace)
	}
	return text + "."
}
