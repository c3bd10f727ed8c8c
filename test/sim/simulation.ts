// The simulation: random operations on an engine and on the model, with every result and everything
// that can be read compared.
//
// Most operations come one after another. Some come in batches at the same time; there the order is
// the engine's to choose, and is found by the revisions: what was saved is done on the model in
// that order, and what was not must have the answer that the model gives at some moment between.

import { isDeepStrictEqual } from "node:util";

import type { SessionRef } from "../../src/session/rules/session.ts";
import type {
  CollectionRef,
  Commit,
  MemoryStore,
  SessionDecision,
  Store,
  StoredEvent,
} from "../../src/store/store.ts";
import type { Engine } from "../storage/scene.ts";
import { plain } from "../support/kit/plain.ts";
import type { Random } from "../support/kit/random.ts";
import { REPLY_AGE_MS } from "../support/store/action-types.ts";
import { allCollections } from "../support/store/documents.ts";
import { dumpSession, dumpStore } from "../support/store/dump.ts";
import { type Generator, generatorOf, NAMESPACES } from "./generate.ts";
import { HOOKS, HOURS } from "./generate-work.ts";
import { applyTo, type Operation, type Outcome } from "./operations.ts";

const BATCH_SHARE = 0.06;
const BATCH_MAX = 14;
const WHOLE_EVERY = 150;

/** Counts of a simulation's operations. */
export interface SimulationCounts {
  operations: number;
  saved: number;
  refused: number;
  batches: number;
  reopens: number;
}

/** A difference between the engine and the model. */
export class SimulationError extends Error {
  override readonly name = "SimulationError";
}

interface Run {
  readonly subject: Engine;
  readonly model: Engine;
  readonly random: Random;
  readonly generator: Generator;
  readonly counts: SimulationCounts;
  /** Events that listeners received from the engine and from the model. */
  readonly heard: { readonly subject: StoredEvent[]; readonly model: StoredEvent[] };
  /** Other changes that listeners received, each once. */
  readonly changed: { readonly subject: Set<string>; readonly model: Set<string> };
  /** The newest operations, for the report of a difference. */
  readonly trail: string[];
}

/** Runs a simulation of so many operations. Throws SimulationError at the first difference. */
export async function simulate(
  engines: { readonly subject: Engine; readonly model: Engine },
  random: Random,
  operations: number,
): Promise<SimulationCounts> {
  const run: Run = {
    ...engines,
    random,
    generator: generatorOf(random, () => engines.model.store),
    counts: { operations: 0, saved: 0, refused: 0, batches: 0, reopens: 0 },
    heard: { subject: [], model: [] },
    changed: { subject: new Set(), model: new Set() },
    trail: [],
  };
  listen(run);
  let compareAt = WHOLE_EVERY;
  while (run.counts.operations < operations) {
    if (random.chance(BATCH_SHARE)) await batch(run);
    else await step(run, await run.generator.change());
    if (random.chance(0.5)) await compareRead(run);
    if (run.counts.operations < compareAt) continue;
    compareAt += WHOLE_EVERY;
    await compareWhole(run);
  }
  await reopen(run, false);
  await compareWhole(run);
  return run.counts;
}

function listen(run: Run): void {
  for (const side of ["subject", "model"] as const) {
    run[side].store.onCommit(({ events, ...changed }) => {
      run.heard[side].push(...events);
      for (const one of thingsIn(changed)) run.changed[side].add(one);
    });
  }
}

/** Other changes of a commit than its events, however many it groups. */
function thingsIn(changed: Omit<Commit, "events">): readonly string[] {
  const { documents, memories, memoryJobsDue, taskHooks } = changed;
  const things = [
    ...[...taskHooks].map((hook) => ({ hook })),
    ...documents.flatMap(({ numbers, ...ref }) =>
      (numbers === "all" ? [numbers] : numbers).map((number) => ({ ...ref, number })),
    ),
    ...memories,
    ...(memoryJobsDue ? [{ memoryJobsDue }] : []),
  ];
  return things.map((one) => JSON.stringify(plain(one)));
}

