// selectools: UnifiedMemory, which keeps a conversation, what was important in it, entities and
// episodes.

import {
  isMemorySidecarError,
  type MemorySidecarError,
} from "../../clients/typescript/src/errors.ts";
import {
  type Memory,
  MemoryKind,
  MemoryOrder,
  MemoryOrigin,
  type MemoryPolicy,
  PromotionPolicy,
} from "../../clients/typescript/src/gen/memorysidecar/v1/memory.ts";
import { Message, Role } from "../../clients/typescript/src/gen/memorysidecar/v1/message.ts";
import { TokenRule } from "../../clients/typescript/src/gen/memorysidecar/v1/policy.ts";
import { RecallFilter } from "../../clients/typescript/src/gen/memorysidecar/v1/recall.ts";
import { Session } from "../../clients/typescript/src/gen/memorysidecar/v1/session.ts";
import { type Adapter, bindAdapter, type Context, type Table } from "./adapter.ts";
import { SCORER } from "./chat.ts";
import { atLeast } from "./compare.ts";
import {
  CaseFault,
  type Json,
  type JsonObject,
  listOf,
  needNumber,
  needText,
  numberOf,
  objectOf,
  textOf,
} from "./json.ts";
import { takenBy } from "./left-out.ts";
import {
  type FilterFields,
  LONG_TERM,
  listed,
  type MemoryFields,
  msOf,
  ownedBy,
  remember,
  timeOf,
  toTime,
  writtenTime,
} from "./memories.ts";
import * as entry from "./selectools-entries.ts";
import { createSession, getSession, storedWindow } from "./session.ts";

const MAIN = "memory";
/** Whose memories they are. */
const USER = "user";
/** Whose memories the words of a query are looked for in. */
const PROBE = "probe";

const DAY_MS = 86_400_000;
const DAYS = 30;
const LIMIT = 1_000;

/** A memory that a search gave. */
interface Match {
  readonly memory: Memory | undefined;
  readonly score: number;
}

interface State extends Context {
  opened: Promise<void> | undefined;
  /** The query of the newest recall. */
  query: string;
  /** Budgets of all contexts. */
  readonly budgets: number[];
  /** Number of memories that the newest prune removed. */
  pruned: number | undefined;
  /** By how much the episodes of the case are later than it says. */
  shiftMs: number;
}

/** The options of a case, but for what is no value: a scorer is a hook here. */
function optionsOf({ kase }: State): JsonObject {
  const { scorer: _, ...options } = objectOf(kase.given["policy"], "policy");
  return { unified: true, ...options };
}

function nowOf({ kase }: State): Json | undefined {
  return kase.given["now"];
}

/** Lets a scorer that always says the same answer for the hook. */
async function useScorer({ rpc, kase }: State): Promise<void> {
  const scorer = textOf(objectOf(kase.given["policy"], "policy")["scorer"], "scorer");
  if (scorer === undefined) return;
  const [, value] = /^returns (-?[\d.]+)$/.exec(scorer) ?? [];
  if (value === undefined) throw new CaseFault(`the scorer "${scorer}" is not understood`);
  rpc.chat((lines) => JSON.stringify({ scores: lines.map(() => Number(value)) }));
  await changePolicy(rpc, ({ promotion }) => ({
    promotion: PromotionPolicy.fromPartial({ ...promotion, scoreHook: SCORER }),
  }));
}

async function keepEpisodes(rpc: State["rpc"], days: number): Promise<void> {
  const retention = { seconds: (days * DAY_MS) / 1_000, nanos: 0 };
  await changePolicy(rpc, () => ({ episodes: { retention } }));
}

/** Changes what the preset has made the session give. */
async function changePolicy(
  rpc: State["rpc"],
  change: (own: MemoryPolicy) => Partial<MemoryPolicy>,
): Promise<void> {
  const { memoryPolicy: own } = await getSession(rpc, MAIN);
  if (own === undefined) throw new CaseFault("unified memory brings no memory policy");
  const session = Session.fromPartial({
    sessionId: MAIN,
    memoryPolicy: { ...own, ...change(own) },
  });
  await rpc.call("updateSession", { session, updateMask: ["memory_policy"] });
}

