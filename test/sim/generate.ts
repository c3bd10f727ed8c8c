// Draws operations at random. Few names are used again and again, so that operations meet: sessions
// are deleted and made anew, ids come back, request ids are repeated.

import { EVENT_TYPE } from "../../src/events/rules/event.ts";
import {
  EMPTY_POLICY_STATE,
  type PolicyState,
  type SessionRef,
  type WindowInsert,
} from "../../src/session/rules/session.ts";
import type { SessionQuery, Store } from "../../src/store/store.ts";
import { ROLE, type Role } from "../../src/window/rules/types.ts";
import type { Random } from "../support/kit/random.ts";
import {
  type Draft,
  type FieldParts,
  REPLY_AGE_MS,
  type SessionAction,
} from "../support/store/action-types.ts";
import { serverId } from "../support/store/actions.ts";
import { newInsert, START_MS } from "../support/store/plans.ts";
import type { Draw } from "./draw.ts";
import {
  drawDocumentRead,
  drawDocumentRefresh,
  drawDocuments,
  drawVectors,
} from "./generate-documents.ts";
import { drawMemories, drawMemoryRead, drawTurn } from "./generate-memories.ts";
import { drawRecordRead, drawRecords, drawRefresh, drawUpload } from "./generate-records.ts";
import { drawDueQuery, drawTask, drawTaskQuery, drawWork } from "./generate-work.ts";
import type { ConsumerOperation, Operation, ReadOperation } from "./operations.ts";

/** The namespaces of the simulation; one is the start of another. */
export const NAMESPACES: readonly string[] = ["a", "ab", "default"];
const SESSION_IDS = ["s", "s:1", "s\u00e9", "\u{1f600}".repeat(128), "x".repeat(512), "b"];
const CONSUMER_IDS = ["c", "c2", "\u00fc", "cc"];
const USERS = ["", "u", "u1", "\u{1f600}"];
const ROLES: readonly Role[] = [ROLE.user, ROLE.assistant, ROLE.system, ROLE.tool];
const TYPES = Object.values(EVENT_TYPE);
const CALLER_IDS = 40;
const REQUEST_IDS = 25;

/** Draws operations. */
export interface Generator {
  /** The request ids used, for reading every answer. */
  readonly requestIds: readonly string[];
  /** The time of the newest operation. */
  nowMs(): number;
  /** An operation that changes something, or nothing if it is refused. */
  change(): Promise<Operation>;
  read(): Promise<ReadOperation>;
}

const KNOWN_IDS = 30;
const requestIdOf = (n: number) => `request-${n}`;

/** Makes a generator. The same random choices and the same model give the same operations. */
export function generatorOf(random: Random, store: () => Store): Generator {
  const draw: Draw = {
    random,
    get store() {
      return store();
    },
    nowMs: START_MS,
    known: [],
  };
  return {
    requestIds: Array.from({ length: REQUEST_IDS }, (_, n) => requestIdOf(n)),
    nowMs: () => draw.nowMs,
    change: async () => {
      draw.nowMs += random.int(0, 40);
      return await drawChange(draw);
    },
    read: () => drawRead(draw),
  };
}

function drawRef({ random }: Draw): SessionRef {
  return { namespace: random.pick(NAMESPACES), sessionId: random.pick(SESSION_IDS) };
}

