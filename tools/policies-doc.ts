// The pictures in docs/presets.md and docs/compat/profiles.md: the effect of each preset on one
// conversation, message by message, computed by the real rules.

import { expandPreset, PRESETS } from "../src/compat/presets.ts";
import type { Policy, PolicyStage, StageOn } from "../src/window/policy/policy.ts";
import { trimWindow } from "../src/window/rules/trim.ts";
import {
  type MessageDetail,
  ROLE,
  type Role,
  type Signals,
  type WindowEntry,
} from "../src/window/rules/types.ts";

const MINUTE_MS = 60_000;

/** A message of the sample conversation, with its letter in pictures. */
interface Line {
  readonly letter: string;
  readonly role: Role;
  readonly tokens: number;
  readonly calls?: readonly string[];
  readonly answers?: string;
  readonly text: string;
}

// A system prompt, then five interactions; the second and the fourth call tools, once in parallel.
const CONVERSATION: readonly Line[] = [
  { letter: "S", role: ROLE.system, tokens: 20, text: "You plan trips." },
  { letter: "U", role: ROLE.user, tokens: 20, text: "Where is it warm in March?" },
  { letter: "A", role: ROLE.assistant, tokens: 40, text: "In Malaga, Funchal and Valletta." },
  { letter: "U", role: ROLE.user, tokens: 20, text: "Find flights to Malaga." },
  { letter: "C", role: ROLE.assistant, tokens: 20, calls: ["f1"], text: "" },
  { letter: "R", role: ROLE.tool, tokens: 300, answers: "f1", text: "A flight. ".repeat(120) },
  { letter: "A", role: ROLE.assistant, tokens: 40, text: "There are three, from 90 euros." },
  { letter: "U", role: ROLE.user, tokens: 20, text: "Find flights to Malaga!" },
  { letter: "A", role: ROLE.assistant, tokens: 40, text: "I did: three, from 90 euros." },
  { letter: "U", role: ROLE.user, tokens: 20, text: "And hotels, and the weather?" },
  { letter: "C", role: ROLE.assistant, tokens: 30, calls: ["h1", "w1"], text: "" },
  { letter: "R", role: ROLE.tool, tokens: 200, answers: "h1", text: "A hotel. ".repeat(89) },
  { letter: "R", role: ROLE.tool, tokens: 60, answers: "w1", text: "Sunny, 19 degrees." },
  { letter: "A", role: ROLE.assistant, tokens: 60, text: "The Vincci is free and it is sunny." },
  { letter: "U", role: ROLE.user, tokens: 20, text: "Book both." },
  { letter: "A", role: ROLE.assistant, tokens: 20, text: "Done." },
];

/** Time between two messages: ten minutes. */
const STEP_MS = 10 * MINUTE_MS;

const ENTRIES: readonly WindowEntry[] = CONVERSATION.map((line, index) => ({
  messageId: `m${index + 1}`,
  seq: index + 1,
  role: line.role,
  callIds: line.calls ?? [],
  answers: line.answers === undefined ? [] : [line.answers],
  isResult: line.role === ROLE.tool,
  tokenCount: line.tokens,
  byteCount: line.tokens * 4,
  createMs: (index + 1) * STEP_MS,
}));

function detailOf(entry: WindowEntry): MessageDetail {
  const line = CONVERSATION[entry.seq - 1];
  const toolCalls = (line?.calls ?? []).map((id) => ({ id, name: "search", arguments: "{}" }));
  return { content: line?.text ?? "", name: "", toolCalls };
}

function apply(
  policy: Policy,
  entries: readonly WindowEntry[],
  occasions: readonly StageOn[],
  signals: Signals,
) {
  const ceiling = !occasions.includes("read");
  return trimWindow({
    entries,
    policy,
    occasions: new Set(occasions),
    ceiling,
    signals,
    detailOf,
  });
}

/** One row of a picture: the window after so many messages. */
function row(length: number, read: ReturnType<typeof apply>): string {
  const kept = new Set(read.kept.map((entry) => entry.seq));
  const short = new Set(read.shortened.map(({ entry }) => entry.seq));
  const waiting = new Set(read.runs.flatMap((run) => run.awaitsSummary.map((entry) => entry.seq)));
  const cells = CONVERSATION.slice(0, length).map(({ letter }, index) => {
    if (!kept.has(index + 1)) return "·";
    if (waiting.has(index + 1)) return "s";
    return short.has(index + 1) ? letter.toLowerCase() : letter;
  });
  const { messageCount, tokenCount } = read.totals;
  const size = `${messageCount} messages, ${Math.floor(tokenCount)} tokens`;
  return `${cells.join("").padEnd(CONVERSATION.length)}   ${size}`;
}

