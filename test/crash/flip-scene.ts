// A store with every kind of record, and the questions whose answers must not change.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Random } from "../support/kit/random.ts";
import { type JsonCall, type JsonClient, valuesUnder } from "./flip-client.ts";
import { tokenOf } from "./recall-account.ts";

/** The hooks of the server: nobody works on their tasks, so these stay as they are. */
export const SCENE_HOOKS = {
  workers: { kind: "poll" },
  lost: { kind: "poll", max_attempts: 1 },
  finder: { kind: "poll", does: "extract" },
};

const DEADLINE_MS = 30_000;
const WORDS = (
  "harbor lighthouse coffee garden violin winter bridge market lantern orchard river sparrow " +
  "engine compass mirror blanket copper thunder island candle"
).split(" ");
const SESSIONS = Array.from({ length: 14 }, (_, at) => `talk-${at}`);
const USERS = ["ann", "bob", "cy"];
const TURNS = 9;
/** Longer texts stand on pages of their own. */
const LONG_BYTES = 9_000;
const MEMORIES = 36;
const DOCUMENTS = 30;
const RECORDS = 24;
const CHANGES = 40;

/** Writes the scene, and notes what can be asked of it. */
export class Scene {
  readonly #client: JsonClient;
  readonly #random: Random;
  readonly #repeats: JsonCall[] = [];
  readonly #ids: string[] = [];
  readonly #tasks: string[] = [];
  #number = 0;

  constructor(client: JsonClient, random: Random) {
    this.#client = client;
    this.#random = random;
  }

  /** Writes everything. */
  async write(): Promise<void> {
    for (const [at, sessionId] of SESSIONS.entries()) await this.#session(sessionId, at);
    await this.#changes();
    await this.#summaries();
    await this.#memories();
    await this.#documents();
    await this.#records();
    await this.#events();
  }

  /** Writes again and again what is there already, so that pages become free. */
  async churn(): Promise<void> {
    for (let i = 0; i < CHANGES; i++) {
      const sessionId = this.#random.pick(SESSIONS);
      await this.#send("UpdateSession", {
        session: { sessionId, metadata: { round: i, text: this.#text(40) } },
        updateMask: "metadata",
      });
    }
  }

