// Goal: whatever is asked of a session, in whatever order, its window stays what it says it is: the
// totals are those of what stands in it, what stands in it only keeps its place, no result is
// without its call, and what is done again does nothing again.

import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TEST_DEPTH } from "../../test/support/kit/random.ts";
import { fromBytes, jsonCodec, toBytes } from "../../test/support/services/json-codec.ts";
import { startTestServices, type TestServices } from "../../test/support/services/services.ts";
import { TOOLS } from "../../test/support/window/arbitraries.ts";
import { policyOf } from "../../test/support/window/policies.ts";
import { policy as anyPolicy } from "../../test/support/window/random-policies.ts";
import { mergeInserts, sessionTotals } from "../core/window-view.ts";
import type { StoredEntry } from "../store/store.ts";
import type { Policy } from "../window/policy/policy.ts";
import { groupEntries, ORPHAN, openCallIds } from "../window/rules/groups.ts";
import { totalsOf } from "../window/rules/trim.ts";
import { ROLE } from "../window/rules/types.ts";
import type { AttributesInput } from "./api.ts";

const RUNS = 500 * TEST_DEPTH;

let services: TestServices;
let count = 0;

beforeAll(async () => {
  services = await startTestServices();
});

afterAll(() => services.stop());

const policies = anyPolicy.map(
  (policy): Policy => ({
    ...policy,
    stages: policy.stages.map((stage) =>
      stage.removedTo === "promote" ? { ...stage, removedTo: "log" } : stage,
    ),
  }),
);

const ids = fc.subarray(["a", "b", "c"]);
const draft = fc.oneof(
  fc.constant({ role: ROLE.user, text: "question" }),
  fc.constant({ role: ROLE.assistant, text: "answer" }),
  fc.constant({ role: ROLE.system, text: "rule" }),
  ids.map((callIds) => ({ role: ROLE.assistant, callIds })),
  fc.constantFrom("a", "b", "c", "").map((toolCallId) => ({ role: ROLE.tool, toolCallId })),
  ids.map((results) => ({ role: ROLE.user, results })),
);
const said = fc
  .tuple(draft, fc.integer({ min: 0, max: 60 }), fc.constantFrom(...TOOLS, ""))
  .map(([message, tokenCount, name]) => ({
    ...message,
    name: message.role === ROLE.tool ? name : "",
    tokenCount: tokenCount / 4,
  }));