/** Draws the effect of a policy on the conversation, one row per append. */
export function drawPolicy(policy: Policy): string {
  let stored: readonly WindowEntry[] = [];
  const acted = new Map<string, number>();
  const rows = ENTRIES.map((entry, index) => {
    const line = CONVERSATION[index];
    const ends = line?.letter === "A";
    const signals = { modelInputTokens: 0, outcomes: [], lastSeq: entry.seq, actedSeqs: acted };
    const changed = apply(policy, [...stored, entry], ["append"], signals);
    const turned = ends ? apply(policy, changed.stored, ["turn-end"], signals) : changed;
    const read = apply(policy, turned.stored, ["read"], signals);
    stored = read.stored;
    for (const { stage } of [...changed.runs, ...turned.runs, ...read.runs]) {
      acted.set(stage, entry.seq);
    }
    const waits = [...changed.runs, ...turned.runs, ...read.runs];
    return row(index + 1, { ...read, runs: waits });
  });
  return [...rows, ...policy.stages.flatMap(summaryLine)].join("\n");
}

/** The summary rule of a stage in one line; none for a stage that does not summarize. */
function summaryLine({ name, summarize }: PolicyStage): readonly string[] {
  if (summarize === undefined) return [];
  const hook = summarize.hook === "" ? "the default hook" : summarize.hook;
  const how = `keep ${summarize.keep}, leave ${summarize.leave}`;
  return [`${name}: by ${hook}, ${how}, on failure ${summarize.onFailure}`];
}

const START = /<!-- picture: (\S+)(?: (\{.*\}))? -->/g;
const END = "<!-- picture end -->";

/** Redraws every picture of a document. Throws when a preset or its options are not valid. */
export function withPictures(document: string): string {
  let result = "";
  let at = 0;
  for (const mark of document.matchAll(START)) {
    const end = document.indexOf(END, mark.index);
    if (end < 0) throw new Error(`a picture lacks ${END}`);
    const options = mark[2] === undefined ? {} : (JSON.parse(mark[2]) as Record<string, unknown>);
    const expanded = expandPreset(mark[1] ?? "", options);
    if (!("policy" in expanded)) throw new Error(`${mark[1]}: ${JSON.stringify(expanded.faults)}`);
    result += document.slice(at, mark.index + mark[0].length);
    result += `\n\n\`\`\`text\n${drawPolicy(expanded.policy)}\n\`\`\`\n\n`;
    at = end;
  }
  return result + document.slice(at);
}

const OPTIONS_START = "<!-- options:start -->";
const OPTIONS_END = "<!-- options:end -->";

/** A value as the content of a table cell. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** The options of every general preset in one table; identical ones share a row. */
function optionTable(): string {
  const presets = new Map<string, string[]>();
  for (const { name, options } of PRESETS) {
    for (const option of options.filter(({ group }) => group === "")) {
      const initial = option.required ? "required" : `\`${JSON.stringify(option.defaultValue)}\``;
      const row = `\`${option.name}\` | ${initial} | ${cell(option.description)}`;
      presets.set(row, [...(presets.get(row) ?? []), name]);
    }
  }
  const rows = [...presets].map(([row, names]) => `| ${names.join(", ")} | ${row} |`);
  return ["| preset | option | default | meaning |", "| --- | --- | --- | --- |", ...rows].join(
    "\n",
  );
}

/** Redraws the pictures of a document and its table of options, if it has one. */
export function withPolicyFacts(document: string): string {
  const start = document.indexOf(OPTIONS_START);
  const end = document.indexOf(OPTIONS_END);
  if (start < 0 || end < start) return withPictures(document);
  const head = document.slice(0, start + OPTIONS_START.length);
  return withPictures(`${head}\n\n${optionTable()}\n\n${document.slice(end)}`);
}

/** Names the profile options that have no row in the document's tables. */
export function untoldOptions(document: string): readonly string[] {
  const rows = document.split("\n");
  return PRESETS.flatMap(({ name, options }) => {
    const told = rows.filter((row) => row.startsWith(`| ${name} |`)).join("\n");
    // An option inside an object has a row under its own name.
    const untold = options.filter(({ name: path }) => {
      return !told.includes(`\`${path.slice(path.lastIndexOf(".") + 1)}\``);
    });
    const names = new Set(untold.filter(({ group }) => group !== "").map((option) => option.name));
    return [...names].map((option) => `${name}: no row tells of ${option}`);
  });
}
