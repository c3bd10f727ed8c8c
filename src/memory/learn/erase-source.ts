// The effect of a session change on the memories of a message that it deletes or rewrites: as the
// memory policy of the session says, in the same transaction.

import type { ServiceContext } from "../../core/context.ts";
import type { MemorySide } from "../../core/participants.ts";
import { EVENT_TYPE, type EventDetail } from "../../events/rules/event.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { Session } from "../../session/rules/session.ts";
import type { MemoryPlan, StoredMessage } from "../../store/store.ts";
import { DEFAULT_MEMORY_POLICY, type SourceErasure } from "../../window/policy/memory-policy.ts";
import { changeByServer, deletedDetails, idOf, type ScopedDetail } from "../change-memories.ts";
import { type ErasedSources, eraseSource, lookupWithout } from "../rules/erase-source.ts";
import { promotionScope } from "../rules/scopes.ts";
import { promotionKeyOf, promotionPart } from "../rules/text-key.ts";
import { promotableOf } from "./promotable.ts";

/** A message that was deleted or rewritten. */
interface ErasedMessage {
  readonly session: Session;
  /** The message before the change. */
  readonly message: StoredMessage;
  readonly stamp: { readonly revision: number; readonly nowMs: number };
  /** The reaction of its memories. Default: as the policy of the session says. */
  readonly erasure?: SourceErasure;
}

/** The effect on its memories. */
export interface Erased {
  /** Undefined for nothing. */
  readonly plan: MemoryPlan | undefined;
  readonly events: readonly EventDetail[];
  /** The memories that the rest of the change sees. */
  readonly side: MemorySide;
}

/** Reaction of the memories of a session to the loss of their messages. */
export function erasureOf({ fields }: Session): SourceErasure {
  return (fields.memoryPolicy ?? DEFAULT_MEMORY_POLICY).onSourceErased;
}

/**
 * Takes a message from its memories; undefined when more of them name it than one transaction
 * should change: see eraseSome.
 */
export function eraseMessage(
  context: Pick<ServiceContext, "codec">,
  { session, message, stamp, erasure = erasureOf(session) }: ErasedMessage,
  side: MemorySide,
): Erased | undefined {
  if (erasure === "keep") return { plan: undefined, events: [], side };
  const { messageId } = message;
  const limit = LIMITS.changeMemories;
  const naming = side.memories.bySource(session.sessionId, messageId, limit + 1);
  if (naming.length > limit) return undefined;
  const { sessionId } = session;
  const erased = eraseSource(naming, { sessionId, messageId }, erasure, stamp);
  const keys = erasure === "forget" ? promotionKeys(context, session, message, erased) : [];
  if (naming.length === 0 && keys.length === 0) return { plan: undefined, events: [], side };
  const unpromoted = unpromotedSession(session).unpromoted?.map((of) => ({ ...of, keys }));
  return {
    plan: { ...planOf(erased), ...(unpromoted === undefined ? {} : { unpromoted }) },
    events: detailsOf(erased).map(({ detail }) => detail),
    side: {
      memories: lookupWithout(side.memories, erased, new Set(keys)),
      memoryJobs: side.memoryJobs,
    },
  };
}

/** The keys of the texts that the message may have been promoted by. */
function promotionKeys(
  context: Pick<ServiceContext, "codec">,
  { fields }: Session,
  message: StoredMessage,
  { gone }: ErasedSources,
): readonly string[] {
  const promoted = gone.filter(({ source }) => source.origin === "promotion");
  const own =
    fields.memoryPolicy?.promotion === undefined
      ? []
      : (["any-text", "user-statements"] as const).flatMap(
          (selection) => promotableOf(context, message, selection)?.key ?? [],
        );
  return [...new Set([...promoted.map(({ content }) => promotionKeyOf(content.text)), ...own])];
}

function planOf({ gone, changed }: ErasedSources): MemoryPlan {
  return { put: changed, remove: gone.map(idOf) };
}

function detailsOf({ gone, changed }: ErasedSources): ScopedDetail[] {
  return [
    ...deletedDetails(gone, "source-erased"),
    ...changed.map(({ scope, memoryId, version }) => ({
      scope,
      detail: { type: EVENT_TYPE.memoryUpdated, memoryId, paths: ["source"], version },
    })),
  ];
}

/** Joins two plans of one change; the second already takes the first into account. */
export function joinedPlans(
  first: MemoryPlan | undefined,
  second: MemoryPlan | undefined,
): MemoryPlan | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const { put = [], remove = [] } = second;
  const later = new Set([...put.map(({ memoryId }) => memoryId), ...remove]);
  return {
    ...second,
    put: [...(first.put ?? []).filter(({ memoryId }) => !later.has(memoryId)), ...put],
    remove: [...(first.remove ?? []), ...remove],
    unpromoted: [...(first.unpromoted ?? []), ...(second.unpromoted ?? [])],
  };
}

/** Takes a message from as many of its memories as one transaction may change. */
export async function eraseSome(
  context: ServiceContext,
  session: Session,
  messageId: string,
): Promise<void> {
  const erasure = erasureOf(session);
  if (erasure === "keep") return;
  const { namespace, sessionId } = session;
  await changeByServer(context, namespace, ({ memories, revision }, nowMs) => {
    const naming = memories.bySource(sessionId, messageId, LIMITS.changeMemories);
    const erased = eraseSource(naming, { sessionId, messageId }, erasure, { revision, nowMs });
    return { plan: planOf(erased), details: detailsOf(erased) };
  });
}

/** Forgets the promotions of a session that is emptied or deleted: texts can be learnt again. */
export function unpromotedSession({ fields, sessionId }: Session): MemoryPlan {
  const { userId, agentId } = fields;
  const parts = [promotionPart("session", sessionId)];
  // Both scopes: its policies may have promoted with and without the agent.
  const scopes = [true, false].map((agentScope) =>
    promotionScope({ userId, agentId, sessionId }, { agentScope }),
  );
  return { unpromoted: scopes.map((scope) => ({ scope, parts })) };
}