async function drawChange(draw: Draw): Promise<Operation> {
  const { random, nowMs } = draw;
  const kind = random.weighted({
    create: 5,
    append: 34,
    update: 5,
    trim: 7,
    restore: 5,
    replace: 10,
    erase: 10,
    rewrite: 6,
    reset: 3,
    remove: 3,
    look: 3,
    fork: 6,
    consumer: 5,
    work: 16,
    task: 8,
    documents: 14,
    vectors: 7,
    memories: 14,
    records: 14,
    refresh: 4,
    refreshDocuments: 4,
    upload: 7,
    turn: 10,
    recall: 1,
    maintain: 2,
    reopen: 1,
    pause: 0.3,
  });
  if (kind === "pause") return { kind };
  if (kind === "reopen") return { kind, killed: random.chance(0.5) };
  if (kind === "maintain") return drawMaintain(draw);
  const ref = drawRef(draw);
  const requestId = random.chance(0.15) ? requestIdOf(random.int(0, REQUEST_IDS - 1)) : undefined;
  const base = { ...ref, nowMs, ...(requestId === undefined ? {} : { requestId }) };
  if (kind === "documents") return { ...base, ...drawDocuments(draw) };
  if (kind === "records") return { ...base, sessionId: "", ...drawRecords(draw) };
  if (kind === "refresh") return drawRefresh(draw, ref.namespace);
  if (kind === "refreshDocuments") return drawDocumentRefresh(draw, ref.namespace);
  if (kind === "upload") return drawUpload(draw, ref.namespace);
  if (kind === "memories") return { ...base, ...drawMemories(draw) };
  if (kind === "turn") return { ...base, ...drawTurn(draw) };
  if (kind === "vectors") return await drawVectors(draw, ref);
  if (kind === "recall") return { kind: "note-recalled", namespace: ref.namespace, ms: nowMs };
  if (kind === "consumer") return { ...base, ...drawConsumer(draw) };
  if (kind === "work") return { ...base, ...drawWork(draw) };
  if (kind === "task") return { ...base, ...(await drawTask(draw, ref.namespace)) };
  if (kind === "fork") {
    const target = random.pick(SESSION_IDS);
    const last = (await draw.store.readSession(ref))?.head.lastSeq ?? 0;
    const summary = random.chance(0.5);
    return {
      ...base,
      kind,
      target,
      summary,
      ...(random.chance(0.3) ? {} : { atSeq: near(random, last) }),
    };
  }
  return { ...base, ...(await drawAction(draw, ref, kind)) } as SessionAction;
}

/** A seq up to the last one or a little outside. */
function near(random: Random, last: number): number {
  return random.int(0, last + (random.chance(0.1) ? 1 : 0));
}

function drawMaintain({ random, nowMs }: Draw): Operation {
  const rarely = (low: number, high: number) =>
    random.chance(0.5) ? Number.MAX_SAFE_INTEGER : random.int(low, high);
  const plan = {
    nowMs,
    eventAgeMsMax: rarely(1_000, 20_000),
    eventCountMax: rarely(20, 600),
    replyAgeMsMax: rarely(REPLY_AGE_MS, 10_000),
    usageHourMin: random.int(0, 6),
  };
  return { kind: "maintain", plan };
}

function drawConsumer({ random }: Draw): Omit<ConsumerOperation, "namespace" | "nowMs"> {
  return {
    kind: "consumer",
    sessionId: random.pick(CONSUMER_IDS),
    revision: random.int(0, 1_000),
    remove: random.chance(0.3),
  };
}

function drawFields({ random }: Draw): FieldParts {
  const labels = new Map<string, string>();
  if (random.chance(0.5)) labels.set("k", random.pick(["", "v", "w"]));
  if (random.chance(0.3)) labels.set("kk", random.pick(["v", "v2"]));
  return {
    ...(random.chance(0.6) ? { userId: random.pick(USERS) } : {}),
    ...(random.chance(0.5) ? { agentId: random.pick(USERS) } : {}),
    ...(random.chance(0.6) ? { labels } : {}),
    ...(random.chance(0.4) ? { inserts: drawInserts(random) } : {}),
    ...(random.chance(0.5) ? { ttlMs: random.pick([0, 1_000, 20_000, 100_000]) } : {}),
  };
}

/** The id of a message: mostly of one that exists, sometimes of one that did, or of none. */
async function drawMessageId(draw: Draw, ref: SessionRef): Promise<string> {
  const { random, known } = draw;
  if (known.length > 0 && random.chance(0.25)) return random.pick(known);
  const messageId = await drawNewMessageId(draw, ref);
  known.push(messageId);
  if (known.length > KNOWN_IDS) known.shift();
  return messageId;
}

async function drawNewMessageId(draw: Draw, ref: SessionRef): Promise<string> {
  const { random, store } = draw;
  const session = await store.readSession(ref);
  const last = session?.head.lastSeq ?? 0;
  const unknown = random.pick([
    `id-${random.int(0, CALLER_IDS)}`,
    serverId(random.int(1, last + 2), START_MS + random.int(0, 99)),
  ]);
  if (session === undefined || random.chance(0.1)) return unknown;
  const page = { firstSeq: 0, lastSeq: random.int(1, last + 1), order: "desc", limit: 1 } as const;
  return (await store.listMessages(ref, page))?.messages[0]?.messageId ?? unknown;
}

