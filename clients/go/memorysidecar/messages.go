package memorysidecar

import (
	pb "github.com/memory-sidecar/memory-sidecar/clients/go/memorysidecar/v1"
)

// User is a message of the user.
func User(text string) *pb.Message {
	return &pb.Message{Role: pb.Role_ROLE_USER, Text: text}
}

// System is a message with instructions for the model.
func System(text string) *pb.Message {
	return &pb.Message{Role: pb.Role_ROLE_SYSTEM, Text: text}
}

// Assistant is an answer of the model, with the tools that it calls.
func Assistant(text string, calls ...*pb.ToolCall) *pb.Message {
	return &pb.Message{Role: pb.Role_ROLE_ASSISTANT, Text: text, ToolCalls: calls}
}

// Call is a call of a tool. The arguments are JSON, as the model wrote them.
func Call(toolCallID, name, arguments string) *pb.ToolCall {
	return &pb.ToolCall{ToolCallId: toolCallID, Name: name, Arguments: arguments}
}

// Tool is the result of a call of a tool.
func Tool(toolCallID, text string) *pb.Message {
	return &pb.Message{Role: pb.Role_ROLE_TOOL, ToolCallId: toolCallID, Text: text}
}

// VisibleTo is the scope of what a user may see: what is theirs, and what everybody shares.
func VisibleTo(userID string) *pb.ScopeFilter {
	return &pb.ScopeFilter{Scope: &pb.ScopeFilter_VisibleTo{VisibleTo: &pb.MemoryScope{UserId: &userID}}}
}

// OwnedBy is the scope of what belongs to a user.
func OwnedBy(userID string) *pb.ScopeFilter {
	return &pb.ScopeFilter{Scope: &pb.ScopeFilter_OwnedBy{OwnedBy: &pb.MemoryScope{UserId: &userID}}}
}
