// The one way in which a use case changes documents: idempotency and the stored answer are handled
// here. Also the end of those whose time has run out.

import { replayOf } from "../../core/change.ts";
import type { ServiceContext } from "../../core/context.ts";
import { newEvents } from "../../core/new-events.ts";
import { EVENT_TYPE, type EventDetail } from "../../events/rules/event.ts";
import { type Call, checkLive, serverCall } from "../../kit/call.ts";
import { isOver } from "../../kit/life.ts";
import type {
  CollectionRef,
  DocumentChange,
  DocumentDecision,
  DocumentRef,
  DocumentView,
  NewEvent,
  StoredDocument,
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

/** The view without documents whose time has run out: to a caller they do not exist. */
export function liveView(view: DocumentView, nowMs: number): DocumentView {
  const isLive = (document: StoredDocument): boolean => !isOver(document, nowMs);
  const documents = new Map([...view.documents].filter(([, document]) => isLive(document)));
  const chunks = new Map(
    [...view.chunks].flatMap(([id, all]) => {
      const live = all.filter(isLive);
      return live.length === 0 ? [] : [[id, live] as const];
    }),
  );
  return { ...view, documents, chunks };
}

/** Documents that one step of upkeep removes: of the largest there are 64 MiB. */
const STEP = 64;

/** Removes documents whose time has run out; true when there may be more. */
export async function removeExpiredDocuments(
  context: ServiceContext,
  onError: (error: unknown) => void,
): Promise<boolean> {
  const { store, world } = context;
  const nowMs = world.nowMs();
  const expired = await store.expiredDocuments(nowMs, STEP);
  const collections = Map.groupBy(expired, ({ namespace, collectionId }) =>
    JSON.stringify([namespace, collectionId]),
  );
  let failed = false;
  for (const refs of collections.values()) {
    await removeExpired(context, refs, nowMs).catch((error: unknown) => {
      failed = true;
      onError(error);
    });
  }
  // One that cannot be removed must not keep upkeep awake.
  return expired.length === STEP && !failed;
}

/** Removes those documents of one collection that have not been written or refreshed since. */
async function removeExpired(
  context: ServiceContext,
  refs: readonly DocumentRef[],
  nowMs: number,
): Promise<void> {
  const [ref] = refs;
  if (ref === undefined) return;
  const { namespace, collectionId } = ref;
  const documentIds = refs.map(({ documentId }) => documentId);
  const change = { namespace, collectionId, documentIds, sourceIds: [], allowWhenFull: true };
  await context.store.changeDocuments(change, (view): DocumentDecision<undefined> => {
    const remove = [...view.documents.values()]
      .filter((document) => isOver(document, nowMs))
      .map(({ documentId }) => documentId);
    if (remove.length === 0) return { kind: "answer", result: undefined };
    const at = { namespace, collectionId, revision: view.revision, nowMs, call: serverCall() };
    const events = documentEvents(context, at, [
      { type: EVENT_TYPE.documentsDeleted, collectionId, documentIds: remove, expired: true },
    ]);
    return { kind: "save", result: undefined, plan: { remove, nowMs, events } };
  });
}
