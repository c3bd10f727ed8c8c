// The one way in which a use case changes documents: idempotency and the stored answer are handled
// here. Also the end of those whose time has run out.

import { decideOnce, type Outcome, removeEach } from "../../core/change.ts";
import type { ServiceContext } from "../../core/context.ts";
import { type EventOrigin, newEvents } from "../../core/new-events.ts";
import { EVENT_TYPE, type EventDetail } from "../../events/rules/event.ts";
import { type Call, checkLive } from "../../kit/call.ts";
import { isOver } from "../../kit/life.ts";
import type {
  DocumentChange,
  DocumentDecision,
  DocumentPlan,
  DocumentRef,
  DocumentView,
  NewEvent,
  StoredDocument,
} from "../../store/store.ts";
import type { RecallParts } from "../parts.ts";

/** A call that changes documents, and its moment. */
export interface DocumentWork {
  readonly parts: RecallParts;
  readonly call: Call;
  readonly nowMs: number;
}

/** Begins a call that changes documents. */
export function documentWork(parts: RecallParts, call: Call): DocumentWork {
  return { parts, call, nowMs: parts.context.world.nowMs() };
}

/** The outcome of a decision, with its events. */
export interface DocumentOutcome extends Outcome<Omit<DocumentPlan, "nowMs" | "events" | "reply">> {
  readonly details?: readonly EventDetail[];
}

/** Changes documents of a collection. Answers a repeated call as before. */
export async function changeDocuments(
  { parts, call, nowMs }: DocumentWork,
  change: Omit<DocumentChange, "requestId">,
  decide: (view: DocumentView) => DocumentOutcome,
): Promise<Uint8Array> {
  checkLive(call.signal);
  const { context } = parts;
  const { requestId } = call;
  const { namespace } = change;
  return await context.store.changeDocuments({ ...change, requestId }, (view) =>
    decideOnce({ context, call, nowMs }, view, () => {
      const { plan, details = [], answer } = decide(view);
      const at = { namespace, revision: view.revision, nowMs, requestId };
      return { answer, plan: plan && { ...plan, events: documentEvents(context, at, details) } };
    }),
  );
}

/** The events of a change of documents, ready for its plan. */
export function documentEvents(
  context: ServiceContext,
  at: Omit<EventOrigin, "session"> & { readonly namespace: string },
  details: readonly EventDetail[],
): NewEvent[] {
  const { namespace, ...rest } = at;
  // Documents belong to no session.
  const session = { namespace, sessionId: "", fields: { userId: "", agentId: "" } };
  return newEvents(context, { ...rest, session }, details);
}

/** The id of a document. */
export function idOf({ documentId }: StoredDocument): string {
  return documentId;
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
  const remove = (refs: readonly DocumentRef[]) => removeExpired(context, refs, nowMs);
  return (await removeEach(collections.values(), remove, onError)) && expired.length === STEP;
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
      .map(idOf);
    if (remove.length === 0) return { kind: "answer", result: undefined };
    const at = { namespace, revision: view.revision, nowMs, requestId: "" };
    const events = documentEvents(context, at, [
      { type: EVENT_TYPE.documentsDeleted, collectionId, documentIds: remove, expired: true },
    ]);
    return { kind: "save", result: undefined, plan: { remove, nowMs, events } };
  });
}