async function reopen(run: Run, killed: boolean): Promise<void> {
  if (killed && run.subject.crash !== undefined) await run.subject.crash();
  else await run.subject.reopen();
  await run.model.reopen();
  run.counts.reopens += 1;
  listen(run);
}

function note(run: Run, operation: Operation): void {
  run.counts.operations += 1;
  run.trail.push(JSON.stringify(plain(operation)));
  if (run.trail.length > BATCH_MAX) run.trail.shift();
}

/** One operation on both, with its results and the session it touched. */
async function step(run: Run, operation: Operation): Promise<void> {
  note(run, operation);
  if (operation.kind === "reopen") {
    await reopen(run, operation.killed);
    await compareWhole(run);
    return;
  }
  const expected = await onModel(run, operation);
  const actual = await applyTo(run.subject.store, operation);
  if ("error" in expected) run.counts.refused += 1;
  else run.counts.saved += 1;
  same(run, "the result", actual, expected);
  const namespace = "namespace" in operation ? operation.namespace : "default";
  const positions = await run.subject.store.positions(namespace);
  same(run, "the positions", positions, await run.model.store.positions(namespace));
  if (operation.kind === "documents") await compareDocuments(run, operation);
  else if (operation.kind === "refresh-documents") await compareLives(run, operation);
  else if ("sessionId" in operation) {
    await compareSession(run, operation);
    if ("messageId" in operation) await compareMessage(run, operation);
    if (operation.kind === "fork") {
      await compareSession(run, { namespace: operation.namespace, sessionId: operation.target });
    }
  }
}

/** Applies an operation to the model, which must not have a fault of its own. */
async function onModel(run: Run, operation: Operation): Promise<Outcome> {
  const outcome = await applyTo(run.model.store, operation);
  if ("fault" in outcome) same(run, "a fault of the model", "no fault", outcome);
  return outcome;
}

async function compareSession(run: Run, { namespace, sessionId }: SessionRef): Promise<void> {
  const ref = { namespace, sessionId };
  const whole = run.random.chance(0.1);
  const look = async (store: Store) =>
    plain(whole ? await dumpSession(store, ref) : (await store.readWindow(ref))?.window);
  same(run, "the session", await look(run.subject.store), await look(run.model.store));
}

async function compareDocuments(run: Run, { namespace, sessionId }: SessionRef): Promise<void> {
  const read = { kind: "list-documents", namespace, sessionId, limit: 7 } as const;
  const expected = await onModel(run, read);
  same(run, "the documents", await applyTo(run.subject.store, read), expected);
  const all = await allCollections(run.model.store, namespace);
  same(run, "the collections", await allCollections(run.subject.store, namespace), all);
}

/** Compares when the documents of a collection expire, also those that no refresh has named. */
async function compareLives(run: Run, { namespace, collectionId }: CollectionRef): Promise<void> {
  const query = { namespace, collectionId, after: 0, limit: 1_000 };
  const { documents } = await run.model.store.listDocuments(query);
  const documentIds = documents.map((document) => document.documentId);
  const read = { kind: "document-lives", namespace, sessionId: collectionId, documentIds } as const;
  const expected = await onModel(run, read);
  same(run, "the lives of the documents", await applyTo(run.subject.store, read), expected);
}

async function compareMessage(
  run: Run,
  { namespace, sessionId, messageId }: SessionRef & { readonly messageId: string },
): Promise<void> {
  const read = { kind: "read-message", namespace, sessionId, messageId } as const;
  const expected = await onModel(run, read);
  same(run, "the message", await applyTo(run.subject.store, read), expected);
}

async function compareRead(run: Run): Promise<void> {
  const operation = await run.generator.read();
  note(run, operation);
  const expected = await onModel(run, operation);
  same(run, "what is read", await applyTo(run.subject.store, operation), expected);
}

