// The one way in which a use case changes documents: idempotency and the stored answer are handled
// here.

import { replayOf } from "../../core/change.ts";
import type { ServiceContext } from "../../core/context.ts";
import { newEvents } from "../../core/new-events.ts";
import type { EventDetail } from "../../events/rules/event.ts";
import { type Call, checkLive } from "../../kit/call.ts";
import type {
  CollectionRef,
  DocumentChange,
  DocumentDecision,
  DocumentView,
  NewEvent,
} from "../../store/store.ts";
import type { RecallParts } from "../parts.ts";

/** Changes documents of a collection. */
export async function changeDocuments(
  parts: RecallParts,
  call: Call,
  change: Omit<DocumentChange, "requestId">,
  decide: (view: DocumentView) => DocumentDecision<Uint8Array>,
): Promise<Uint8Array> {
  checkLive(call.signal);
  const { context } = parts;
  const { requestId } = call;
  return await context.store.changeDocuments<Uint8Array>({ ...change, requestId }, (view) => {
    const replay = replayOf(context, call, view.reply);
    return replay === undefined ? decide(view) : { kind: "answer", result: replay };
  });
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