async function open(state: State): Promise<void> {
  const { rpc, kase } = state;
  const options = optionsOf(state);
  await createSession(rpc, { sessionId: MAIN, preset: "selectools", options, userId: USER });
  await useScorer(state);
  // By the server's clock the times of a case are long ago.
  if (nowOf(state) !== undefined) await keepEpisodes(rpc, 36_500);
  const memories = [
    ...listOf(kase.given["long_term"], "long_term").map(entryOf),
    ...listOf(kase.given["entities"], "entities").map(entityOf),
    ...listOf(kase.given["episodes"], "episodes").map((value) => episodeOf(state, value)),
  ];
  if (memories.length > 0) await remember(rpc, memories);
  for (const turn of listOf(kase.given["turns"], "turns")) {
    await addTurn(state, objectOf(turn, "a turn"));
  }
}

function opened<A>(act: (state: State, argument: A) => unknown) {
  return async (state: State, argument: A): Promise<unknown> => {
    state.opened ??= open(state);
    await state.opened;
    return await act(state, argument);
  };
}

function mineOf(fields: MemoryFields): MemoryFields {
  return { ...fields, userId: USER };
}

function entryOf(value: Json): MemoryFields {
  return mineOf(entry.entryOf(value, objectOf(value, "an entry")["updated_at"]));
}

function entityOf(value: Json): MemoryFields {
  return mineOf(entry.entityOf(value, objectOf(value, "an entity")["last_mentioned"]));
}

function episodeOf({ shiftMs }: State, value: Json): MemoryFields {
  const episode = objectOf(value, "an episode");
  const userText = needText(episode["user"], "user");
  const assistantText = needText(episode["assistant"], "assistant");
  const time = toTime(msOf(episode["timestamp"]) + shiftMs);
  return {
    userId: USER,
    kind: MemoryKind.EPISODE,
    structure: { $case: "episode", value: { userText, assistantText } },
    validFromTime: time,
    lastSeenTime: time,
  };
}

async function addTurn({ rpc }: State, turn: JsonObject) {
  const sentTime = timeOf(turn["timestamp"]);
  return await rpc.call("appendMessages", {
    sessionId: MAIN,
    messages: [
      Message.fromPartial({
        ...{ role: Role.USER, text: needText(turn["user"], "user") },
        sentTime,
      }),
      Message.fromPartial({
        ...{ role: Role.ASSISTANT, text: needText(turn["assistant"], "assistant") },
        sentTime,
      }),
    ],
    turnEnd: true,
  });
}

async function scoreEach({ rpc, kase }: State): Promise<readonly object[]> {
  const texts = listOf(kase.given["texts"], "texts").map((text) => needText(text, "a text"));
  const rules = listOf(kase.given["rules"], "rules").map((value) => {
    const rule = objectOf(value, "a rule");
    const phrases = [needText(rule["pattern"], "pattern")];
    return {
      name: needText(rule["name"], "name"),
      phrases,
      score: needNumber(rule["score"], "it"),
    };
  });
  const scored: object[] = [];
  for (const text of texts) {
    const request = { text, preview: true, importanceRules: rules };
    const { scores } = await rpc.call("extractMemories", request);
    for (const { score, rule } of scores) {
      scored.push({ text, score, rule: rule === "" ? null : rule });
    }
  }
  return scored;
}

async function rememberOne(state: State, op: JsonObject): Promise<void> {
  const { memoryPolicy } = await getSession(state.rpc, MAIN);
  await remember(state.rpc, [entryOf(op)], { maxMemories: memoryPolicy?.longTermLimit ?? 0 });
}

function mine(kinds: readonly MemoryKind[], filter: FilterFields = {}): FilterFields {
  return { scope: ownedBy(USER), kinds: [...kinds], ...filter };
}

/** Provenance, in the words of this system. */
function metadataOf({ source, labels }: Memory): object {
  const isPromoted = source?.origin === MemoryOrigin.PROMOTION;
  return { ...(isPromoted ? { source: "unified_memory" } : {}), ...labels };
}

async function longTerm({ rpc }: State): Promise<readonly Memory[]> {
  return await listed(rpc, mine(LONG_TERM), { order: MemoryOrder.IMPORTANCE_DESC });
}

async function episodes({ rpc }: State, filter: FilterFields = {}): Promise<readonly Memory[]> {
  return await listed(rpc, mine([MemoryKind.EPISODE], filter));
}

function saidByUser({ structure }: Memory): string {
  return structure?.$case === "episode" ? structure.value.userText : "";
}