const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("append" as const),
      messages: fc.array(said, { minLength: 0, maxLength: 4 }),
      turnEnd: fc.boolean(),
      policy: fc.option(policies, { nil: undefined, freq: 4 }),
      modelInputTokens: fc.option(fc.nat(3_000), { nil: undefined }),
      toolOutcomes: fc.array(fc.record({ tool: fc.constantFrom(...TOOLS), error: fc.boolean() }), {
        maxLength: 2,
      }),
    }),
  },
  fc.record({ kind: fc.constant("trim" as const), limit: fc.nat(6), discard: fc.boolean() }),
  fc.record({ kind: fc.constant("run" as const) }),
  fc.record({ kind: fc.constant("restore" as const), at: place }),
  fc.record({
    kind: fc.constant("summary" as const),
    from: place,
    count: fc.integer({ min: 1, max: 4 }),
    inPlace: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("fill" as const), newestOnly: fc.boolean() }),
  fc.record({ kind: fc.constant("delete" as const), at: place }),
  fc.record({ kind: fc.constant("read" as const) }),
  fc.record({ kind: fc.constant("policy" as const), policy: policies }),
  fc.record({ kind: fc.constant("fork" as const), at: place }),
  fc.record({ kind: fc.constant("wait" as const), ms: fc.nat(120_000) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const nothing = () => new Uint8Array(0);

async function state(sessionId: string) {
  const now = await services.store.readWindow({ namespace: "default", sessionId });
  if (now === undefined) throw new Error("the session is gone");
  const { session, window } = now;
  return { session, window, entries: mergeInserts(window, session.fields.inserts, jsonCodec) };
}

function pick<T>(list: readonly T[], at: number): T | undefined {
  return list[Math.floor(at * list.length)];
}

async function logIds(sessionId: string): Promise<string[]> {
  const { session } = await state(sessionId);
  if (session.head.lastSeq === 0) return [];
  const page = await services.store.listMessages(
    { namespace: "default", sessionId },
    { firstSeq: 1, lastSeq: session.head.lastSeq, order: "asc", limit: 1_000 },
  );
  return (page?.messages ?? []).map(({ messageId }) => messageId);
}

type StepOf<K extends Step["kind"]> = Extract<Step, { readonly kind: K }>;
type Ref = { readonly namespace: string; readonly sessionId: string };

function newPolicy(policy: Policy): AttributesInput {
  return { input: { policy }, paths: ["policy"], etag: "" };
}

async function append(ref: Ref, one: StepOf<"append">): Promise<void> {
  const { messages, turnEnd, policy, modelInputTokens, toolOutcomes } = one;
  if (messages.length === 0 && !turnEnd) return;
  const model = modelInputTokens === undefined ? {} : { modelInputTokens };
  const patch = policy === undefined ? {} : { attributes: newPolicy(policy) };
  await services.append(ref.sessionId, messages, { turnEnd, toolOutcomes, ...model, ...patch });
  if (policy !== undefined)
    expect((await state(ref.sessionId)).session.fields.policy).toEqual(policy);
}

async function trim(ref: Ref, one: StepOf<"trim" | "run">): Promise<void> {
  const isRun = one.kind === "run";
  const once = async () =>
    fromBytes<{ revision: number; trims: unknown[] }>(
      await services.sessions.trimSession(services.call("TrimSession"), {
        ...ref,
        target: isRun ? { kind: "policy" } : { kind: "messages", maxMessages: one.limit },
        unit: "message",
        discard: !isRun && one.discard,
        etag: "",
        encode: ({ revision, trims }) => toBytes({ revision, trims }),
      }),
    );
  const first = await once();
  if (!isRun) expect(await once()).toEqual({ ...first, trims: [] });
}

async function restore(ref: Ref, one: StepOf<"restore">): Promise<void> {
  const messageId = pick(await logIds(ref.sessionId), one.at);
  if (messageId === undefined) return;
  const once = async () =>
    fromBytes<{ revision: number; messageIds: string[] }>(
      await services.sessions.restoreMessages(services.call("RestoreMessages"), {
        ...ref,
        messageIds: [messageId],
        ranges: [],
        encode: ({ revision, messageIds }) => toBytes({ revision, messageIds }),
      }),
    );
  const first = await once();
  expect(await once()).toEqual({ ...first, messageIds: [] });
}

/** Some neighbors, with all messages of their tool calls. */
function neighbors(entries: readonly StoredEntry[], one: StepOf<"summary">): Set<StoredEntry> {
  const { callOf } = groupEntries(entries);
  const from = Math.floor(one.from * entries.length);
  const groups = new Set<number>();
  for (let at = from; at < from + one.count; at++) groups.add(callOf[at] ?? -1);
  return new Set(
    entries.filter((_, at) => {
      const call = callOf[at] ?? -1;
      return (at >= from && at < from + one.count) || (call >= 0 && groups.has(call));
    }),
  );
}

async function summarize(ref: Ref, one: StepOf<"summary">): Promise<void> {
  const { entries } = await state(ref.sessionId);
  const chosen = neighbors(entries, one);
  if (chosen.size === 0) return;
  const bytes = await services.sessions.setSummary(services.call("SetSummary"), {
    ...ref,
    text: "so it was",
    replacedMessageIds: [...chosen].map(({ messageId }) => messageId),
    placement: one.inPlace ? "in-place" : "session",
    encode: ({ placed }) => toBytes(placed?.messageId ?? ""),
  });
  const placed = fromBytes<string>(bytes);
  const shown = (await state(ref.sessionId)).entries.map(({ messageId }) => messageId);
  const left = entries.filter((entry) => !chosen.has(entry)).map(({ messageId }) => messageId);
  // The policy has its turn, too, and may take more out, the summary itself included.
  const stays = (id: string) => shown.includes(id);
  expect(shown.filter((id) => id !== placed)).toEqual(left.filter(stays));
  const first = entries.findIndex((entry) => chosen.has(entry));
  const before = entries.slice(0, first).map(({ messageId }) => messageId);
  if (one.inPlace && stays(placed)) expect(shown.indexOf(placed)).toBe(before.filter(stays).length);
  else expect(shown).not.toContain(placed);
}

async function fill(ref: Ref, one: StepOf<"fill">): Promise<void> {
  const once = async () =>
    fromBytes<{ revision: number; count: number }>(
      await services.sessions.fillToolResults(services.call("FillToolResults"), {
        ...ref,
        text: "",
        newestOnly: one.newestOnly,
        encode: ({ revision, messages }) => toBytes({ revision, count: messages.length }),
      }),
    );
  const first = await once();
  expect(await once()).toEqual({ ...first, count: 0 });
  if (!one.newestOnly) expect(openCallIds((await state(ref.sessionId)).entries)).toEqual([]);
}

async function remove(ref: Ref, one: StepOf<"delete">): Promise<void> {
  const messageId = pick(await logIds(ref.sessionId), one.at);
  if (messageId === undefined) return;
  await services.sessions.deleteMessage(services.call("DeleteMessage"), {
    ...ref,
    messageId,
    etag: "",
    allowMissing: false,
    encode: nothing,
  });
}

async function setPolicy(ref: Ref, one: StepOf<"policy">): Promise<void> {
  await services.sessions.updateSession(services.call("UpdateSession"), {
    ...ref,
    input: { policy: one.policy },
    paths: ["policy"],
    etag: "",
    encode: nothing,
  });
}

async function fork(ref: Ref, one: StepOf<"fork">): Promise<string> {
  const { firstSeq, lastSeq } = (await state(ref.sessionId)).session.head;
  const sessionId = `f${count++}`;
  await services.sessions.forkSession(services.call("ForkSession"), {
    namespace: ref.namespace,
    sourceSessionId: ref.sessionId,
    sessionId,
    atSeq: firstSeq - 1 + Math.floor(one.at * (lastSeq - firstSeq + 2)),
    encode: nothing,
  });
  return sessionId;
}

/** Takes a step; gives the session to go on with. */
async function take(sessionId: string, one: Step): Promise<string> {
  const ref = { namespace: "default", sessionId };
  if (one.kind === "fork") return await fork(ref, one);
  if (one.kind === "append") await append(ref, one);
  else if (one.kind === "trim" || one.kind === "run") await trim(ref, one);
  else if (one.kind === "restore") await restore(ref, one);
  else if (one.kind === "summary") await summarize(ref, one);
  else if (one.kind === "fill") await fill(ref, one);
  else if (one.kind === "delete") await remove(ref, one);
  else if (one.kind === "policy") await setPolicy(ref, one);
  else if (one.kind === "wait") services.advance(one.ms);
  else await services.sessions.getWindow(services.call("GetWindow"), ref);
  return sessionId;
}

async function holds(sessionId: string): Promise<void> {
  const { session, window, entries } = await state(sessionId);
  const { head, fields } = session;
  expect(head.window).toEqual(totalsOf(window));
  expect(sessionTotals(session)).toEqual(totalsOf(entries));
  const positions = fields.inserts.map(({ position }) => position);
  expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
  expect(positions.every((position) => !Number.isInteger(position))).toBe(true);
  expect(head.policyState.overLimit.length).toBeLessThanOrEqual(fields.policy.stages.length);
  if (fields.policy.toolPairing === "whole") {
    expect([...groupEntries(entries).callOf]).not.toContain(ORPHAN);
  }
}

test("a session stays what it says it is", async () => {
  await fc.assert(
    fc.asyncProperty(
      policies,
      fc.array(step, { minLength: 4, maxLength: 24 }),
      async (policy, steps) => {
        let sessionId = `s${count++}`;
        const input = { policy: policyOf(policy.stages, policy) };
        const create = { namespace: "default", sessionId, input, encode: nothing };
        await services.sessions.createSession(services.call("CreateSession"), create);
        for (const one of steps) {
          sessionId = await take(sessionId, one);
          await holds(sessionId);
        }
      },
    ),
    { numRuns: RUNS },
  );
}, 120_000);