  /** The questions: reads, and writes that were answered before. */
  questions(): readonly JsonCall[] {
    const of = (rpc: string, ...requests: readonly JsonObject[]): JsonCall[] =>
      requests.map((request) => ({ rpc, request }));
    const sessions = [...SESSIONS, "fork", "reset", "placed", "running", "dead"];
    const refs = sessions.map((sessionId) => ({ sessionId }));
    const few = refs.slice(0, 4);
    const all = [...refs, REMEMBERS];
    const queries = SESSIONS.flatMap((_, at) => [tokenOf(100 * at + 3), tokenOf(100 * at + 7)]);
    queries.push(...[2_000, 2_004, 2_010, 3_001, 3_008, 3_020].map(tokenOf));
    return [
      ...of("GetSession", ...refs),
      ...of("GetWindow", ...refs, ...few.map((ref) => ({ ...ref, asOfSeq: "6" }))),
      ...of("ListMessages", ...all.map((ref) => ({ ...ref, pageSize: 1_000 }))),
      ...of("ListMessages", ...few.map((ref) => ({ ...ref, order: "MESSAGE_ORDER_SEQ_DESC" }))),
      ...of("ListSummaries", ...refs),
      ...of("ListSummarySources", { sessionId: "placed", version: "1" }),
      ...of("GetMessage", ...SESSIONS.flatMap((sessionId) => this.#messagesOf(sessionId))),
      ...of("ListSessions", {}, ...USERS.map((userId) => ({ filter: { userId } }))),
      ...of("ListSessions", { filter: { agentId: "helper" } }, { filter: { labels: { n: "1" } } }),
      ...of("GetMemory", ...this.#ids.map((memoryId) => ({ memoryId }))),
      ...of("ListMemoryVersions", ...this.#ids.slice(0, 8).map((memoryId) => ({ memoryId }))),
      ...of("ListMemories", ...this.#memoryLists()),
      ...of(
        "QueryRelations",
        ...USERS.map((userId) => ({ filter: scopeOf(userId), entity: userId })),
      ),
      ...of("GetDocument", ...Array.from({ length: 12 }, (_, at) => documentRef(at))),
      ...of("ListDocuments", ...COLLECTIONS.map((collectionId) => ({ collectionId }))),
      ...of("ListCollections", {}),
      ...of("GetRecord", ...Array.from({ length: 12 }, (_, at) => recordRef(at))),
      ...of("BatchGetRecords", {
        records: Array.from({ length: RECORDS }, (_, at) => recordRef(at)),
      }),
      ...of("ListRecords", ...RECORD_LISTS),
      ...of("Recall", ...queries.map(recallOf)),
      ...of("AssembleContext", { sessionId: "talk-1", query: tokenOf(203), maxTokens: 2_000 }),
      ...of("ListEvents", { pageSize: 1_000 }, ...few.map((ref) => ({ filter: ref }))),
      ...of("ListConsumers", {}),
      ...of("GetConsumer", { consumerId: "behind" }, { consumerId: "now" }),
      ...of("ListTasks", {}, ...this.#tasks.map((sessionId) => ({ sessionId }))),
      ...this.#repeats,
    ];
  }

  #messagesOf(sessionId: string): JsonObject[] {
    return [1, 4, 8].map((turn) => ({ sessionId, messageId: `${sessionId}-${turn}` }));
  }

  #memoryLists(): JsonObject[] {
    const kinds = ["MEMORY_KIND_FACT", "MEMORY_KIND_ENTITY", "MEMORY_KIND_RELATION"];
    return USERS.flatMap((userId) => [
      { filter: scopeOf(userId) },
      ...kinds.map((kind) => ({ filter: { ...scopeOf(userId), kinds: [kind] } })),
    ]);
  }

  #text(words: number): string {
    return Array.from({ length: words }, () => this.#random.pick(WORDS)).join(" ");
  }

  async #send(rpc: string, request: JsonObject): Promise<JsonObject> {
    const answer = await this.#client.ask({ rpc, request }, DEADLINE_MS);
    if (answer.kind === "failure") throw new Error(`${rpc}: ${JSON.stringify(answer)}`);
    return answer.json;
  }

  /** Sends a write whose answer is remembered. */
  async #sendOnce(rpc: string, request: JsonObject): Promise<JsonObject> {
    const call = { rpc, request: { ...request, requestId: `once-${++this.#number}` } };
    this.#repeats.push(call);
    return await this.#send(rpc, call.request);
  }

  async #session(sessionId: string, at: number): Promise<void> {
    const userId = USERS[at % USERS.length] ?? "";
    await this.#sendOnce("CreateSession", {
      session: {
        ...{ sessionId, userId, agentId: at % 2 === 0 ? "helper" : "other" },
        ...{ labels: { n: String(at % 3) }, metadata: { plan: "gold", levels: [1, 2.5, null] } },
        ...(at % 4 === 0 ? { ttl: "31536000s" } : {}),
        ...(at % 2 === 0 ? {} : { policy: { policy: smallPolicy({}) } }),
      },
    });
    for (let turn = 1; turn <= TURNS; turn++) {
      const once = turn % 4 === 0 && at % 2 === 0;
      const words = `${tokenOf(100 * at + turn)} ${this.#text(12)}`;
      const text = turn === 5 ? words.padEnd(LONG_BYTES, " x") : words;
      const user = { messageId: `${sessionId}-${turn}`, role: "ROLE_USER", text };
      const messages = [user, ...toolPair(`${sessionId}-${turn}`, this.#text(6))];
      const request = { sessionId, messages: turn % 3 === 0 ? messages : [user] };
      await (once
        ? this.#sendOnce("AppendMessages", request)
        : this.#send("AppendMessages", request));
    }
  }

  async #changes(): Promise<void> {
    const message = { messageId: "talk-0-2", text: "changed garden" };
    await this.#sendOnce("UpdateMessage", { sessionId: "talk-0", message, updateMask: "text" });
    await this.#sendOnce("DeleteMessage", { sessionId: "talk-0", messageId: "talk-0-7" });
    await this.#sendOnce("TrimSession", { sessionId: "talk-2", keepRecent: 3 });
    const messageIds = ["talk-2-1", "talk-2-2"];
    await this.#sendOnce("RestoreMessages", { sessionId: "talk-2", messageIds });
    const fork = { sourceSessionId: "talk-4", atSeq: "8", sessionId: "fork" };
    await this.#sendOnce("ForkSession", fork);
    await this.#send("ForkSession", { sourceSessionId: "talk-6", sessionId: "reset" });
    await this.#sendOnce("ResetSession", { sessionId: "reset", keepSystemMessages: true });
    await this.#send("AppendMessages", { sessionId: "reset", messages: [user("later", "violin")] });
    await this.#send("CreateSession", { session: { sessionId: "removed" } });
    await this.#sendOnce("DeleteSession", { sessionId: "removed" });
  }

  async #summaries(): Promise<void> {
    const byHand = { sessionId: "talk-1", text: "They talk of a harbor." };
    await this.#sendOnce("SetSummary", byHand);
    const policies: Readonly<Record<string, JsonObject>> = {
      placed: { hook: "builtin", keep: "SUMMARY_KEEP_IN_PLACE" },
      running: { hook: "workers", keep: "SUMMARY_KEEP_APPEND" },
      dead: { hook: "lost" },
    };
    for (const [sessionId, summarize] of Object.entries(policies)) {
      const policy = smallPolicy({ removedTo: "REMOVED_TO_SUMMARIZE", summarize });
      await this.#send("CreateSession", { session: { sessionId, policy: { policy } } });
      for (let i = 1; i <= 8; i++) {
        const messages = [user(`${sessionId}-${i}`, this.#text(10))];
        await this.#send("AppendMessages", { sessionId, messages });
      }
      this.#tasks.push(sessionId);
    }
    const { tasks } = await this.#send("PollTasks", { hooks: ["lost"], maxTasks: 1, wait: "1s" });
    const [leased] = tasks as JsonObject[];
    const { taskId = "" } = (leased?.["task"] ?? {}) as JsonObject;
    const ref = { taskId, leaseToken: leased?.["leaseToken"] ?? "" };
    await this.#send("FailTask", { ...ref, message: "It broke.", permanent: true });
  }

  async #memories(): Promise<void> {
    for (let at = 0; at < MEMORIES; at++) {
      const memories = [this.#memory(at)];
      const answer = await (at % 4 === 0
        ? this.#sendOnce("Remember", { memories })
        : this.#send("Remember", { memories }));
      this.#ids.push(...valuesUnder(answer, "memoryId").slice(0, 1).map(String));
    }
    for (const memoryId of this.#ids.slice(0, 5)) {
      const memory = { memoryId, text: `Moved to ${this.#text(5)}.` };
      await this.#sendOnce("UpdateMemory", { memory, updateMask: "text" });
    }
    await this.#send("ReinforceMemories", { memoryIds: this.#ids.slice(5, 8), amount: 0.1 });
    await this.#sendOnce("ForgetMemories", { memoryIds: this.#ids.splice(8, 2) });
    const extraction = { hook: "finder", on: "EXTRACTION_TIME_TURN_END" };
    const memoryPolicy = { promotion: {}, extraction, episodes: {} };
    const session = { sessionId: "remembers", userId: "dora", memoryPolicy };
    await this.#send("CreateSession", { namespace: RESTLESS, session });
    const messages = [user("b1", "Remember: my birthday is in May."), assistant("b2", "Noted.")];
    const turn = { ...REMEMBERS, turnEnd: true, messages };
    await this.#sendOnce("AppendMessages", turn);
  }

  #memory(at: number): JsonObject {
    const userId = USERS[at % USERS.length] ?? "";
    if (at % 5 === 1) {
      const entity = { name: `Name${at}`, type: "person", aliases: [`Nick${at}`] };
      return { userId, kind: "MEMORY_KIND_ENTITY", entity };
    }
    if (at % 5 === 2) {
      const relation = { subject: userId, predicate: `knows${at}`, objectValue: `Name${at}` };
      return { userId, kind: "MEMORY_KIND_RELATION", relation };
    }
    const text = `Fact ${at} is ${tokenOf(2_000 + at)} ${this.#text(6)}.`;
    const source = { sessionId: "talk-0", messageIds: [`talk-0-${(at % TURNS) + 1}`] };
    const category = at % 2 === 0 ? "home" : "work";
    return { userId, kind: "MEMORY_KIND_FACT", text, category, topics: ["town"], source };
  }

  async #documents(): Promise<void> {
    for (let at = 0; at < DOCUMENTS; at++) {
      const { collectionId, documentId } = documentRef(at);
      const text = `${tokenOf(3_000 + at)} ${this.#text(at % 10 === 0 ? 1_500 : 20)}`;
      const embedding = { values: [0.5, -0.25, 1], model: "m3" };
      const more =
        at % 3 === 0 ? { embedding } : { labels: { lang: "en" }, metadata: { page: at } };
      const documents: JsonValue[] = [{ documentId, text, ...more }];
      const request = { collectionId, documents };
      await (at % 6 === 0
        ? this.#sendOnce("UpsertDocuments", request)
        : this.#send("UpsertDocuments", request));
    }
    const gone = { collectionId: "notes", documentIds: [documentRef(28).documentId] };
    await this.#sendOnce("DeleteDocuments", gone);
  }

  async #records(): Promise<void> {
    for (let at = 0; at < RECORDS; at++) {
      const text = `${tokenOf(4_000 + at)} ${this.#text(at % 10 === 0 ? 1_500 : 20)}`;
      const value = Buffer.from(text).toString("base64");
      const ttl = at % 4 === 0 ? { ttl: "864000s" } : {};
      const record = { ...recordRef(at), value, owner: { userId: "ann" }, ...ttl };
      const operations = [{ put: { record } }];
      await (at % 6 === 0
        ? this.#sendOnce("WriteRecords", { operations })
        : this.#send("PutRecord", { record }));
    }
    await this.#sendOnce("DeleteRecord", recordRef(RECORDS - 1));
  }

  async #events(): Promise<void> {
    const page = await this.#send("ListEvents", { pageSize: 10 });
    const resumeToken = page["resumeToken"] ?? "";
    await this.#sendOnce("CreateConsumer", { consumerId: "behind", resumeToken });
    const now = { consumerId: "now", position: "STREAM_POSITION_NOW" };
    await this.#send("CreateConsumer", now);
  }
}

/** The session with a job on memories, in a namespace where attempts make events. */
const RESTLESS = "restless";
const REMEMBERS = { namespace: RESTLESS, sessionId: "remembers" };

const COLLECTIONS = ["guide", "notes"];

function documentRef(at: number): { readonly collectionId: string; readonly documentId: string } {
  return { collectionId: at % 4 === 0 ? "notes" : "guide", documentId: `document-${at}` };
}

function recordRef(at: number): { readonly path: string[]; readonly key: string } {
  return { path: at % 3 === 0 ? ["files"] : ["files", "below"], key: `record-${at}` };
}

const FILES = { path: ["files"], recursive: true };
const RECORD_LISTS: readonly JsonObject[] = [
  { range: FILES, includeValues: true },
  { range: FILES, order: "RECORD_ORDER_NAME_DESC" },
  { range: { path: ["files", "below"], keyPrefix: "record-1" } },
];

function recallOf(query: string): JsonObject {
  return { query, mode: "RECALL_MODE_LEXICAL", filter: { scope: { everyone: {} } }, pageSize: 100 };
}

function scopeOf(userId: string): JsonObject {
  return { scope: { exact: { userId } } };
}

function user(messageId: string, text: string): JsonObject {
  return { messageId, role: "ROLE_USER", text };
}

function assistant(messageId: string, text: string): JsonObject {
  return { messageId, role: "ROLE_ASSISTANT", text };
}

function toolPair(prefix: string, text: string): readonly JsonObject[] {
  const toolCallId = `${prefix}-call`;
  return [
    {
      ...assistant(`${prefix}-a`, "I look."),
      toolCalls: [{ toolCallId, name: "look", arguments: "{}" }],
    },
    { messageId: `${prefix}-r`, role: "ROLE_TOOL", toolCallId, name: "look", text },
  ];
}

function smallPolicy(stage: JsonObject): JsonObject {
  const dropOldest = { maxMessages: 6 };
  const first = { name: "keep", on: "STAGE_ON_APPEND", unit: "WINDOW_UNIT_MESSAGE" };
  const protections = { system: "SYSTEM_PROTECTION_NONE", minMessages: 1, releaseLastUser: true };
  return { name: "small", protections, stages: [{ ...first, dropOldest, ...stage }] };
}
