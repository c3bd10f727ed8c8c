// One session of the server and what all adapters do with it.

import { isMemorySidecarError, MemorySidecarError } from "../../clients/typescript/src/errors.ts";
import type { Event, EventType } from "../../clients/typescript/src/gen/memorysidecar/v1/event.ts";
import type { Message } from "../../clients/typescript/src/gen/memorysidecar/v1/message.ts";
import {
  type DeepPartial,
  Policy,
  type PolicyChoice,
  SummaryShow,
  SystemProtection,
  ToolPairing,
} from "../../clients/typescript/src/gen/memorysidecar/v1/policy.ts";
import { Session } from "../../clients/typescript/src/gen/memorysidecar/v1/session.ts";
import type {
  AppendMessagesResponse,
  GetWindowResponse,
} from "../../clients/typescript/src/gen/memorysidecar/v1/session_service.ts";
import { SnapshotChunk } from "../../clients/typescript/src/gen/memorysidecar/v1/snapshot.ts";
import {
  type Summary,
  SummaryOrder,
} from "../../clients/typescript/src/gen/memorysidecar/v1/summary.ts";
import { CaseFault, type JsonObject } from "./json.ts";
import { takenBy } from "./left-out.ts";
import type { Rpc } from "./rpc.ts";

/** Shows the stored window as it is: no stage, nothing hidden, nothing filled, no summary. */
export const AS_STORED_POLICY = Policy.fromPartial({
  toolPairing: ToolPairing.LOOSE,
  summaryView: { show: SummaryShow.NONE },
  protections: { system: SystemProtection.NONE, releaseLastUser: true },
});

/** Fields of a new session beside its policy. */
export interface NewSession {
  readonly sessionId: string;
  readonly preset: string;
  readonly options: JsonObject;
  readonly summary?: string | undefined;
  readonly userId?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A preset, as requests choose it, without the options that the server has no use for. */
export function byPreset(rpc: Rpc, name: string, given: JsonObject): DeepPartial<PolicyChoice> {
  const options = takenBy(name, given, (what) => rpc.leftOut.add(what));
  return { choice: { $case: "preset", value: { name, options: { ...options } } } };
}

/** A policy that is written out, as requests choose it. */
export function written(policy: Policy): PolicyChoice {
  return { choice: { $case: "policy", value: policy } };
}

/** Creates a session under a preset. */
export async function createSession(rpc: Rpc, input: NewSession): Promise<Session> {
  const { sessionId, preset, options, summary, userId = "", labels = {} } = input;
  const session = Session.fromPartial({
    sessionId,
    userId,
    labels: { ...labels },
    policy: byPreset(rpc, preset, options),
    ...(summary === undefined ? {} : { summary: { text: summary } }),
  });
  const created = (await rpc.call("createSession", { session })).session;
  if (created === undefined) throw new CaseFault("CreateSession gave no session");
  return created;
}

/** Gives a session. */
export async function getSession(rpc: Rpc, sessionId: string): Promise<Session> {
  const { session } = await rpc.call("getSession", { sessionId });
  if (session === undefined) throw new CaseFault("GetSession gave no session");
  return session;
}

/** Gives the text of a session's summary, null for none. */
export async function summaryOf(rpc: Rpc, sessionId: string): Promise<string | null> {
  return (await getSession(rpc, sessionId)).summary?.text ?? null;
}

/** Gives every summary that a session has had, oldest first. */
export async function summariesOf(rpc: Rpc, sessionId: string): Promise<readonly Summary[]> {
  const request = { sessionId, order: SummaryOrder.VERSION_ASC, pageSize: 1_000 };
  return (await rpc.call("listSummaries", request)).summaries;
}

/** Appends messages. */
export function append(
  rpc: Rpc,
  sessionId: string,
  messages: readonly Message[],
): Promise<AppendMessagesResponse> {
  return rpc.call("appendMessages", { sessionId, messages: [...messages] });
}

/** Gives the window that goes to the model. */
export function getWindow(rpc: Rpc, sessionId: string): Promise<GetWindowResponse> {
  return rpc.call("getWindow", { sessionId });
}

/** Gives the messages of the stored window. */
export async function storedWindow(rpc: Rpc, sessionId: string): Promise<readonly Message[]> {
  return (await rpc.call("getWindow", { sessionId, policy: written(AS_STORED_POLICY) })).messages;
}

/** Gives every message of the log, oldest first. */
export async function logOf(rpc: Rpc, sessionId: string): Promise<readonly Message[]> {
  const messages: Message[] = [];
  let pageToken = "";
  do {
    const page = await rpc.call("listMessages", { sessionId, pageSize: 1_000, pageToken });
    messages.push(...page.messages);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return messages;
}

/** Gives every session of the namespace. */
export async function allSessions(rpc: Rpc): Promise<readonly Session[]> {
  const sessions: Session[] = [];
  let pageToken = "";
  do {
    const page = await rpc.call("listSessions", { pageSize: 1_000, pageToken });
    sessions.push(...page.sessions);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return sessions;
}

/** Gives the events of a session, of some types, oldest first. */
export async function eventsOf(
  rpc: Rpc,
  sessionId: string,
  types: readonly EventType[],
): Promise<readonly Event[]> {
  const filter = {
    sessionId,
    userId: undefined,
    sessionIds: [],
    sessionIdPrefixes: [],
    eventTypes: [...types],
  };
  const events: Event[] = [];
  let pageToken = "";
  do {
    const page = await rpc.call("listEvents", { filter, pageSize: 1_000, pageToken });
    events.push(...page.events);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return events;
}

/** Brings a document of another system; replaces the session when there is one. */
export async function importDocument(
  rpc: Rpc,
  sessionId: string,
  format: string,
  document: unknown,
): Promise<Session> {
  const bytes = Buffer.from(JSON.stringify(document));
  const chunk = SnapshotChunk.fromPartial({ document: bytes });
  const request = { sessionId, format, replace: true, chunk };
  const { session } = await rpc.call("importSession", request);
  if (session === undefined) throw new CaseFault("ImportSession gave no session");
  return session;
}

/** Gives what a call gives, or a value in its place when something is not found. */
export async function ifFound<T, E>(call: Promise<T>, otherwise: E): Promise<T | E> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof MemorySidecarError)) throw error;
    const missing = ["SESSION_NOT_FOUND", "MESSAGE_NOT_FOUND", "DOCUMENT_NOT_FOUND"] as const;
    if (missing.some((reason) => isMemorySidecarError(error, reason))) return otherwise;
    throw error;
  }
}
