// Lists, searches and counts: a store of few sessions and documents against one of many. The
// answers are equally large in both. One caller asks one store, then the other; what the ratio
// shows is the part of the cost that grows with the store.

import { Struct } from "../src/gen/google/protobuf/struct.ts";
import { Document, DocumentFilter } from "../src/gen/memorysidecar/v1/document.ts";
import type { MetadataCondition } from "../src/gen/memorysidecar/v1/filter.ts";
import {
  FindMessagesRequest,
  FindMessagesResponse,
  MessageSessions,
} from "../src/gen/memorysidecar/v1/history.ts";
import type { ScopeFilter } from "../src/gen/memorysidecar/v1/memory.ts";
import {
  ListDocumentsRequest,
  ListDocumentsResponse,
  PurgeDocumentsRequest,
  PurgeDocumentsResponse,
  UpsertDocumentsRequest,
  UpsertDocumentsResponse,
} from "../src/gen/memorysidecar/v1/memory_service.ts";
import { MessageFilter, Role } from "../src/gen/memorysidecar/v1/message.ts";
import { RecallFilter } from "../src/gen/memorysidecar/v1/recall.ts";
import {
  CountItemsRequest,
  CountItemsResponse,
  RecallRequest,
  RecallResponse,
} from "../src/gen/memorysidecar/v1/recall_service.ts";
import { Session, SessionFilter, SessionOrder } from "../src/gen/memorysidecar/v1/session.ts";
import {
  AppendMessagesRequest,
  AppendMessagesResponse,
  ListMessagesRequest,
  ListMessagesResponse,
  ListSessionsRequest,
  ListSessionsResponse,
} from "../src/gen/memorysidecar/v1/session_service.ts";
import { make, sessionName, turns } from "./bodies.ts";
import { Caller, type Codec, inParallel } from "./caller.ts";
import { cpuMs, type Measured, type Running, startReal } from "./processes.ts";
import { percentile } from "./stats.ts";
import { draw, seeded, textOf } from "./texts.ts";
import { type Bench, core, type Found, inDirectory, type Rounds } from "./workloads.ts";

const SESSIONS = "/memorysidecar.v1.SessionService";
const MEMORIES = "/memorysidecar.v1.MemoryService";
const RECALLS = "/memorysidecar.v1.RecallService";
const WIDTH = 8;
/** Ratios of the large store to the small one, which has enough documents for a recall of 1,000. */
const TIMES = 100;
const DOCUMENT_TIMES = 40;
/** The least size of the small store. */
const FEW_MIN = 200;
const RECALL_MAX = 1_000;
const BATCH = 100;
const PER_SESSION = 4;
const PER_USER = 20;
const LONG = "long";
const LONG_MESSAGES = 200;
const COLORS = 10;
const SAMPLES_MIN = 10;
/** Calls before those that are measured. */
const WARM = 3;

/** A call, and how large its answer is: the same in every store. */
interface Ask {
  readonly name: string;
  readonly ask: (caller: Caller) => Promise<number>;
}

function ask<Q, A>(
  name: string,
  path: string,
  [codec, fields]: readonly [Codec<Q>, Partial<Q>],
  [answer, sizeOf]: readonly [Codec<A>, (answer: A) => number],
): Ask {
  const bytes = codec.encode(make(codec, fields)).finish();
  return { name, ask: async (caller) => sizeOf(await caller.call(path, bytes, answer)) };
}

/** Metadata in its wire form. */
function metadata(value: { readonly [key: string]: string | number }): Buffer {
  return Buffer.from(Struct.encode(Struct.wrap(value)).finish());
}

/** Numbers of sessions and of documents. */
interface Size {
  readonly sessions: number;
  readonly documents: number;
}

/** Fills a store with sessions of some users, one long session, and documents. */
async function fill(port: number, { sessions: count, documents: size }: Size): Promise<void> {
  const caller = new Caller(port);
  const append = async (sessionId: string, userId: string, length: number) => {
    const messages = turns(length).map((one, at) => ({ ...one, messageId: `${sessionId}-${at}` }));
    const session = make(Session, { userId });
    const fields = { sessionId, session, messages, createSession: true };
    const request = { codec: AppendMessagesRequest, value: make(AppendMessagesRequest, fields) };
    await caller.call(`${SESSIONS}/AppendMessages`, request, AppendMessagesResponse);
  };
  await append(LONG, "", LONG_MESSAGES);
  await inParallel(count, WIDTH, (index) =>
    append(sessionName("s", index), `user${index % Math.ceil(count / PER_USER)}`, PER_SESSION),
  );
  const topics = Math.ceil(Math.sqrt(size));
  await inParallel(Math.ceil(size / BATCH), WIDTH, async (batch) => {
    const random = seeded(batch + 1);
    const length = Math.min(BATCH, size - batch * BATCH);
    const documents = Array.from({ length }, (_, at) => {
      const number = batch * BATCH + at;
      return make(Document, {
        documentId: sessionName("d", number),
        text: textOf(random, Math.floor(random() * topics)),
        metadata: metadata({ color: `c${number % COLORS}`, number }),
      });
    });
    const value = make(UpsertDocumentsRequest, { collectionId: "c", documents });
    const request = { codec: UpsertDocumentsRequest, value };
    await caller.call(`${MEMORIES}/UpsertDocuments`, request, UpsertDocumentsResponse);
  });
  caller.close();
}

