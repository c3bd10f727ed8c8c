// The steps of an erasure. Each may be done again from its beginning.

import { EVENT_TYPE } from "../events/rules/event.ts";
import { LIMITS } from "../kit/limits.ts";
import { pause } from "../kit/world.ts";
import { changeByServer } from "../memory/change-memories.ts";
import { removal } from "../memory/forget.ts";
import type { MemoryLookup } from "../memory/rules/lookup.ts";
import {
  type Memory,
  type MemoryScope,
  type SourceSession,
  sessionsOfSource,
} from "../memory/rules/memory.ts";
import { documentEvents } from "../recall/documents/change-documents.ts";
import { removeByServer } from "../records/change-records.ts";
import { type NamedDocuments, removalSteps } from "../records/record-documents.ts";
import { type KeptRecord, recordNameOf } from "../records/rules/record.ts";
import {
  countUncertain,
  type ErasedPart,
  eraseMessageOf,
  eraseSession,
  eraseSummaries,
  retireSummaries,
} from "../session/erase-session.ts";
import type { ForkOrigin, Session, SessionRef } from "../session/rules/session.ts";
import type { CollectionRef, SessionPlace, StoredDocument } from "../store/store.ts";
import { maybeOfSession, namesInDocuments, readSummaryId } from "../summary/summary-document.ts";
import { type ErasureStep, mark } from "./rules/erasure.ts";
import type { ErasureWork } from "./work.ts";

const PAGE = 128;
const PURGE_POLL_MS = 50;

/** Does one step of an erasure, or counts what it would erase. */
export const STEPS: Readonly<
  Record<ErasureStep, (work: ErasureWork, signal: AbortSignal) => Promise<void>>
> = {
  sessions: eraseSessions,
  forks: eraseForks,
  messages: eraseMessages,
  memories: eraseMemories,
  documents: eraseDocuments,
  records: eraseRecords,
  answers: eraseAnswers,
  purge: waitForPurge,
};

// Sessions and their forks.

async function eraseSessions(work: ErasureWork): Promise<void> {
  const { namespace, subject } = work;
  if (subject.kind === "document") return;
  if (subject.kind === "user" || subject.kind === "agent") {
    const { kind: _, ...owner } = subject;
    for await (const { sessionId } of sessionsOf(work, owner)) await eraseOne(work, sessionId);
    return;
  }
  const { sessionId } = subject;
  // Known before anything is erased: the owner tells which forks go, too. A session that was
  // deleted before still has memories that name it.
  const session = await work.parts.context.store.readSession({ namespace, sessionId });
  const { userId, agentId } = session?.fields ?? {};
  const news = userId === undefined || agentId === undefined ? {} : { owner: { userId, agentId } };
  await work.note(news, [mark.session(sessionId)]);
  if (subject.kind === "session") await eraseOne(work, sessionId);
}

async function eraseOne(work: ErasureWork, sessionId: string): Promise<void> {
  const ref = { namespace: work.namespace, sessionId };
  const part = await eraseSession(work.parts.context, ref, work.settle);
  if (part === undefined) await work.note({}, [mark.session(sessionId)]);
  else work.took(part);
}

async function* sessionsOf(
  work: ErasureWork,
  owner: { readonly userId?: string; readonly agentId?: string },
): AsyncGenerator<Session> {
  const { namespace, parts } = work;
  let after: SessionPlace | undefined;
  do {
    work.checkLive();
    const page = await parts.context.store.listSessions({
      ...{ namespace, ...owner, order: "asc", limit: PAGE },
      ...(after === undefined ? {} : { after }),
      // Sessions past their time are still there.
      nowMs: Number.NEGATIVE_INFINITY,
    });
    yield* page.sessions;
    after = page.next;
  } while (after !== undefined);
}