async function compareWhole(run: Run): Promise<void> {
  const { requestIds, nowMs } = run.generator;
  const repliesFromMs = nowMs() - REPLY_AGE_MS;
  const work = { hooks: HOOKS, hours: HOURS };
  const names = { namespaces: NAMESPACES, requestIds, repliesFromMs, ...work };
  const actual = plain(await dumpStore(run.subject.store, names));
  same(run, "the whole store", actual, plain(await dumpStore(run.model.store, names)));
  same(run, "what listeners heard", plain(run.heard.subject), plain(run.heard.model));
  same(run, "what listeners heard beside the events", run.changed.subject, run.changed.model);
  run.changed.subject.clear();
  run.changed.model.clear();
  run.heard.subject.length = 0;
  run.heard.model.length = 0;
}

/** An operation of a batch, with what became of it on the engine. */
interface Done {
  readonly operation: Operation;
  readonly outcome: Outcome;
  /** The revision it was saved under; undefined when nothing was saved. */
  readonly revision: number | undefined;
}

async function drawBatch(run: Run): Promise<readonly Operation[]> {
  const operations: Operation[] = [];
  for (let size = run.random.int(2, BATCH_MAX); size > 0; size -= 1) {
    const operation = await run.generator.change();
    // Consumers, single tasks and upkeep have no revision that would tell their order.
    if (!("sessionId" in operation)) continue;
    if (operation.kind === "consumer" || operation.kind === "task") continue;
    operations.push(operation);
  }
  return operations;
}

async function batch(run: Run): Promise<void> {
  const operations = await drawBatch(run);
  run.counts.batches += 1;
  for (const operation of operations) note(run, operation);
  const results = await Promise.all(
    operations.map((operation) => applyWatched(run.subject.store, operation)),
  );
  const saved = results.filter(({ revision }) => revision !== undefined);
  saved.sort((a, b) => placeOf(run, a) - placeOf(run, b));
  let open = results.filter(({ revision }) => revision === undefined);
  run.counts.saved += saved.length;
  run.counts.refused += open.length;
  open = await withoutExplained(run, open);
  for (const done of saved) {
    const expected = await onModel(run, pinned(done));
    same(run, `the result at revision ${done.revision} of a batch`, done.outcome, expected);
    open = await withoutExplained(run, open);
  }
  for (const { operation, outcome } of open) {
    same(run, `${JSON.stringify(plain(operation))} in a batch, at no moment`, outcome, "explained");
  }
}

/** When a change was saved among those of all namespaces: its place among what was heard. */
function placeOf(run: Run, { operation, revision }: Done): number {
  const namespace = "namespace" in operation ? operation.namespace : undefined;
  return run.heard.subject.findIndex(
    (event) => event.namespace === namespace && event.revision === revision,
  );
}

/** A copy up to the newest seq goes up to that of its first look at the source. */
function pinned({ operation, outcome }: Done): Operation {
  if (operation.kind !== "fork" || !("ok" in outcome)) return operation;
  return { ...operation, atSeq: (outcome.ok as { readonly lastSeq: number }).lastSeq };
}

/** The operations whose outcome is not the one that the model gives now. */
async function withoutExplained(run: Run, open: readonly Done[]): Promise<Done[]> {
  const left: Done[] = [];
  for (const done of open) {
    const outcome = await applyTo(readOnly(run.model.store), done.operation);
    if (!isDeepStrictEqual(outcome, done.outcome)) left.push(done);
  }
  return left;
}

/** Applies an operation and notes under which revision it was saved. */
async function applyWatched(store: Store, operation: Operation): Promise<Done> {
  let revision: number | undefined;
  const outcome = await applyTo(
    watched(store, (seen, kind) => {
      revision = kind === "save" ? seen : undefined;
    }),
    operation,
  );
  return { operation, outcome, revision: "ok" in outcome ? revision : undefined };
}

/** A store that tells of the decisions made. */
function watched(store: Store, tell: (revision: number, kind: string) => void): Store {
  return {
    ...reading(store),
    changeSession: (change, decide) =>
      store.changeSession(change, (view) => {
        const decision = decide(view);
        tell(view.revision, decision.kind);
        return decision;
      }),
    copySession: (copy, decide) =>
      store.copySession(copy, (view) => {
        const decision = decide(view);
        tell(view.revision, decision.kind);
        return decision;
      }),
    changeDocuments: (change, decide) =>
      store.changeDocuments(change, (view) => {
        const decision = decide(view);
        tell(view.revision, decision.kind);
        return decision;
      }),
    changeMemories: (change, decide) =>
      store.changeMemories(change, (view) => {
        const decision = decide(view);
        tell(view.revision, decision.kind);
        return decision;
      }),
    changeRecords: (change, decide) =>
      store.changeRecords(change, (view) => {
        const decision = decide(view);
        tell(view.revision, decision.kind);
        return decision;
      }),
  };
}

