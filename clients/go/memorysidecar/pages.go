package memorysidecar

import (
	"context"
	"iter"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/memory-sidecar/memory-sidecar/clients/go/memorysidecar/v1"
)

// Page is the answer of a list.
type Page interface {
	proto.Message
	GetNextPageToken() string
}

// Items calls the rpc of a list for page after page and gives the items one by one. It works with
// every list of the contract:
//
//	tasks := memorysidecar.Items(ctx, client.Tasks.ListTasks, &pb.ListTasksRequest{}, (*pb.ListTasksResponse).GetTasks)
//
// An error ends the items.
func Items[Request proto.Message, Answer Page, Item any](
	ctx context.Context,
	list func(context.Context, Request, ...grpc.CallOption) (Answer, error),
	request Request,
	items func(Answer) []Item,
) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		next := proto.CloneOf(request)
		message := next.ProtoReflect()
		token := message.Descriptor().Fields().ByName("page_token")
		for {
			answer, err := list(ctx, next)
			if err != nil {
				var none Item
				yield(none, err)
				return
			}
			for _, item := range items(answer) {
				if !yield(item, nil) {
					return
				}
			}
			if answer.GetNextPageToken() == "" {
				return
			}
			message.Set(token, protoreflect.ValueOfString(answer.GetNextPageToken()))
		}
	}
}

// ListSessions gives the sessions of a namespace, the newest first unless the request orders them
// otherwise.
func (c *Client) ListSessions(ctx context.Context, request *pb.ListSessionsRequest) iter.Seq2[*pb.Session, error] {
	return Items(ctx, c.Sessions.ListSessions, request, (*pb.ListSessionsResponse).GetSessions)
}

// ListMessages gives the log of a session, in the window or not.
func (c *Client) ListMessages(ctx context.Context, request *pb.ListMessagesRequest) iter.Seq2[*pb.Message, error] {
	return Items(ctx, c.Sessions.ListMessages, request, (*pb.ListMessagesResponse).GetMessages)
}

// ListMemories gives the memories that a filter finds.
func (c *Client) ListMemories(ctx context.Context, request *pb.ListMemoriesRequest) iter.Seq2[*pb.Memory, error] {
	return Items(ctx, c.Memories.ListMemories, request, (*pb.ListMemoriesResponse).GetMemories)
}

// ListDocuments gives the documents of a collection.
func (c *Client) ListDocuments(ctx context.Context, request *pb.ListDocumentsRequest) iter.Seq2[*pb.Document, error] {
	return Items(ctx, c.Memories.ListDocuments, request, (*pb.ListDocumentsResponse).GetDocuments)
}

// ListRecords gives the records of a range.
func (c *Client) ListRecords(ctx context.Context, request *pb.ListRecordsRequest) iter.Seq2[*pb.NamedRecord, error] {
	return Items(ctx, c.Records.ListRecords, request, (*pb.ListRecordsResponse).GetRecords)
}

// ListEvents gives the events that are kept.
func (c *Client) ListEvents(ctx context.Context, request *pb.ListEventsRequest) iter.Seq2[*pb.Event, error] {
	return Items(ctx, c.Events.ListEvents, request, (*pb.ListEventsResponse).GetEvents)
}