// A fork is made after its source, so one pass in the order of creation finds forks of forks.
async function eraseForks(work: ErasureWork): Promise<void> {
  const { subject } = work;
  if (subject.kind === "document") return;
  const left: string[] = [];
  const others = new Set<string>();
  const unknown = new Set<string>();
  // Forks that come before the session itself are of an earlier one with its id: other messages
  // may have the same ids there.
  const earlier = new Set<string>();
  let isEarlier = subject.kind === "messages" && (await isKept(work, subject.sessionId));
  for await (const session of sessionsOf(work, {})) {
    const { sessionId, fields } = session;
    const { forkedFrom: origin } = fields;
    if (subject.kind === "messages" && sessionId === subject.sessionId) isEarlier = false;
    if (origin === undefined || work.isErased(sessionId)) continue;
    const isOfEarlier = earlier.has(origin.sessionId);
    if (!isOfEarlier && !others.has(origin.sessionId) && !isForkOf(work, origin)) {
      const isUnknown = origin.owners === undefined && (await isLost(work, origin.sessionId));
      if (isUnknown || unknown.has(origin.sessionId)) unknown.add(sessionId);
    } else if (isOfEarlier || isEarlier) {
      earlier.add(sessionId);
      left.push(sessionId);
    } else if (!isSameOwner(work, session)) {
      others.add(sessionId);
      left.push(sessionId);
    } else if (subject.kind === "messages") {
      await work.note({}, [mark.session(sessionId)]);
    } else {
      await eraseOne(work, sessionId);
    }
  }
  const forkIds = left.slice(0, LIMITS.erasureSessionIds);
  await work.note({ left: { forks: left.length, forkIds } });
  await work.noteUnknown("session", unknown.size);
}

/** Whether a fork was copied from a session of the subject. Its owners then decide, if known. */
function isForkOf(work: ErasureWork, { sessionId, owners = [] }: ForkOrigin): boolean {
  if (owners.some((owner) => work.owns(owner))) return true;
  const isOfOthers = owners.length > 0 && owners.every((owner) => work.knows(owner));
  return !isOfOthers && work.isErased(sessionId);
}

function isSameOwner({ subject, owner }: ErasureWork, session: Session): boolean {
  const { userId, agentId } = session.fields;
  if (subject.kind === "user") return userId === subject.userId;
  if (subject.kind === "agent") return agentId === subject.agentId;
  return userId === owner?.userId && agentId === owner.agentId;
}

// Messages, and the summaries that stand for them.

async function eraseMessages(work: ErasureWork): Promise<void> {
  const { namespace, subject } = work;
  const { context } = work.parts;
  if (subject.kind !== "messages") return;
  const shared = new Map<string, number>();
  // Of messages that were deleted before: a summary may still say what they said.
  const deleted = new Set<number>();
  const unnamed = new Set(subject.messageIds);
  for (const sessionId of work.marked("session")) {
    const lastSeq = await lastSharedSeq(work, sessionId);
    shared.set(sessionId, lastSeq);
    for (const messageId of subject.messageIds) {
      const seq = await eraseMessage(work, { namespace, sessionId }, { messageId, lastSeq });
      if (seq === undefined) continue;
      deleted.add(seq);
      unnamed.delete(messageId);
    }
  }
  for (const messageId of work.marked("message")) unnamed.delete(messageId);
  const erased = work.marked("seq").map((one) => Number(one.slice(0, one.indexOf(" "))));
  let callerSummaries = 0;
  let uncertainSummaries = 0;
  for (const [sessionId, lastSeq] of shared) {
    const ref = { namespace, sessionId };
    const seqs = [...new Set([...erased, ...deleted])].filter((seq) => seq <= lastSeq);
    await retireSummaries(context, ref, seqs, work.settle);
    for (let more = true; more; ) {
      work.checkLive();
      const step = await eraseSummaries(context, ref, seqs, work.settle);
      if (sessionId === subject.sessionId) ({ callerSummaries } = step);
      work.took(step);
      more = step.more;
    }
    if (unnamed.size > 0) uncertainSummaries += await countUncertain(context, ref, seqs);
  }
  await work.note({
    left: { callerSummaries, ...(uncertainSummaries === 0 ? {} : { uncertainSummaries }) },
  });
}

/**
 * The newest seq that a session shares with the session of the subject: forks, and forks of these,
 * may use the ids anew, for messages of their own.
 */