/** A store that refuses, without an AppError, what would be saved. */
function readOnly(store: Store): Store {
  const refuse = <T extends SessionDecision<unknown> | { readonly kind: string }>(decision: T) => {
    if (decision.kind === "save") throw new Error("This would be saved.");
    return decision;
  };
  return {
    ...reading(store),
    changeSession: (change, decide) => store.changeSession(change, (view) => refuse(decide(view))),
    copySession: (copy, decide) => store.copySession(copy, (view) => refuse(decide(view))),
    changeDocuments: (change, decide) =>
      store.changeDocuments(change, (view) => refuse(decide(view))),
    changeMemories: (change, decide) =>
      store.changeMemories(change, (view) => refuse(decide(view))),
    changeRecords: (change, decide) => store.changeRecords(change, (view) => refuse(decide(view))),
    changeUpload: (change, decide) => store.changeUpload(change, (view) => refuse(decide(view))),
  };
}

/** The methods of a store as an object that can be spread. */
export function reading(store: Store): Store {
  return {
    readErasure: (ref) => store.readErasure(ref),
    runningErasures: () => store.runningErasures(),
    changeErasure: (change, decide) => store.changeErasure(change, decide),
    erasureMarks: (ref) => store.erasureMarks(ref),
    dropErasureMarks: (ref) => store.dropErasureMarks(ref),
    eraseAnswers: (query) => store.eraseAnswers(query),
    purgedBefore: (mark) => store.purgedBefore(mark),
    clearJournal: () => store.clearJournal(),
    storeId: store.storeId,
    format: store.format,
    historyId: store.historyId,
    instanceId: store.instanceId,
    positions: (namespace) => store.positions(namespace),
    countRevisions: (namespace, after) => store.countRevisions(namespace, after),
    readSession: (ref) => store.readSession(ref),
    listSessions: (query) => store.listSessions(query),
    countSessions: (query) => store.countSessions(query),
    findMessages: (query) => store.findMessages(query),
    listNamespaces: (after, limit) => store.listNamespaces(after, limit),
    expiredSessions: (nowMs, limit) => store.expiredSessions(nowMs, limit),
    readMessage: (ref, messageId) => store.readMessage(ref, messageId),
    listMessages: (ref, query) => store.listMessages(ref, query),
    readWindow: (ref) => store.readWindow(ref),
    readWindowAt: (ref, seq) => store.readWindowAt(ref, seq),
    changeSession: (change, decide) => store.changeSession(change, decide),
    copySession: (copy, decide) => store.copySession(copy, decide),
    openSnapshot: (ref) => store.openSnapshot(ref),
    importLog: (seqs) => store.importLog(seqs),
    readConsumer: (ref) => store.readConsumer(ref),
    listConsumers: (namespace, after, limit) => store.listConsumers(namespace, after, limit),
    changeConsumer: (change, decide) => store.changeConsumer(change, decide),
    readTask: (namespace, taskNo) => store.readTask(namespace, taskNo),
    listTasks: (query) => store.listTasks(query),
    dueTasks: (query) => store.dueTasks(query),
    nextDueMs: (hook, nowMs) => store.nextDueMs(hook, nowMs),
    taskHooks: () => store.taskHooks(),
    changeTask: (change, decide) => store.changeTask(change, decide),
    readUsage: (namespace, hook, hour) => store.readUsage(namespace, hook, hour),
    listSummaries: (ref, query) => store.listSummaries(ref, query),
    readSummary: (ref, version) => store.readSummary(ref, version),
    changeDocuments: (change, decide) => store.changeDocuments(change, decide),
    readDocument: (ref, documentId) => store.readDocument(ref, documentId),
    listDocuments: (query) => store.listDocuments(query),
    readPayload: (...asked) => store.readPayload(...asked),
    readDocumentLives: (...asked) => store.readDocumentLives(...asked),
    refreshDocuments: (...asked) => store.refreshDocuments(...asked),
    expiredDocuments: (nowMs, limit) => store.expiredDocuments(nowMs, limit),
    listCollections: (query) => store.listCollections(query),
    saveVectors: (vectors) => store.saveVectors(vectors),
    readVectors: (places) => store.readVectors(places),
    ...memoriesOf(store),
    readRecords: (...asked) => store.readRecords(...asked),
    readRecordRange: (...asked) => store.readRecordRange(...asked),
    listRecords: (query) => store.listRecords(query),
    listRecordPaths: (query) => store.listRecordPaths(query),
    expiredRecords: (nowMs, limit) => store.expiredRecords(nowMs, limit),
    expiredUploads: (nowMs, limit) => store.expiredUploads(nowMs, limit),
    changeUpload: (change, decide) => store.changeUpload(change, decide),
    changeRecords: (change, decide) => store.changeRecords(change, decide),
    refreshRecords: (...asked) => store.refreshRecords(...asked),
    recalledNamespaces: () => store.recalledNamespaces(),
    noteRecalled: (namespace, ms) => store.noteRecalled(namespace, ms),
    listEvents: (query) => store.listEvents(query),
    onCommit: (listener) => store.onCommit(listener),
    maintain: (plan) => store.maintain(plan),
    close: () => store.close(),
  };
}

