// Goal: the limit is the limit. Whatever a session holds, what a read gives costs at most what its
// policy says, summaries, placed summaries and filled results included, or nothing but what is
// protected is left. And no message is summarized twice in what is read.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Message, Role } from "../../src/gen/memorysidecar/v1/message.ts";
import { type Policy, ToolResultFillRule } from "../../src/gen/memorysidecar/v1/policy.ts";
import type { GetWindowResponse } from "../../src/gen/memorysidecar/v1/session_service.ts";
import { SummaryPlacement } from "../../src/gen/memorysidecar/v1/summary.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { message, preset, session, toolCall, written } from "../support/contract/samples.ts";

const RUNS = Number(process.env["LIMIT_RUNS"] ?? 20);
const TOKENIZER_RUNS = 8;
const WORDS = "the harbour master pays 42 euros to Ada in Bergen on Friday because it rains".split(
  " ",
);

let server: TestServer;
let count = 0;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

/** The presets with a limit of tokens, and what they are told of it. */
const PRESETS: Readonly<Record<string, (limit: number) => object>> = {
  token_budget: (max_tokens) => ({ max_tokens, headroom: 0.2 }),
  turns: (max_tokens) => ({ max_tokens, max_turns: 5 }),
  tool_results_first: (max_tokens) => ({ max_tokens, tool_result_tokens: 20 }),
  semantic_pruning: (max_tokens) => ({ max_tokens }),
  managed: (limit) => ({ trigger_tokens: limit, target_tokens: Math.floor(limit / 2) }),
  rolling_summary: (max_tokens) => ({ max_tokens }),
  summarize_old: (max_tokens) => ({ max_tokens, keep_recent: 4 }),
  hierarchical_summary: (max_tokens) => ({ max_tokens, keep_recent: 4, fan_in: 2 }),
};

const IMAGE = {
  source: { $case: "url", value: "https://example.org/harbour.png" } as const,
  ...{ mediaType: "image/png", detail: "" },
};

const text = fc.tuple(fc.integer({ min: 0, max: 90 }), fc.nat(12)).map(([words, from]) =>
  Array.from({ length: words }, (_, i) => {
    const word = WORDS[(from + i * 5) % WORDS.length] ?? "";
    return i % 9 === 8 ? `${word}.` : word;
  }).join(" "),
);

const said = fc.oneof(
  { weight: 4, arbitrary: text.map((said) => message({ role: Role.USER, text: said })) },
  { weight: 4, arbitrary: text.map((said) => message({ role: Role.ASSISTANT, text: said })) },
  fc.constant(message({ role: Role.SYSTEM, text: "Be kind to the harbour master." })),
  fc.constant(message({ role: Role.USER, parts: [{ part: { $case: "image", value: IMAGE } }] })),
);

type Step =
  | { readonly kind: "say"; readonly messages: readonly Message[] }
  | {
      readonly kind: "call";
      readonly calls: number;
      readonly results: number;
      readonly text: string;
    }
  | { readonly kind: "summary"; readonly text: string }
  | { readonly kind: "place"; readonly text: string; readonly at: number; readonly count: number }
  | { readonly kind: "restore" | "wait" }
  | { readonly kind: "switch"; readonly name: string; readonly limit: number };

const limits = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 60, max: 500 }) },
  // An image costs 800 by itself.
  { weight: 1, arbitrary: fc.integer({ min: 900, max: 2_500 }) },
);
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("say" as const),
      messages: fc.array(said, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("call" as const),
      ...{ calls: fc.integer({ min: 1, max: 3 }), results: fc.nat(3), text },
    }),
  },
  fc.record({ kind: fc.constant("summary" as const), text }),
  fc.record({
    kind: fc.constant("place" as const),
    ...{ text, at: fc.nat(20), count: fc.integer({ min: 1, max: 5 }) },
  }),
  fc.record({ kind: fc.constantFrom("restore" as const, "wait" as const) }),
  fc.record({
    kind: fc.constant("switch" as const),
    ...{ name: fc.constantFrom(...Object.keys(PRESETS)), limit: limits },
  }),
);