async function lastSharedSeq(work: ErasureWork, ofId: string): Promise<number> {
  const { namespace, parts, subject } = work;
  let lastSeq = Number.MAX_SAFE_INTEGER;
  if (subject.kind !== "messages") return lastSeq;
  const seen = new Set<string>();
  for (let sessionId = ofId; sessionId !== subject.sessionId && !seen.has(sessionId); ) {
    seen.add(sessionId);
    const session = await parts.context.store.readSession({ namespace, sessionId });
    const origin = session?.fields.forkedFrom;
    if (origin === undefined) break;
    lastSeq = Math.min(lastSeq, origin.seq);
    sessionId = origin.sessionId;
  }
  return lastSeq;
}

/** Erases a message. Gives the seq of one that is there no more, if it is known. */
async function eraseMessage(
  work: ErasureWork,
  ref: SessionRef,
  message: { readonly messageId: string; readonly lastSeq: number },
): Promise<number | undefined> {
  for (;;) {
    work.checkLive();
    const done = await eraseMessageOf(work.parts.context, ref, message, work.settle);
    if (done.kind === "erased") work.took(done);
    if (done.kind === "missing") return done.seq;
    if (done.kind === "erased") return undefined;
    // They go first, and with the receipt: the message that they name must still be there to be
    // found again after a kill.
    await eraseNaming(work, ref, message.messageId);
  }
}

// Memories.

async function eraseNaming(work: ErasureWork, ref: SessionRef, messageId: string): Promise<void> {
  await eraseFound(work, (memories) =>
    memories.bySource(ref.sessionId, messageId, LIMITS.changeMemories),
  );
}

async function eraseMemories(work: ErasureWork): Promise<void> {
  const { namespace, parts, subject } = work;
  if (subject.kind === "document") return;
  let after: number | undefined;
  let unknown = 0;
  do {
    work.checkLive();
    const page = await parts.context.store.listMemories({
      ...{ namespace, order: "asc", limit: PAGE },
      ...(after === undefined ? {} : { after }),
    });
    const meant: string[] = [];
    for (const memory of page.memories) {
      const named = new Set<string>();
      if (await isDerived(work, memory, named)) meant.push(memory.memoryId);
      // Each state names all that the states before it were made of.
      else if (mayBeMadeOf(work, memory) || (await isAnyLost(work, named))) unknown++;
    }
    if (meant.length > 0) {
      await eraseFound(work, (memories) => meant.flatMap((id) => memories.byId(id) ?? []));
    }
    after = page.next;
  } while (after !== undefined);
  await work.noteUnknown("memory", unknown);
}

/**
 * Whether a memory is of the subject, or any of its states names the subject as its source.
 * Collects the sessions that it names without their owner.
 */
async function isDerived(work: ErasureWork, memory: Memory, named: Set<string>): Promise<boolean> {
  const isFrom = (state: Memory): boolean => {
    for (const sessionId of unownedIn(work, state)) named.add(sessionId);
    return isMadeOf(work, state);
  };
  if (isOfSubject(work, memory.scope) || isFrom(memory)) return true;
  let before: number | undefined = memory.version;
  while (before !== undefined && before > 1) {
    const { namespace, parts } = work;
    const states: readonly Memory[] = await parts.context.store.listMemoryVersions(
      ...([namespace, memory.memoryId, { before, limit: PAGE }] as const),
    );
    if (states.some(isFrom)) return true;
    before = states.at(-1)?.version;
  }
  return false;
}

/**
 * Whether a scope is the subject's. The user or agent that it names decides: its session may have
 * changed hands, or another one may have had the id.
 */
function isOfSubject(work: ErasureWork, scope: MemoryScope): boolean {
  const { subject } = work;
  if (subject.kind === "messages" || subject.kind === "document") return false;
  if (work.knows(scope)) return work.owns(scope);
  return scope.sessionId !== "" && work.isErased(scope.sessionId);
}