function memoriesOf(store: Store): MemoryStore {
  return {
    changeMemories: (change, decide) => store.changeMemories(change, decide),
    readMemory: (namespace, memoryId) => store.readMemory(namespace, memoryId),
    readMemoryAt: (namespace, memoryNo) => store.readMemoryAt(namespace, memoryNo),
    readMemories: (namespace, memoryIds) => store.readMemories(namespace, memoryIds),
    listMemories: (query) => store.listMemories(query),
    readEntities: (namespace, scopes, names) => store.readEntities(namespace, scopes, names),
    rankedMemories: (query) => store.rankedMemories(query),
    queryRelations: (query) => store.queryRelations(query),
    listMemoryVersions: (namespace, id, page) => store.listMemoryVersions(namespace, id, page),
    listMemoryScopes: (namespace, after, limit) => store.listMemoryScopes(namespace, after, limit),
    readMemoryScope: (namespace, scopeId) => store.readMemoryScope(namespace, scopeId),
    listMemoryNamespaces: (after, limit) => store.listMemoryNamespaces(after, limit),
    expiredMemories: (nowMs, limit) => store.expiredMemories(nowMs, limit),
    dueMemoryJobs: (nowMs, limit) => store.dueMemoryJobs(nowMs, limit),
    nextMemoryJobMs: (nowMs) => store.nextMemoryJobMs(nowMs),
    listMemoryJobs: (namespace, after, limit) => store.listMemoryJobs(namespace, after, limit),
    readMemoryJob: (namespace, taskNo) => store.readMemoryJob(namespace, taskNo),
    readMemoryJobs: (ref) => store.readMemoryJobs(ref),
  };
}

function same(run: Run, what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  const { seed } = run.random;
  throw new SimulationError(
    `TEST_SEED=${seed}, operation ${run.counts.operations}: ${what} differs.\n` +
      `${firstDifference(actual, expected, "")}\nThe newest operations, the last one below:\n` +
      run.trail.join("\n"),
  );
}

function firstDifference(actual: unknown, expected: unknown, path: string): string {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null;
  if (isObject(actual) && isObject(expected)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      if (isDeepStrictEqual(actual[key], expected[key])) continue;
      return firstDifference(actual[key], expected[key], `${path}.${key}`);
    }
  }
  const show = (value: unknown) => (JSON.stringify(value) ?? "undefined").slice(0, 2_000);
  return `at ${path}\n  engine: ${show(actual)}\n  model:  ${show(expected)}`;
}