const sessionFilter = (fields: Partial<SessionFilter>) => make(SessionFilter, fields);
const USER = sessionFilter({ userId: "user1" });
const { CREATE_TIME_ASC, CREATE_TIME_DESC, UPDATE_TIME_ASC, UPDATE_TIME_DESC } = SessionOrder;

function sessionLists(): Ask[] {
  const list = (name: string, fields: Partial<ListSessionsRequest>) =>
    ask(
      `ListSessions ${name}`,
      `${SESSIONS}/ListSessions`,
      [ListSessionsRequest, fields],
      [ListSessionsResponse, ({ sessions }) => sessions.length],
    );
  return [
    list("newest", { order: CREATE_TIME_DESC }),
    list("oldest", { order: CREATE_TIME_ASC }),
    list("changed last", { order: UPDATE_TIME_DESC }),
    list("changed first", { order: UPDATE_TIME_ASC }),
    list("of a user", { filter: USER }),
    list("of a user, changed last", { filter: USER, order: UPDATE_TIME_DESC }),
    list("of a prefix", { filter: sessionFilter({ sessionIdPrefix: "s000001" }) }),
  ];
}

function messageLists(): Ask[] {
  const list = (name: string, fields: Partial<ListMessagesRequest>) =>
    ask(
      `ListMessages ${name}`,
      `${SESSIONS}/ListMessages`,
      [ListMessagesRequest, fields],
      [ListMessagesResponse, (page) => page.messages.length + page.foundMessages.length],
    );
  const filter = make(MessageFilter, { roles: [Role.USER] });
  const sessionIds = Array.from({ length: PER_USER }, (_, at) => sessionName("s", at));
  const named = { sessions: make(MessageSessions, { sessionIds }) };
  const ofUser = { sessions: make(MessageSessions, { filter: USER }) };
  return [
    list("of a role", { sessionId: LONG, filter }),
    list("of a role, counted", { sessionId: LONG, filter, includeTotal: true }),
    list("of 20 sessions", { ...named, filter }),
    list("of a user", { ...ofUser, filter }),
    list("of a user, counted", { ...ofUser, filter, includeTotal: true }),
    list("of all sessions", { sessions: make(MessageSessions, { filter: sessionFilter({}) }) }),
  ];
}

function documentLists(): Ask[] {
  return [
    ask(
      "ListDocuments",
      `${MEMORIES}/ListDocuments`,
      [ListDocumentsRequest, { collectionId: "c" }],
      [ListDocumentsResponse, ({ documents }) => documents.length],
    ),
  ];
}

/** Calls whose cost is to be the same in every store. */
const FLAT: readonly Ask[] = [...sessionLists(), ...messageLists(), ...documentLists()];

const everyone: ScopeFilter = { scope: { $case: "everyone", value: {} } };

/** Holds for ten documents of every store. */
const SOME: MetadataCondition = {
  path: "number",
  test: { $case: "range", value: { min: 0, lessThan: 10, max: undefined } },
};

function counts(): Ask[] {
  const items = (name: string, fields: Partial<CountItemsRequest>) =>
    ask(
      `CountItems ${name}`,
      `${RECALLS}/CountItems`,
      [CountItemsRequest, fields],
      [CountItemsResponse, ({ groups }) => groups.length],
    );
  const filter = make(RecallFilter, { collectionIds: ["c"] });
  const groupBy = { $case: "metadataPath", value: "color" } as const;
  const few = make(RecallFilter, { collectionIds: ["c"], metadata: [SOME] });
  return [
    items("of a collection", { filter }),
    items("by color", { filter, groupBy }),
    items("by color, of ten", { filter: few, groupBy }),
    ask(
      "ListSessions, counted",
      `${SESSIONS}/ListSessions`,
      [ListSessionsRequest, { includeTotal: true }],
      [ListSessionsResponse, ({ sessions }) => sessions.length],
    ),
    ask(
      "ListDocuments, counted",
      `${MEMORIES}/ListDocuments`,
      [ListDocumentsRequest, { collectionId: "c", includeTotal: true }],
      [ListDocumentsResponse, ({ documents }) => documents.length],
    ),
  ];
}