const optionsOf = (name: string, limit: number, tokenRule?: string) => ({
  ...PRESETS[name]?.(limit),
  ...(tokenRule === undefined ? {} : { token_rule: tokenRule }),
});

/** The policy of a preset that also answers tool calls without a result. */
async function filling(sessionId: string): Promise<Policy> {
  const { session: made } = await server.client.call("getSession", { sessionId });
  const { effectivePolicy } = made ?? {};
  if (effectivePolicy === undefined) throw new Error("no policy");
  const toolResultFill = { rule: ToolResultFillRule.MOVED_ON, newestOnly: false, text: "" };
  return { ...effectivePolicy, toolResultFill };
}

/** A walk over one session; the limit changes with its policy. */
class Walk {
  readonly sessionId = `walk-${count++}`;
  limit: number;
  /** Messages were brought back by hand; the next change may trim them again. */
  isRestored = false;
  readonly #tokenRule: string | undefined;

  constructor(limit: number, tokenRule?: string) {
    this.limit = limit;
    this.#tokenRule = tokenRule;
  }

  async begin(name: string, fills: boolean): Promise<void> {
    const { sessionId } = this;
    const policy = preset(name, optionsOf(name, this.limit, this.#tokenRule));
    await server.client.call("createSession", { session: session({ sessionId, policy }) });
    if (fills) await this.#choose(written(await filling(sessionId)));
  }

  async #choose(policy: ReturnType<typeof written>): Promise<void> {
    const changed = session({ sessionId: this.sessionId, policy });
    await server.client.call("updateSession", { session: changed, updateMask: ["policy"] });
  }

  async take(step: Step): Promise<void> {
    const { sessionId } = this;
    if (["say", "call", "switch"].includes(step.kind)) this.isRestored = false;
    switch (step.kind) {
      case "say":
        await server.client.call("appendMessages", { sessionId, messages: [...step.messages] });
        break;
      case "call":
        await server.client.call("appendMessages", { sessionId, messages: calling(step) });
        break;
      case "summary":
        await server.client.call("setSummary", { sessionId, text: step.text });
        break;
      case "place":
        await this.#place(step);
        break;
      case "restore":
        await this.#restore();
        break;
      case "wait":
        await this.settle();
        break;
      case "switch":
        this.limit = step.limit;
        await this.#choose(preset(step.name, optionsOf(step.name, step.limit, this.#tokenRule)));
    }
  }

  async #place({ text: said, at, count: most }: Extract<Step, { kind: "place" }>): Promise<void> {
    if (said === "") return;
    const { messages } = await this.read();
    const plain = messages.filter(({ role, toolCalls, toolCallId, seq }) => {
      return seq > 0n && role !== Role.SYSTEM && toolCalls.length === 0 && toolCallId === "";
    });
    const replaced = plain.slice(at % (plain.length + 1)).slice(0, most);
    if (replaced.length === 0) return;
    // Tasks may have taken a message away meanwhile.
    await server.client
      .call("setSummary", {
        ...{ sessionId: this.sessionId, text: said, placement: SummaryPlacement.IN_PLACE },
        replacedMessageIds: replaced.map(({ messageId }) => messageId),
      })
      .catch(() => undefined);
  }

