// Reads everything that a server shows of the sessions of a journal.

import {
  type Event,
  type MemorySidecar,
  type Message,
  Role,
} from "../../clients/typescript/src/index.ts";
import type { Content } from "./journal.ts";
import type { Seen, SeenEvent, SeenMessage, SeenSession } from "./oracle.ts";

const PAGE = 1_000;

function contentOf(message: Message): Content {
  const role =
    message.role === Role.USER ? "user" : message.role === Role.TOOL ? "tool" : "assistant";
  return {
    role,
    text: message.text,
    payload: message.providerPayload?.data,
    toolCallId: message.toolCallId,
    toolCallIds: message.toolCalls.map((call) => call.toolCallId),
  };
}

function seenMessage(message: Message): SeenMessage {
  return {
    messageId: message.messageId,
    seq: Number(message.seq),
    tokenCount: message.tokenCount ?? 0,
    content: contentOf(message),
  };
}

/** Turns an event into what the oracle compares. */
export function seenEvent(event: Event): SeenEvent {
  const base = {
    revision: Number(event.revision),
    index: event.index,
    sessionId: event.sessionId,
    requestId: event.requestId,
    messageIds: [] as readonly string[],
    firstSeq: 0,
    wasInWindow: false,
  };
  const detail = event.detail;
  switch (detail?.$case) {
    case "sessionCreated":
      return { ...base, type: "created" };
    case "messagesAppended": {
      const firstSeq = detail.value.seqRange?.firstSeq ?? 0;
      return { ...base, type: "appended", messageIds: detail.value.messageIds, firstSeq };
    }
    case "messagesTrimmed":
      return { ...base, type: "trimmed", messageIds: detail.value.trim?.messageIds ?? [] };
    case "messageUpdated":
      return { ...base, type: "updated", messageIds: [detail.value.messageId] };
    case "messageDeleted": {
      const { messageId, wasInWindow } = detail.value;
      return { ...base, type: "deleted", messageIds: [messageId], wasInWindow };
    }
    default:
      return { ...base, type: "other" };
  }
}

async function observeSession(client: MemorySidecar, sessionId: string): Promise<SeenSession> {
  const session = await client.getSession(sessionId);
  const messages: SeenMessage[] = [];
  for await (const message of client.listMessages(sessionId, { pageSize: PAGE })) {
    messages.push(seenMessage(message));
  }
  const { messages: window } = await client.window(sessionId);
  return {
    sessionId,
    lastSeq: Number(session.lastSeq),
    logCount: session.logTotals?.messageCount ?? 0,
    logTokens: session.logTotals?.tokenCount ?? 0,
    messages,
    window: window.map((message) => message.messageId),
  };
}

/** Reads sessions and events. Namespaces beside the default one only add their revisions. */
export async function observe(
  client: MemorySidecar,
  sessionIds: readonly string[],
  otherNamespaces: readonly string[] = [],
): Promise<Seen> {
  const sessions: SeenSession[] = [];
  for (const sessionId of sessionIds) sessions.push(await observeSession(client, sessionId));
  const events: SeenEvent[] = [];
  for await (const event of client.listEvents({ pageSize: PAGE })) events.push(seenEvent(event));
  const otherRevisions: number[] = [];
  for (const namespace of otherNamespaces) {
    for await (const event of client.listEvents({ pageSize: PAGE, namespace })) {
      otherRevisions.push(Number(event.revision));
    }
  }
  return { sessions, events, otherRevisions };
}