/**
 * Puts the episodes of a case where the server's clock has them: by whole days, so that the day of
 * the case is today or yesterday.
 */
function shiftOf({ kase }: Context): number {
  const now = kase.given["now"];
  const isPruned = kase.when.some(({ op }) => op === "prune");
  return now === undefined || !isPruned
    ? 0
    : Math.floor((Date.now() - msOf(now)) / DAY_MS) * DAY_MS;
}

async function recent(state: State, op: JsonObject): Promise<readonly string[]> {
  const days = numberOf(op["days"], "days") ?? DAYS;
  const lastSeenTimeFrom = toTime(msOf(nowOf(state)) + state.shiftMs - days * DAY_MS);
  return (await episodes(state, { lastSeenTimeFrom })).map(saidByUser);
}

/** Lets the server remove what is too old, as it does with every turn. */
async function prune(state: State): Promise<void> {
  const { rpc, kase, shiftMs } = state;
  const options = objectOf(kase.given["policy"], "policy");
  const days = numberOf(options["episodic_retention_days"], "episodic_retention_days") ?? DAYS;
  const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);
  const daysAgo = dayOf(Date.now()) - dayOf(msOf(nowOf(state)) + shiftMs);
  await keepEpisodes(rpc, days + daysAgo);
  const { episodeMemoryId, evictedMemoryIds } = await addTurn(state, {
    user: "prune",
    assistant: "now",
  });
  await rpc.call("forgetMemories", { memoryIds: [episodeMemoryId] });
  state.pruned = evictedMemoryIds.length;
}

const SOURCES: Readonly<Partial<Record<MemoryKind, string>>> = {
  [MemoryKind.ENTITY]: "entity",
  [MemoryKind.EPISODE]: "episodic",
};

function resultOf({ memory, score }: Match): object {
  if (memory === undefined) throw new CaseFault("a match without a memory");
  const { kind, text: content, category, structure, validFromTime, lastSeenTime } = memory;
  const source = SOURCES[kind] ?? "long_term";
  const timestamp = writtenTime(kind === MemoryKind.EPISODE ? validFromTime : lastSeenTime);
  const date = timestamp.slice(0, "2026-01-01".length);
  const metadata =
    structure?.$case === "entity"
      ? { entity_type: structure.value.type }
      : structure?.$case === "episode"
        ? { date }
        : { category };
  return { source, content, score, timestamp, metadata };
}

async function search(state: State, query: string, userId: string, limit: number) {
  if (limit <= 0) return [];
  const { hits } = await state.rpc.call("recall", {
    ...{ query, pageSize: limit, scoring: "overlap", referenceTime: timeOf(nowOf(state)) },
    filter: RecallFilter.fromPartial({ scope: ownedBy(userId) }),
  });
  return hits.map(({ record, score }) => {
    return { memory: record?.$case === "memory" ? record.value : undefined, score };
  });
}

async function recall(state: State, op: JsonObject): Promise<readonly object[]> {
  state.query = needText(op["query"], "query");
  const limit = numberOf(op["limit"], "limit") ?? LIMIT;
  return (await search(state, state.query, USER, limit)).map(resultOf);
}

/** Words of the query that the server looks for: those that find the query itself. */
async function terms(state: State): Promise<readonly string[]> {
  await remember(state.rpc, [{ userId: PROBE, text: state.query }]);
  const found: string[] = [];
  for (const word of state.query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    if ((await search(state, word, PROBE, LIMIT)).length > 0) found.push(word);
  }
  return found;
}

