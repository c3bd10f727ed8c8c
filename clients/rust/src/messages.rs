//! Short ways to write messages and scopes.

use crate::v1::{MemoryScope, Message, Role, ScopeFilter, ToolCall, scope_filter};

fn message(role: Role, text: impl Into<String>) -> Message {
    Message {
        role: role.into(),
        text: text.into(),
        ..Default::default()
    }
}

/// A message of the user.
pub fn user(text: impl Into<String>) -> Message {
    message(Role::User, text)
}

/// A message with instructions for the model.
pub fn system(text: impl Into<String>) -> Message {
    message(Role::System, text)
}

/// An answer of the model, with the tools that it calls.
pub fn assistant(text: impl Into<String>, calls: Vec<ToolCall>) -> Message {
    Message {
        tool_calls: calls,
        ..message(Role::Assistant, text)
    }
}

/// A call of a tool. The arguments are JSON, as the model wrote them.
pub fn call(
    tool_call_id: impl Into<String>,
    name: impl Into<String>,
    arguments: impl Into<String>,
) -> ToolCall {
    ToolCall {
        tool_call_id: tool_call_id.into(),
        name: name.into(),
        arguments: arguments.into(),
        ..Default::default()
    }
}

/// The result of a call of a tool.
pub fn tool(tool_call_id: impl Into<String>, text: impl Into<String>) -> Message {
    Message {
        tool_call_id: tool_call_id.into(),
        ..message(Role::Tool, text)
    }
}

fn scope(user_id: impl Into<String>) -> MemoryScope {
    MemoryScope {
        user_id: Some(user_id.into()),
        ..Default::default()
    }
}

/// The scope of what a user may see: what is theirs, and what everybody shares.
pub fn visible_to(user_id: impl Into<String>) -> ScopeFilter {
    ScopeFilter {
        scope: Some(scope_filter::Scope::VisibleTo(scope(user_id))),
    }
}

/// The scope of what belongs to a user.
pub fn owned_by(user_id: impl Into<String>) -> ScopeFilter {
    ScopeFilter {
        scope: Some(scope_filter::Scope::OwnedBy(scope(user_id))),
    }
}