function drawDrafts({ random, nowMs }: Draw): readonly Draft[] {
  const count = random.weighted({ one: 12, few: 8, many: 1 });
  const size = count === "one" ? 1 : count === "few" ? random.int(2, 6) : random.int(30, 60);
  const used = new Set<string>();
  return Array.from({ length: size }, (_, index) => {
    const wanted = random.chance(0.05)
      ? serverId(random.int(1, 60), START_MS + random.int(0, 99))
      : `id-${random.int(0, CALLER_IDS)}`;
    const messageId = random.chance(0.35) && !used.has(wanted) ? wanted : "";
    used.add(messageId);
    const text = `text ${nowMs} ${index} ${"+".repeat(random.int(0, 30))}`;
    return { messageId, role: random.pick(ROLES), tokenCount: drawTokens(random), text };
  });
}

/** Mostly whole tokens, sometimes with quarters. */
function drawTokens(random: Random): number {
  return random.chance(0.3) ? random.int(0, 200) / 4 : random.int(0, 50);
}

/** Placed summaries at rising positions. */
function drawInserts(random: Random): readonly WindowInsert[] {
  return Array.from({ length: random.int(0, 3) }, (_, index) =>
    newInsert({
      position: index * 5 + random.pick([0.5, 1.25, 3.75]),
      kind: random.pick(["summary", "result", "request"] as const),
      tokenCount: drawTokens(random),
    }),
  );
}

/** State of a policy: mostly empty. */
function drawState(random: Random): PolicyState {
  if (random.chance(0.5)) return EMPTY_POLICY_STATE;
  const window = { messageCount: random.int(0, 9), tokenCount: drawTokens(random) };
  return {
    modelInputTokens: random.int(0, 9),
    outcomes: random.chance(0.5) ? [] : [{ tool: "t", error: random.chance(0.5) }],
    marks: random.chance(0.5) ? [] : [{ stage: "s", seq: random.int(0, 9), window }],
    overLimit: random.chance(0.5) ? [] : ["s"],
    turnEndSeq: random.int(0, 9),
  };
}

async function drawAction(
  draw: Draw,
  ref: SessionRef,
  kind: SessionAction["kind"],
): Promise<object> {
  const { random } = draw;
  const looks = random.pick([false, true, true]);
  switch (kind) {
    case "create":
    case "update":
      return { kind, fields: drawFields(draw) };
    case "append": {
      const last = (await draw.store.readSession(ref))?.head.lastSeq ?? 0;
      const expectedLastSeq = random.chance(0.1) ? { expectedLastSeq: near(random, last) } : {};
      const keep = !looks || random.chance(0.4) ? {} : { keep: random.int(0, 25) };
      const createSession = random.chance(0.5);
      const discard = random.chance(0.3) ? { discard: true } : {};
      const state = random.chance(0.2) ? { state: drawState(random) } : {};
      const { put, remove } = drawRecords(draw);
      const records = random.chance(0.15) ? { records: { put, remove } } : {};
      const fields = random.chance(0.2) ? { fields: drawFields(draw) } : {};
      const trim = { ...keep, ...discard, ...state, ...records, ...fields };
      return { kind, drafts: drawDrafts(draw), createSession, ...expectedLastSeq, ...trim, looks };
    }
    case "trim": {
      const every = random.int(1, 5);
      return { kind, every, rest: random.int(0, every - 1) };
    }
    case "restore":
    case "look": {
      const messageIds: string[] = [];
      for (let n = random.int(0, 4); n > 0; n -= 1) messageIds.push(await drawMessageId(draw, ref));
      return { kind, messageIds, looks };
    }
    case "replace": {
      const text = "new ".repeat(random.int(0, 20));
      const messageId = await drawMessageId(draw, ref);
      return { kind, messageId, tokenCount: drawTokens(random), text, looks };
    }
    case "erase":
      return { kind, messageId: await drawMessageId(draw, ref), looks };
    case "reset":
      return { kind, keepSystem: random.chance(0.6), keepSummary: random.chance(0.5) };
    case "rewrite": {
      const messageIds = new Set<string>();
      for (let n = random.int(0, 5); n > 0; n -= 1) messageIds.add(await drawMessageId(draw, ref));
      return {
        kind,
        messageIds: [...messageIds],
        all: random.chance(0.3),
        drafts: drawDrafts(draw),
      };
    }
    case "remove":
      return { kind };
  }
}