/** Whether a source of a memory is the subject. */
function isMadeOf(work: ErasureWork, memory: Memory): boolean {
  const { subject } = work;
  return sessionsOfSource(memory.source).some((one) => {
    const { sessionId, messageIds, owner } = one;
    if (owner !== undefined && work.owns(owner)) return true;
    const isNamed = sessionId !== "" && work.isErased(sessionId);
    if (!isNamed || isOfKnown(work, memory, one)) return false;
    return subject.kind !== "messages" || subject.messageIds.some((id) => messageIds.includes(id));
  });
}

/** Whether it is known of which user or agent a source of a memory was. */
function isOfKnown(work: ErasureWork, { scope, source }: Memory, one: SourceSession): boolean {
  if (one.owner !== undefined) return work.knows(one.owner);
  // Memories that the server made of a session have the scope of its owner. Whoever made what they
  // took in later is not known.
  return one === source && source.origin !== "caller" && work.knows(scope);
}

/** Whether sources of a memory for which it had no room may have been the subject. */
function mayBeMadeOf(work: ErasureWork, { source }: Memory): boolean {
  const { subject } = work;
  return (source.further ?? []).some(({ sessionId, owner, isCut }) => {
    if (isCut !== true) return false;
    if (sessionId !== "") return subject.kind === "messages" && work.isErased(sessionId);
    // A session may have had another owner then.
    return owner === undefined || !work.knows(owner);
  });
}

// Sessions that are gone. Records that are made of a session keep its owner; older ones do not, nor
// do those that a caller gave the scope of a session alone. An erasure counts what names a session
// that is gone and may have been the subject's.

/** The sessions that a memory names without a user or agent, as the subject is one. */
function unownedIn(work: ErasureWork, memory: Memory): readonly string[] {
  const { scope, source } = memory;
  const { sessionId, owner } = source;
  const isOwned = owner !== undefined || isOfKnown(work, memory, source);
  const named = unownedScope(work, scope);
  const further = (source.further ?? []).filter((one) => one.owner === undefined);
  return [
    ...(isOwned ? [] : [sessionId]),
    ...further.map((one) => one.sessionId),
    ...(owner !== undefined && sessionId === named ? [] : [named]),
  ];
}

/** The session of a scope that is of no user, or of no agent; empty for none. */
function unownedScope(work: ErasureWork, scope: MemoryScope): string {
  return work.knows(scope) ? "" : scope.sessionId;
}

/** Whether a session is gone, so that nobody knows whose it was. */
async function isLost(work: ErasureWork, sessionId: string): Promise<boolean> {
  const { kind } = work.subject;
  if (sessionId === "" || (kind !== "user" && kind !== "agent")) return false;
  return !(await isKept(work, sessionId));
}

/** Whether there is a session with an id. */
async function isKept({ namespace, parts }: ErasureWork, sessionId: string): Promise<boolean> {
  return (await parts.context.store.readSession({ namespace, sessionId })) !== undefined;
}

async function isAnyLost(work: ErasureWork, sessionIds: Iterable<string>): Promise<boolean> {
  for (const sessionId of sessionIds) if (await isLost(work, sessionId)) return true;
  return false;
}

/** Erases the memories that are found in the transaction itself. */
async function eraseFound(
  work: ErasureWork,
  find: (memories: MemoryLookup) => readonly Memory[],
): Promise<void> {
  const { namespace, parts } = work;
  let part: ErasedPart | undefined;
  await changeByServer(parts.context, namespace, ({ memories }) => {
    const found = find(memories);
    const versions = found.reduce((sum, { version }) => sum + version, 0);
    part = { counts: { memory: found.length, "memory-version": versions }, marks: [] };
    const erasure = work.settle(part);
    const { plan = {}, details = [] } = erasure === undefined ? {} : removal(found, "erased");
    return { plan, details, ...(erasure === undefined ? {} : { erasure }) };
  });
  if (part !== undefined) work.took(part);
}

// Documents.

