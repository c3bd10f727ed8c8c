// Types that the actions of actions.ts and fork.ts share.

import type { EventType } from "../../../src/events/rules/event.ts";
import type { RecordName } from "../../../src/records/rules/record.ts";
import type {
  PolicyState,
  Session,
  SessionFields,
  SessionRef,
} from "../../../src/session/rules/session.ts";
import type { NewEvent, StoredReply } from "../../../src/store/store.ts";
import type { Role } from "../../../src/window/rules/types.ts";
import { newEvent } from "./plans.ts";

/** Fields of all actions. */
export interface ActionBase extends SessionRef {
  readonly nowMs: number;
  readonly requestId?: string;
}

/** A message to append. An empty id asks for one made of the seq. */
export interface Draft {
  readonly messageId: string;
  readonly role: Role;
  readonly tokenCount: number;
  readonly text: string;
}

/** The fields that an action can set. */
export type FieldParts = Partial<
  Pick<SessionFields, "userId" | "agentId" | "labels" | "ttlMs" | "inserts">
>;

/** Records to write, and those to delete: those that are not there, or are put, are left out. */
export interface RecordChanges {
  readonly put: readonly RecordDraft[];
  readonly remove: readonly RecordName[];
}

/** A record to write. */
export interface RecordDraft extends RecordName {
  readonly text: string;
  /** The value is that of this upload, if there is one, and not the text. */
  readonly uploadId?: string;
  readonly ttlMs?: number;
  readonly userId?: string;
  /** The documents by which searches find it: a text for each. Default none. */
  readonly search?: { readonly collectionId: string; readonly texts: readonly string[] };
}

/** An action of a session. */
export type SessionAction = ActionBase &
  (
    | { readonly kind: "create"; readonly fields: FieldParts }
    | {
        readonly kind: "append";
        readonly drafts: readonly Draft[];
        /** Fields that the same change sets, of a session that exists or that it creates. */
        readonly fields?: FieldParts;
        readonly createSession?: boolean;
        readonly expectedLastSeq?: number;
        /** Trims the window to this many messages. */
        readonly keep?: number;
        /** Erases what `keep` leaves out of the window, new messages as well. */
        readonly discard?: boolean;
        /** New state of the policy. */
        readonly state?: PolicyState;
        /** Whether the decision reads the window, and its plan then has it. */
        readonly looks: boolean;
        /** Written and deleted with the messages. */
        readonly records?: RecordChanges;
      }
    | { readonly kind: "update"; readonly fields: FieldParts }
    /** Takes every `every`th message out of the window, beginning with the one at `rest`. */
    | { readonly kind: "trim"; readonly every: number; readonly rest: number }
    | { readonly kind: "restore"; readonly messageIds: readonly string[] }
    | {
        readonly kind: "replace";
        readonly messageId: string;
        readonly tokenCount: number;
        readonly text: string;
        readonly looks: boolean;
      }
    | { readonly kind: "erase"; readonly messageId: string; readonly looks: boolean }
    | {
        readonly kind: "reset";
        readonly keepSystem: boolean;
        /** Takes the newest summary into the new log. */
        readonly keepSummary?: boolean;
      }
    /** Erases messages and appends others; `all` erases the whole log. */
    | {
        readonly kind: "rewrite";
        readonly messageIds: readonly string[];
        readonly all: boolean;
        readonly drafts: readonly Draft[];
      }
    | { readonly kind: "remove" }
    /** Changes nothing. */
    | { readonly kind: "look"; readonly messageIds: readonly string[]; readonly looks: boolean }
  );

/** Answer of an action on a session. */
export interface ActionResult {
  readonly revision: number;
  readonly lastSeq: number;
  readonly window: readonly number[] | undefined;
  readonly messages: readonly string[];
  /** The records as the change saw them. */
  readonly records?: readonly string[];
  readonly replayed?: true;
}

/** The events of an action, one for each type. */
export function eventsOf(
  action: ActionBase,
  view: { readonly revision: number },
  session: Session,
  types: readonly EventType[],
): NewEvent[] {
  return types.map((type, index) =>
    newEvent(session, {
      type,
      userId: session.fields.userId,
      createMs: action.nowMs,
      body: Uint8Array.from(Buffer.from(JSON.stringify({ revision: view.revision, index, type }))),
    }),
  );
}

/** The answer to remember for an action. */
export function replyTo(
  action: ActionBase & { readonly kind: string },
  result: ActionResult,
): StoredReply {
  const bytes = Uint8Array.from(Buffer.from(JSON.stringify(result)));
  const digest = Buffer.from(action.sessionId).toString("latin1");
  return { method: action.kind, digest, bytes, createMs: action.nowMs };
}

/** Time for which an answer counts. Upkeep may keep older ones for a while. */
export const REPLY_AGE_MS = 5_000;

/** Whether there is an answer that still counts. */
export function isYoung(reply: StoredReply | undefined, nowMs: number): reply is StoredReply {
  return reply !== undefined && reply.createMs >= nowMs - REPLY_AGE_MS;
}

/** An answer that was remembered. */
export function replayed(reply: StoredReply): ActionResult {
  const result = JSON.parse(Buffer.from(reply.bytes).toString()) as ActionResult;
  return { ...result, window: result.window, replayed: true };
}
