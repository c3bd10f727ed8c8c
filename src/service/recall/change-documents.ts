// The one way in which a use case changes documents: idempotency, the stored answer, and that the
// next search sees the change, are handled here.

import type { EventDetail } from "../../domain/event.ts";
import type {
  CollectionRef,
  DocumentChange,
  DocumentDecision,
  DocumentView,
  NewEvent,
} from "../../storage/store.ts";
import type { Call } from "../call.ts";
import { checkLive, replayOf } from "../change.ts";
import type { ServiceContext } from "../context.ts";
import { newEvents } from "../new-events.ts";
import type { RecallParts } from "./parts.ts";

/** The answer of a change, and whose place in the index it changes. */
export interface Changed {
  readonly bytes: Uint8Array;
  /** The numbers of the documents that were written or deleted. */
  readonly numbers: readonly number[] | "all";
}

/** Changes documents of a collection and has the index told before the caller is answered. */
export async function changeDocuments(
  parts: RecallParts,
  call: Call,
  change: Omit<DocumentChange, "requestId">,
  decide: (view: DocumentView) => DocumentDecision<Changed>,
): Promise<Uint8Array> {
  checkLive(call.signal);
  const { context, keeper } = parts;
  const { requestId } = call;
  const result = await context.store.changeDocuments<Changed>({ ...change, requestId }, (view) => {
    const replay = replayOf(context, call, view.reply);
    if (replay === undefined) return decide(view);
    return { kind: "answer", result: { bytes: replay, numbers: [] } };
  });
  keeper.documentsChanged(change, result.numbers);
  return result.bytes;
}

/** The events of a change of documents, ready for its plan. */
export function documentEvents(
  context: ServiceContext,
  at: CollectionRef & { readonly revision: number; readonly nowMs: number; readonly call: Call },
  details: readonly EventDetail[],
): NewEvent[] {
  const { namespace, revision, nowMs, call } = at;
  // Documents belong to no session.
  const session = { namespace, sessionId: "", fields: { userId: "", agentId: "" } };
  return newEvents(context, { session, revision, nowMs, requestId: call.requestId }, details);
}