async function eraseDocuments(work: ErasureWork): Promise<void> {
  const { namespace, parts, subject } = work;
  const { store } = parts.context;
  if (subject.kind === "document") {
    const { collectionId, documentId } = subject;
    const isMeant = (document: StoredDocument) =>
      document.documentId === documentId || document.sourceId === documentId;
    const named = await store.readDocument({ namespace, collectionId }, documentId);
    const record = recordNameOf(named?.recordId ?? "");
    // The value of its record says the same.
    if (record !== undefined) await eraseRecordsOf(work, [record], () => true);
    else await eraseIn(work, { namespace, collectionId }, isMeant);
    return;
  }
  const isSummary = await summaryTest(work);
  const scopeOf = ({ bytes }: StoredDocument) => parts.codec.readDocumentHead(bytes).scope;
  let unknown = 0;
  let after = "";
  for (;;) {
    const page = await store.listCollections({ namespace, after, limit: PAGE });
    for (const { collectionId } of page) {
      const isMeant = (document: StoredDocument): boolean => {
        // Those of records go with these.
        if (document.recordId !== undefined) return false;
        const scope = scopeOf(document);
        if (isOfSubject(work, scope)) return true;
        return !work.knows(scope) && isSummary(document, scope);
      };
      // The session that it names without its owner.
      const sessionOf = (document: StoredDocument): string => {
        const { sourceId, documentId, recordId } = document;
        const scope = scopeOf(document);
        if (recordId !== undefined || work.knows(scope)) return "";
        // The document of a summary has the user of the session in its scope, and never the agent.
        if (scope.sessionId !== "" || subject.kind !== "agent") return scope.sessionId;
        return readSummaryId(sourceId || documentId)?.session ?? "";
      };
      unknown += await eraseIn(work, { namespace, collectionId }, isMeant, sessionOf);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) break;
    after = last.collectionId;
  }
  await work.noteUnknown("document", unknown);
}

/** Tells documents of erased summaries. */
async function summaryTest(
  work: ErasureWork,
): Promise<(document: StoredDocument, scope: MemoryScope) => boolean> {
  const { namespace, parts, subject } = work;
  const erased = new Map<string, Session | undefined>();
  for (const sessionId of work.marked("session")) {
    const session = await parts.context.store.readSession({ namespace, sessionId });
    for (const name of namesInDocuments(sessionId)) erased.set(name, session);
  }
  const versions = new Set(
    work.marked("summary").flatMap((one) => {
      const [version = "", ...of] = one.split(" ");
      return namesInDocuments(of.join(" ")).map((name) => `${version} ${name}`);
    }),
  );
  return ({ sourceId, documentId, createMs }, { userId }) => {
    const named = readSummaryId(sourceId || documentId);
    if (named === undefined || !erased.has(named.session)) return false;
    if (subject.kind !== "messages") return true;
    if (!versions.has(`${named.version} ${named.session}`)) return false;
    const session = erased.get(named.session);
    // Another session with the id, deleted before, may have a document of that version, too.
    return session === undefined || maybeOfSession(session, { ...named, createMs, userId });
  };
}

/** Erases documents of a collection. Gives how many of the rest name a session that is gone. */
async function eraseIn(
  work: ErasureWork,
  ref: CollectionRef,
  isMeant: (document: StoredDocument) => boolean,
  sessionOf: (document: StoredDocument) => string = () => "",
): Promise<number> {
  const { store } = work.parts.context;
  let after = 0;
  let lost = 0;
  for (;;) {
    work.checkLive();
    const page = await store.listDocuments({ ...ref, after, limit: PAGE });
    const ids = page.documents.filter(isMeant).map(({ documentId }) => documentId);
    if (ids.length > 0) await eraseThose(work, ref, ids, isMeant);
    for (const document of page.documents) {
      if (!isMeant(document) && (await isLost(work, sessionOf(document)))) lost++;
    }
    if (page.next === undefined) return lost;
    after = page.next;
  }
}