function searches(hits: number): Ask[] {
  const find = (name: string, messageId: string) =>
    ask(
      `FindMessages ${name}`,
      `${SESSIONS}/FindMessages`,
      [FindMessagesRequest, { messageIds: [messageId] }],
      [FindMessagesResponse, ({ messages }) => messages.length],
    );
  const purged = make(DocumentFilter, { scope: everyone, metadata: [SOME] });
  const color = (value: string): MetadataCondition => {
    return { path: "color", test: { $case: "equalTo", value } };
  };
  const conditions = [color("c1"), color("c2"), color("c3"), color("c4"), color("c5")];
  const tree: MetadataCondition = { path: "", test: { $case: "anyOf", value: { conditions } } };
  const random = seeded(7);
  const query = Array.from({ length: 6 }, () => draw(random, 0)).join(" ");
  const filter = make(RecallFilter, { collectionIds: ["c"], metadata: [tree] });
  return [
    find("in none", "none"),
    ask(
      "PurgeDocuments, only counted",
      `${MEMORIES}/PurgeDocuments`,
      [PurgeDocumentsRequest, { collectionId: "c", filter: purged }],
      [PurgeDocumentsResponse, ({ sampleDocumentIds }) => sampleDocumentIds.length],
    ),
    ask(
      "Recall of many with a tree",
      `${RECALLS}/Recall`,
      [RecallRequest, { query, filter, pageSize: hits }],
      [RecallResponse, (answer) => answer.hits.length],
    ),
  ];
}

/** Makes a call again and again, and gives what it costs. */
async function measure(bench: Bench, server: Running, caller: Caller, { ask: once }: Ask) {
  for (let warm = 0; warm < WARM; warm += 1) await once(caller);
  const times: number[] = [];
  const cpuBefore = cpuMs(server.pid);
  const begin = performance.now();
  const end = begin + bench.plan.measureMs / 2;
  let last = begin;
  while (last < end || times.length < SAMPLES_MIN) {
    await once(caller);
    const now = performance.now();
    times.push(now - last);
    last = now;
  }
  const seconds = (last - begin) / 1_000;
  // The clock of a process has ticks: a very short run may see none.
  const cpuUs = (Math.max(1, cpuMs(server.pid) - cpuBefore) * 1_000) / times.length;
  times.sort((a, b) => a - b);
  const calls = { calls: times.length, callsTotal: times.length, failed: 0, answerBytes: 0 };
  const [p50Ms, p99Ms] = [percentile(times, 0.5), percentile(times, 0.99)];
  return { ...calls, seconds, perSecond: times.length / seconds, p50Ms, p99Ms, cpuUs };
}

/** Fails when the stores do not give equally large answers: then nothing is compared. */
async function checkSizes(asks: readonly Ask[], few: Caller, many: Caller): Promise<void> {
  for (const one of asks) {
    const [small, large] = [await one.ask(few), await one.ask(many)];
    if (small !== large) throw new Error(`${one.name}: ${small} entries, and ${large} of many`);
  }
}

/** Lists, searches and counts in a store of few and in one of many. */
export function lists(bench: Bench): Promise<Found> {
  return inDirectory(async (directory) => {
    const servers: Running[] = [];
    const start = async (name: string, size: Size): Promise<Running> => {
      const server = await startReal(`${directory}/${name}`, { core: core(bench) });
      servers.push(server);
      await fill(server.port, size);
      return server;
    };
    try {
      const { lists: count } = bench.plan;
      const fewOf = (times: number) => Math.max(FEW_MIN, Math.floor(count / times));
      const size = { sessions: fewOf(TIMES), documents: fewOf(DOCUMENT_TIMES) };
      const few = await start("few", size);
      const many = await start("many", { sessions: count, documents: count });
      // The tree lets half of the documents through. Searches and counts grow by nature: there is
      // no index, or all of it is passed over.
      const hits = Math.min(RECALL_MAX, size.documents / 2);
      const asks = [...FLAT, ...counts(), ...searches(hits)];
      const callers = { few: new Caller(few.port), many: new Caller(many.port) };
      await checkSizes(asks, callers.few, callers.many);
      const found: Rounds = new Map();
      const note = (name: string, result: Measured) => {
        found.set(name, [...(found.get(name) ?? []), result]);
        bench.say(`  ${name}: p50 ${result.p50Ms.toFixed(3)} ms`);
      };
      for (let round = 0; round < bench.plan.rounds; round += 1) {
        for (const one of asks) {
          note(`${one.name}, few`, await measure(bench, few, callers.few, one));
          note(`${one.name}, many`, await measure(bench, many, callers.many, one));
        }
      }
      callers.few.close();
      callers.many.close();
      return { rounds: found, figures: new Map() };
    } finally {
      for (const server of servers) await server.stop();
    }
  });
}

/** The names of the calls that are to cost the same in both stores. */
export const FLAT_CALLS: readonly string[] = FLAT.map(({ name }) => name);