  async #restore(): Promise<void> {
    const { sessionId } = this;
    const { outsideSeqRanges } = await this.read();
    const [first] = outsideSeqRanges;
    if (first === undefined) return;
    const { messages } = await server.client.call("listMessages", { sessionId, pageSize: 1_000 });
    const ids = messages.filter(({ seq }) => seq >= first.firstSeq && seq <= first.lastSeq);
    const messageIds = ids.slice(-3).map(({ messageId }) => messageId);
    if (messageIds.length === 0) return;
    await server.client.call("restoreMessages", { sessionId, messageIds });
    this.isRestored = true;
  }

  read(): Promise<GetWindowResponse> {
    return server.client.call("getWindow", { sessionId: this.sessionId });
  }

  async settle(): Promise<void> {
    for (let tries = 0; tries < 500; tries++) {
      const { tasks } = await server.client.call("listTasks", { sessionId: this.sessionId });
      if (tasks.length === 0) return;
      await new Promise((done) => setTimeout(done, 10));
    }
    throw new Error("tasks do not end");
  }

  async check(): Promise<void> {
    const read = await this.read();
    const { messages, windowTotals, overLimit } = read;
    const cost = messages.reduce((sum, one) => sum + (one.tokenCount ?? 0), 0);
    expect(Number(windowTotals?.tokenCount)).toBe(cost);
    await this.#checkSummaries();
    await this.#checkContext();
    if (this.isRestored || cost <= this.limit) return;
    expect({ overLimit, free: freeIn(messages) }).toEqual({ overLimit: true, free: [] });
  }

  /** A context of the session keeps its own limit. */
  async #checkContext(): Promise<void> {
    const asked = { sessionId: this.sessionId, query: "Who pays Ada?", maxTokens: this.limit };
    const { text: said, tokenCount } = await server.client.call("assembleContext", asked);
    expect(tokenCount).toBeLessThanOrEqual(this.limit);
    if (this.#tokenRule === undefined) {
      expect(Math.ceil(Buffer.byteLength(said) / 4)).toBeLessThanOrEqual(this.limit);
    }
  }

  /** No message stands in two summaries of one window. */
  async #checkSummaries(): Promise<void> {
    const asked = { sessionId: this.sessionId, currentOnly: true };
    const { summaries } = await server.client.call("listSummaries", asked);
    const seqs = summaries.flatMap(({ seqRanges }) =>
      seqRanges.flatMap(({ firstSeq, lastSeq }) =>
        Array.from({ length: Number(lastSeq - firstSeq) + 1 }, (_, i) => firstSeq + BigInt(i)),
      ),
    );
    expect(seqs.length).toBe(new Set(seqs).size);
  }
}

function calling({ calls, results, text: said }: Extract<Step, { kind: "call" }>): Message[] {
  const ids = Array.from({ length: calls }, (_, i) => `c${i}`);
  return [
    message({ role: Role.USER, text: "Look it up." }),
    message({ role: Role.ASSISTANT, toolCalls: ids.map((id) => toolCall(id)) }),
    ...ids
      .slice(0, results)
      .map((toolCallId) => message({ role: Role.TOOL, toolCallId, text: said })),
  ];
}

/**
 * Messages of an oversized window that nothing protects. Protected are system messages, with a
 * placed summary, the newest user message, the newest answer with its calls and results, and
 * pending calls with their results.
 */
function freeIn(messages: readonly Message[]): readonly string[] {
  const newestUser = messages.findLastIndex(({ role }) => role === Role.USER);
  const newestAnswer = messages.findLastIndex(({ role }) => role === Role.ASSISTANT);
  const movedOn = messages.findLastIndex(
    ({ role, toolCalls }) =>
      role === Role.USER || (role === Role.ASSISTANT && toolCalls.length === 0),
  );
  return messages.flatMap(({ messageId, role }, index) => {
    if (messageId === "summary") return [messageId];
    const isHeld = role === Role.SYSTEM || index === newestUser || index === messages.length - 1;
    const isAnswer = newestAnswer !== -1 && index >= newestAnswer;
    if (isHeld || isAnswer || index > movedOn) return [];
    const window = messages.map((one) => `${one.role}:${one.tokenCount}`).join(" ");
    return [`${index} of ${window}`];
  });
}

async function holds(name: string, runs: number, tokenRule?: string): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      limits,
      fc.boolean(),
      fc.array(steps, { minLength: 3, maxLength: 16 }),
      async (limit, fills, taken) => {
        const walk = new Walk(limit, tokenRule);
        await walk.begin(name, fills);
        for (const step of taken) {
          await walk.take(step);
          await walk.check();
        }
        await walk.settle();
        await walk.check();
      },
    ),
    { numRuns: runs },
  );
}

describe("what is read costs at most what the limit says", () => {
  test.each(Object.keys(PRESETS))("under %s", { timeout: 300_000 }, (name) => holds(name, RUNS));

  test("by the count of a tokenizer", { timeout: 300_000 }, async () => {
    await holds("rolling_summary", TOKENIZER_RUNS, "o200k");
  });
});