async function eraseThose(
  work: ErasureWork,
  ref: CollectionRef,
  documentIds: readonly string[],
  isMeant: (document: StoredDocument) => boolean,
): Promise<void> {
  const { context } = work.parts;
  const change = { ...ref, documentIds, sourceIds: [], allowWhenFull: true };
  const part = await context.store.changeDocuments<ErasedPart>(change, (view) => {
    // One that was replaced meanwhile may be somebody else's.
    const found = [...view.documents.values()].filter(isMeant);
    const remove = found.map(({ documentId }) => documentId);
    const result = { counts: { document: remove.length }, marks: [] };
    const erasure = work.settle(result);
    if (erasure === undefined || remove.length === 0) return { kind: "answer", result };
    const nowMs = context.world.nowMs();
    const { namespace, collectionId } = ref;
    const at = { namespace, revision: view.revision, nowMs, requestId: "" };
    const deleted = { type: EVENT_TYPE.documentsDeleted, collectionId, documentIds: remove };
    const events = documentEvents(context, at, [deleted]);
    return { kind: "save", result, plan: { remove, nowMs, events, erasure } };
  });
  work.took(part);
}

// Records that callers keep by name.

async function eraseRecords(work: ErasureWork): Promise<void> {
  const { namespace, parts, subject } = work;
  const { context } = parts;
  if (subject.kind === "document" || subject.kind === "messages") return;
  let after: string | undefined;
  let unknown = 0;
  do {
    work.checkLive();
    const query = { namespace, order: "asc", limit: PAGE, withValues: false } as const;
    const page = await context.store.listRecords({
      ...query,
      ...(after === undefined ? {} : { after }),
    });
    const isMeant = ({ owner }: KeptRecord): boolean => isOfSubject(work, owner);
    await eraseRecordsOf(work, page.records.filter(isMeant), isMeant);
    for (const record of page.records) {
      const sessionId = unownedScope(work, record.owner);
      if (!isMeant(record) && (await isLost(work, sessionId))) unknown++;
    }
    after = page.next;
  } while (after !== undefined);
  await work.noteUnknown("record", unknown);
}

/** Erases records with their documents. */
async function eraseRecordsOf(
  work: ErasureWork,
  names: readonly NamedDocuments[],
  isMeant: (record: KeptRecord) => boolean,
): Promise<void> {
  const { namespace, parts } = work;
  for (const step of removalSteps(names)) {
    let part: ErasedPart | undefined;
    const removal = { namespace, names: step, reason: "erased", isMeant } as const;
    await removeByServer(parts.context, removal, (removed) => {
      const documents = removed.reduce((sum, { search }) => sum + (search?.documentCount ?? 0), 0);
      part = { counts: { record: removed.length, document: documents }, marks: [] };
      return work.settle(part);
    });
    if (part !== undefined) work.took(part);
  }
}

// Answers that are remembered.

// Answers about documents hold no content. One whose subject is not known may be the subject's.
async function eraseAnswers(work: ErasureWork): Promise<void> {
  const { namespace, parts, subject } = work;
  if (subject.kind === "document") return;
  const marks = new Set(work.marked("session").map(mark.session));
  if (subject.kind === "user") marks.add(mark.user(subject.userId));
  if (subject.kind === "agent") marks.add(mark.agent(subject.agentId));
  let after: string | undefined;
  do {
    work.checkLive();
    const partOf = (count: number): ErasedPart => ({ counts: { answer: count }, marks: [] });
    const progress = (count: number) => work.settle(partOf(count)) ?? { erasure: work.erasure };
    const step = await parts.context.store.eraseAnswers({
      namespace,
      ...(after === undefined ? {} : { after }),
      isMeant: (about) => about?.some((one) => marks.has(one)) ?? true,
      progress: work.isDry ? undefined : progress,
    });
    work.took(partOf(step.count));
    after = step.next;
  } while (after !== undefined);
}

// Upkeep erases the logs of what was deleted, step by step.
async function waitForPurge(work: ErasureWork, signal: AbortSignal): Promise<void> {
  if (work.isDry) return;
  await work.parts.eraseSavedIndex(work.namespace);
  const { store, world } = work.parts.context;
  const { mark: purgeMark } = await store.purgedBefore();
  while (!(await store.purgedBefore(purgeMark)).isPurged) {
    await pause(world, PURGE_POLL_MS, signal);
    work.checkLive();
  }
  const { erasureId } = work.erasure;
  while (await store.dropErasureMarks({ namespace: work.namespace, erasureId })) work.checkLive();
}