/** The rule by which a case counts tokens. */
function tokenRuleOf({ kase }: State): { tokenRule: TokenRule; tokenPreset?: string } {
  const rule = textOf(kase.given["token_rule"], "token_rule") ?? "";
  if (/words/.test(rule)) return { tokenRule: TokenRule.WORDS };
  if (/max\(\s*1\s*,/.test(rule)) {
    return { tokenRule: TokenRule.PRESET, tokenPreset: "chars_floor_4_min_1" };
  }
  if (rule === "") return { tokenRule: TokenRule.UNSPECIFIED };
  throw new CaseFault(`the rule "${rule}" is not understood`);
}

/** In the contract 0 stands for what the server takes by itself: no room at all is below it. */
function tokensAsked(maxTokens: number): number {
  return maxTokens === 0 ? -1 : maxTokens;
}

async function assembleContext(state: State, op: JsonObject): Promise<string> {
  const { rpc, kase } = state;
  const threshold = numberOf(kase.given["compaction_threshold"], "compaction_threshold");
  const maxTokens = needNumber(op["max_tokens"], "max_tokens");
  const { text, budgetTokens } = await rpc.call("assembleContext", {
    sessionId: MAIN,
    profile: "selectools",
    maxTokens: tokensAsked(maxTokens),
    ...tokenRuleOf(state),
    excludeConversation: op["include_conversation"] === false,
    referenceTime: timeOf(nowOf(state)),
    compactionThreshold: threshold,
  });
  state.budgets.push(budgetTokens);
  return text;
}

/**
 * Makes a memory under a configuration. What it says of contexts is asked of one, since requests
 * for contexts take it here.
 */
async function create({ rpc }: State, sessionId: string, given: JsonObject): Promise<void> {
  const configured = takenBy("selectools", { unified: true, ...given }, (what) => {
    rpc.leftOut.add(what);
  });
  const { context_max_tokens, compaction_threshold, ...options } = configured;
  await createSession(rpc, { sessionId, preset: "selectools", options });
  if (context_max_tokens === undefined && compaction_threshold === undefined) return;
  const maxTokens = numberOf(context_max_tokens, "context_max_tokens");
  await rpc.call("assembleContext", {
    ...{ sessionId, profile: "selectools" },
    ...(maxTokens === undefined ? {} : { maxTokens: tokensAsked(maxTokens) }),
    compactionThreshold: numberOf(compaction_threshold, "compaction_threshold"),
  });
}

/** Makes a memory of each configuration; gives what the server refuses. */
async function createEach(state: State): Promise<readonly object[]> {
  const results: object[] = [];
  const params = listOf(state.kase.given["params"], "params");
  for (const [index, value] of params.entries()) {
    const given = objectOf(value, "params");
    let error: MemorySidecarError | null = null;
    try {
      await create(state, `memory ${index}`, given);
    } catch (caught) {
      if (!isMemorySidecarError(caught)) throw caught;
      error = caught;
    }
    results.push({ params: given, error });
  }
  return results;
}

function newest(state: State, name: string): readonly { readonly error: unknown }[] {
  const value = state.steps.findLast(({ op }) => op["op"] === name)?.value;
  return Array.isArray(value) ? value : [];
}

/** Promotes what is still in the conversation; gives how much it was. */
async function consolidate({ rpc }: State): Promise<number> {
  return (await rpc.call("consolidateSession", { sessionId: MAIN })).promotedMemoryIds.length;
}

const OPERATIONS: Table<State, JsonObject> = {
  create: opened(() => undefined),
  score_each: scoreEach,
  add_turn: opened(async (state, op: JsonObject) => {
    await addTurn(state, op);
  }),
  remember: opened(rememberOne),
  consolidate: opened(consolidate),
  recent: opened(recent),
  prune: opened(prune),
  recall: opened(recall),
  assemble_context: opened(assembleContext),
  create_each: createEach,
};

const EXPECTATIONS: Table<State, Json> = {
  scores: (state) => newest(state, "score_each"),
  short_term: opened(async ({ rpc }) => (await storedWindow(rpc, MAIN)).map(({ text }) => text)),
  long_term: opened(async (state) =>
    (await longTerm(state)).map((memory) => {
      const { text: content, category, importance } = memory;
      return atLeast({ content, category, importance, metadata: metadataOf(memory) });
    }),
  ),
  long_term_by_importance: opened(async (state) => (await longTerm(state)).map(({ text }) => text)),
  episodes: opened(async (state) => (await episodes(state)).length),
  recent: (state) => newest(state, "recent"),
  pruned: ({ pruned }) => pruned,
  left: opened(async (state) => (await episodes(state)).map(saidByUser)),
  terms: opened(terms),
  results: (state) => newest(state, "recall").concat(newest(state, "create_each")),
  budgets: ({ budgets }) => budgets,
  errors: (state) => newest(state, "create_each").map(({ error }) => error),
};

/** Opens the adapter of the unified memory. */
export function unifiedMemory(context: Context): Adapter {
  return bindAdapter<State>(
    {
      ...{ ...context, opened: undefined, query: "", budgets: [] },
      ...{ pruned: undefined, shiftMs: shiftOf(context) },
    },
    OPERATIONS,
    EXPECTATIONS,
  );
}