async function drawRead(draw: Draw): Promise<ReadOperation> {
  const { random, nowMs } = draw;
  const ref = drawRef(draw);
  const last = (await draw.store.readSession(ref))?.head.lastSeq ?? 0;
  const order = random.pick(["asc", "desc"] as const);
  const limit = random.pick([1, 2, 7, 50, 1_000]);
  const kind = random.pick([
    "read-message",
    "read-window-at",
    "list-messages",
    "list-sessions",
    "find-messages",
    "list-events",
    "list-consumers",
    "list-tasks",
    "due-tasks",
    "list-summaries",
    "expired",
    "documents",
    "documents",
    "memories",
    "memories",
    "records",
    "records",
  ] as const);
  switch (kind) {
    case "read-message":
      return { ...ref, kind, messageId: await drawMessageId(draw, ref) };
    case "read-window-at":
      return { ...ref, kind, seq: random.int(0, last + 1) };
    case "list-messages": {
      const firstSeq = random.int(0, last + 1);
      const roles = random.chance(0.5) ? {} : { roles: ROLES.filter(() => random.chance(0.4)) };
      return { ...ref, kind, firstSeq, lastSeq: random.int(0, last + 1), order, limit, ...roles };
    }
    case "list-sessions":
      return { ...ref, kind, query: drawSessionQuery(draw, ref.namespace) };
    case "find-messages": {
      const { by: _by, order: _order, ...query } = drawSessionQuery(draw, ref.namespace);
      const messageIds = new Set([await drawMessageId(draw, ref)]);
      for (let n = random.int(0, 5); n > 0; n -= 1) messageIds.add(await drawMessageId(draw, ref));
      return { ...ref, kind, query: { ...query, messageIds: [...messageIds] } };
    }
    case "list-events": {
      const user = random.chance(0.3) ? { userId: random.pick(USERS) } : {};
      const types = random.chance(0.3) ? { types: TYPES.filter(() => random.chance(0.4)) } : {};
      const back = random.int(0, 300);
      const maxBytes = random.pick([1, 500, 1_000_000]);
      const session = random.chance(0.4);
      return { ...ref, kind, session, ...user, ...types, limit, maxBytes, back };
    }
    case "list-consumers":
      return { ...ref, kind, limit };
    case "list-tasks":
      return { ...ref, kind, query: drawTaskQuery(draw, ref) };
    case "due-tasks":
      return { ...ref, kind, query: drawDueQuery(draw) };
    case "list-summaries":
      return { ...ref, kind, order, limit, maxBytes: random.pick([1, 300, 1_000_000]) };
    case "documents":
      return await drawDocumentRead(draw, ref);
    case "memories":
      return drawMemoryRead(draw, ref);
    case "records":
      return drawRecordRead(draw, ref.namespace);
    case "expired":
      return { ...ref, kind, nowMs: nowMs + random.int(-1_000, 30_000) };
  }
}

function drawSessionQuery({ random, nowMs }: Draw, namespace: string): SessionQuery {
  const time = () => random.int(START_MS, nowMs + 1);
  return {
    namespace,
    by: random.pick(["create", "update"] as const),
    order: random.pick(["asc", "desc"] as const),
    limit: random.pick([1, 2, 100]),
    nowMs: random.chance(0.5) ? 0 : nowMs,
    ...(random.chance(0.3) ? { sessionIdPrefix: random.pick(SESSION_IDS).slice(0, 2) } : {}),
    ...(random.chance(0.3) ? { userId: random.pick(USERS) } : {}),
    ...(random.chance(0.3) ? { agentId: random.pick(USERS) } : {}),
    ...(random.chance(0.3) ? { labels: new Map([["k", random.pick(["", "v", "w"])]]) } : {}),
    ...(random.chance(0.2) ? { createdFromMs: time() } : {}),
    ...(random.chance(0.2) ? { createdBeforeMs: time() } : {}),
    ...(random.chance(0.2) ? { updatedFromMs: time() } : {}),
    ...(random.chance(0.2) ? { updatedBeforeMs: time() } : {}),
  };
}
