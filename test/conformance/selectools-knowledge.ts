// selectools: KnowledgeMemory, its logs by day, its tools, and what it takes the power out of.

import type { Memory } from "../../clients/typescript/src/gen/memorysidecar/v1/memory.ts";
import {
  ContextSection,
  ContextSectionKind,
} from "../../clients/typescript/src/gen/memorysidecar/v1/recall.ts";
import { MemoryTools } from "../../clients/typescript/src/memory-tools.ts";
import { type Adapter, bindAdapter, type Context, type Table } from "./adapter.ts";
import {
  CaseFault,
  type Json,
  type JsonObject,
  listOf,
  needText,
  numberOf,
  objectOf,
} from "./json.ts";
import { assemble, LONG_TERM, listed, remember, timeOf } from "./memories.ts";
import { notOffered } from "./not-offered.ts";
import { entryOf } from "./selectools-entries.ts";

const MAX_ENTRIES = 50;
const RECENT_DAYS = 2;
const LOG_HOUR = "T10:00:00Z";

interface State extends Context {
  readonly tools: MemoryTools;
  opened: Promise<void> | undefined;
  context: string | undefined;
}

function policyOf({ kase }: State): JsonObject {
  return objectOf(kase.given["policy"], "policy");
}

async function add(state: State, entry: Json, now: Json | undefined): Promise<void> {
  const maxMemories = numberOf(policyOf(state)["max_entries"], "max_entries") ?? MAX_ENTRIES;
  await remember(state.rpc, [entryOf(entry, now)], { maxMemories });
}

async function open(state: State): Promise<void> {
  const { given } = state.kase;
  for (const entry of listOf(given["entries"], "entries")) await add(state, entry, given["now"]);
  for (const value of listOf(given["logs"], "logs")) {
    const day = needText(value, "a day");
    await add(state, { content: `note ${day}` }, `${day}${LOG_HOUR}`);
  }
}

function opened<A>(act: (state: State, argument: A) => unknown) {
  return async (state: State, argument: A): Promise<unknown> => {
    state.opened ??= open(state);
    await state.opened;
    return await act(state, argument);
  };
}

async function section({ rpc, kase }: State, fields: Partial<ContextSection>): Promise<string> {
  const { text } = await assemble(rpc, {
    profile: "selectools",
    sections: [ContextSection.fromPartial(fields)],
    compactionThreshold: 1,
    excludeConversation: true,
    referenceTime: timeOf(kase.given["now"]),
  });
  return text;
}

async function buildContext(state: State): Promise<string> {
  const maxChars = numberOf(policyOf(state)["max_context_chars"], "max_context_chars") ?? 0;
  state.context = await section(state, { kind: ContextSectionKind.LONG_TERM, maxChars });
  return state.context;
}

async function recentLogs(state: State): Promise<string> {
  const days = numberOf(policyOf(state)["recent_days"], "recent_days") ?? RECENT_DAYS;
  if (days !== RECENT_DAYS) throw new CaseFault("the server gives the logs of 2 days");
  return await section(state, { kind: ContextSectionKind.DAILY_LOG });
}

/** The lines of the recent logs by their days. */
async function dailyLog(state: State): Promise<object> {
  const days: Record<string, string[]> = {};
  let lines: string[] = [];
  for (const line of (await recentLogs(state)).split("\n")) {
    const [, day] = /^=== (.*) ===$/.exec(line) ?? [];
    if (day === undefined) lines.push(line);
    else {
      lines = [];
      days[day] = lines;
    }
  }
  return days;
}

async function entries({ rpc }: State, persistent?: boolean): Promise<readonly Memory[]> {
  const only = persistent === undefined ? {} : { persistent };
  return await listed(rpc, { kinds: LONG_TERM, ...only });
}

async function persistentFacts(state: State): Promise<string> {
  const facts = await entries(state, true);
  return facts.map(({ category, text }) => `- [${category}] ${text}`).join("\n");
}

/** Stores texts with the power taken out of them, and gives what is stored then. */
async function defang({ rpc }: State, texts: readonly string[]): Promise<readonly string[]> {
  const all = texts.map((text) => ({ text }));
  const { results } = await remember(rpc, all, { neutralizePromptMarkers: true });
  const stored: string[] = [];
  for (const { memoryId } of results) {
    stored.push((await rpc.call("getMemory", { memoryId })).memory?.text ?? "");
  }
  return stored;
}

async function defangEach(state: State): Promise<readonly string[]> {
  const texts = listOf(state.kase.given["texts"], "texts").map((text) => needText(text, "a text"));
  const once = await defang(state, texts);
  const twice = await defang(state, once);
  if (JSON.stringify(once) !== JSON.stringify(twice)) throw new CaseFault("twice is not as once");
  return once;
}

function newest({ steps }: State, name: string): unknown {
  return steps.findLast(({ op }) => op["op"] === name)?.value;
}

function characters({ context }: State): readonly string[] {
  if (context === undefined) throw new CaseFault("no context was built");
  return [...context];
}

const OPERATIONS: Table<State, JsonObject> = {
  remember: opened((state, op: JsonObject) => add(state, op, state.kase.given["now"])),
  build_context: opened(buildContext),
  recall_tool: opened(({ tools }, { op: _, ...args }: JsonObject) => tools.call("recall", args)),
  remember_tool: opened(({ tools }, { op: _, ...args }: JsonObject) =>
    tools.call("remember", args),
  ),
  defang_each: defangEach,
  get_recent_logs: opened(recentLogs),
  prune_old_logs: notOffered("daily logs apart"),
};

const EXPECTATIONS: Table<State, Json> = {
  returns: (state, expected) => {
    const list = newest(state, "defang_each");
    return Array.isArray(list) ? list : returned(state, expected);
  },
  context: opened(buildContext),
  length: (state) => characters(state).length,
  ends_with: (state, expected) =>
    characters(state)
      .slice(-[...String(expected)].length)
      .join(""),
  daily_log: opened(dailyLog),
  persistent_facts: opened(persistentFacts),
  recent_logs: opened(recentLogs),
  recent: (state) => newest(state, "get_recent_logs"),
  persistent: opened(async (state) =>
    Object.fromEntries((await entries(state)).map(({ text, persistent }) => [text, persistent])),
  ),
};

function returned({ steps }: State, expected: Json): unknown {
  return Array.isArray(expected) ? steps.map(({ value }) => value) : steps.at(-1)?.value;
}

/** Opens the adapter of the knowledge memory. */
export function knowledgeMemory(context: Context): Adapter {
  // The tools of the source rank by counting words, and tell no ids.
  const options = { scoring: "word_count", showIds: false } as const;
  const tools = new MemoryTools(context.rpc.client(), options);
  const state = { ...context, tools, opened: undefined, context: undefined };
  return bindAdapter<State>(state, OPERATIONS, EXPECTATIONS);
}
