// Goal: over random conversations and policies, a preview is what the next change does, and a
// restore undoes a trim. The store checks every plan against its log.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TEST_DEPTH } from "../../test/support/kit/random.ts";
import { makeTempDir } from "../../test/support/kit/temp-dir.ts";
import {
  fromBytes,
  type JsonMessage,
  jsonCodec,
  toBytes,
} from "../../test/support/services/json-codec.ts";
import { startTestServices, type TestServices } from "../../test/support/services/services.ts";
import { conversation, type TestEntry } from "../../test/support/window/arbitraries.ts";
import { policyOf } from "../../test/support/window/policies.ts";
import { policy as anyPolicy } from "../../test/support/window/random-policies.ts";
import type { TrimTarget } from "../core/window-api.ts";
import { openLmdbStore } from "../store/lmdb/store.ts";
import type { Policy, WindowUnit } from "../window/policy/policy.ts";
import { groupEntriesAs } from "../window/rules/groups.ts";
import { ROLE, type Trim } from "../window/rules/types.ts";

const RUNS = 200 * TEST_DEPTH;
const DISK_RUNS = 50 * TEST_DEPTH;

let services: TestServices;
let onDisk: TestServices;
let closeDisk: () => Promise<void>;
let count = 0;

beforeAll(async () => {
  services = await startTestServices();
  const directory = await makeTempDir();
  const store = await openLmdbStore({
    directory: directory.path,
    readFacts: jsonCodec.readFacts,
  });
  onDisk = await startTestServices({}, { wrapStore: () => store });
  closeDisk = async () => {
    await onDisk.stop();
    await store.close();
    await directory[Symbol.asyncDispose]();
  };
});

afterAll(async () => {
  await services.stop();
  await closeDisk();
});

function messageOf(entry: TestEntry): JsonMessage {
  const { messageId, role, callIds, answers, tokenCount, detail } = entry;
  const isTool = role === ROLE.tool;
  return {
    messageId,
    role,
    name: detail.name,
    text: detail.content,
    callIds,
    toolCallId: isTool ? (answers[0] ?? "") : "",
    results: isTool ? answers.slice(1) : answers,
    tokenCount,
  };
}

/** A session that holds a conversation, each message stored when it was said. */
async function hold(entries: readonly TestEntry[], policy: Policy) {
  const ref = { namespace: "default", sessionId: `s${count++}` };
  const encode = () => new Uint8Array(0);
  const create = { ...ref, input: { policy }, encode };
  await services.sessions.createSession(services.call("CreateSession"), create);
  let saidMs = entries[0]?.createMs ?? 0;
  for (const entry of entries) {
    services.advance(Math.max(0, entry.createMs - saidMs));
    saidMs = entry.createMs;
    await services.append(ref.sessionId, [messageOf(entry)]);
  }
  return ref;
}

async function windowOf(
  ref: { namespace: string; sessionId: string },
  { store }: TestServices = services,
): Promise<string[]> {
  const now = await store.readWindow(ref);
  return (now?.window ?? []).map(({ messageId }) => messageId);
}

const idsOf = (trims: readonly Trim[]): string[] =>
  trims.flatMap(({ removed }) => removed.map(({ messageId }) => messageId));

const plain = (trims: readonly Trim[]) =>
  trims.map(({ stage, reason, removed, discarded, before, after }) => {
    const ids = removed.map(({ messageId }) => messageId);
    return { stage, reason, discarded, ids, before, after };
  });

/** Nothing leaves the window by itself, not even a result without its call. */
const KEEP_ALL = policyOf([], { tokenRule: "given", toolPairing: "loose" });

/** Actions that need no hook. */
const policies = anyPolicy.map(
  (policy): Policy => ({
    ...policy,
    stages: policy.stages.map((stage) =>
      stage.removedTo === "promote" ? { ...stage, removedTo: "log" } : stage,
    ),
  }),
);

describe("PreviewPolicy", () => {
  test("says what the next change does", async () => {
    await fc.assert(
      fc.asyncProperty(conversation, policies, async (entries, policy) => {
        const ref = await hold(entries, KEEP_ALL);
        const before = await windowOf(ref);
        const { previews } = await services.sessions.previewPolicy(services.call("Preview"), {
          ...ref,
          policies: [policy],
          occasions: ["append"],
          source: "window",
          toolOutcomes: [],
        });
        expect(await windowOf(ref)).toEqual(before);
        const bytes = await services.sessions.updateSession(services.call("UpdateSession"), {
          ...ref,
          input: { policy },
          paths: ["policy"],
          etag: "",
          encode: ({ trims }) => toBytes(plain(trims)),
        });
        const [preview] = previews;
        expect(plain(preview?.trims ?? [])).toEqual(fromBytes(bytes));
        const left = (preview?.messages ?? [])
          .filter(({ verdict }) => verdict !== "removed")
          .map(({ messageId }) => messageId);
        expect(await windowOf(ref)).toEqual(left);
        expect(preview?.after.messageCount).toBe(left.length);
      }),
      { numRuns: RUNS },
    );
  });
});

const target: fc.Arbitrary<TrimTarget> = fc.oneof(
  fc.nat(300).map((maxTokens) => ({ kind: "tokens", maxTokens }) as const),
  fc.nat(20).map((maxMessages) => ({ kind: "messages", maxMessages }) as const),
  fc.nat(5).map((unitCount) => ({ kind: "recent", unitCount }) as const),
);
const unit = fc.constantFrom<WindowUnit[]>("message", "assistant-turn", "turn");
const trims = fc.record({ target, unit });

/** Trims the window of a session and brings back what left. */
async function undo(
  on: TestServices,
  ref: { readonly namespace: string; readonly sessionId: string },
  trim: { readonly target: TrimTarget; readonly unit: WindowUnit },
): Promise<void> {
  const before = await windowOf(ref, on);
  const bytes = await on.sessions.trimSession(on.call("TrimSession"), {
    ...ref,
    ...trim,
    discard: false,
    etag: "",
    encode: (result) => toBytes(idsOf(result.trims)),
  });
  const removed = fromBytes<string[]>(bytes);
  expect(await windowOf(ref, on)).toEqual(before.filter((id) => !removed.includes(id)));
  const asked = await on.sessions.restoreMessages(on.call("Restore"), {
    ...ref,
    messageIds: removed,
    ranges: [],
    encode: ({ messageIds }) => toBytes(messageIds),
  });
  expect(fromBytes<string[]>(asked).sort()).toEqual(removed.sort());
  expect(await windowOf(ref, on)).toEqual(before);
}

describe("RestoreMessages", () => {
  test("undoes a trim", async () => {
    await fc.assert(
      fc.asyncProperty(conversation, policies, trims, async (entries, policy, trim) => {
        const ref = await hold(entries, { ...policy, stages: [] });
        await undo(services, ref, trim);
      }),
      { numRuns: RUNS },
    );
  });

  test("undoes a trim on the disk as well", async () => {
    await fc.assert(
      fc.asyncProperty(conversation, policies, trims, async (entries, policy, trim) => {
        const ref = { namespace: "default", sessionId: `s${count++}` };
        await onDisk.sessions.createSession(onDisk.call("CreateSession"), {
          ...ref,
          input: { policy: { ...policy, stages: [] } },
          encode: () => new Uint8Array(0),
        });
        if (entries.length > 0) await onDisk.append(ref.sessionId, entries.map(messageOf));
        await undo(onDisk, ref, trim);
      }),
      { numRuns: DISK_RUNS },
    );
  });

  const pairs = fc.constantFrom("whole", "adjacent", "loose");

  test("brings all messages of a tool call for any one of them, and nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(conversation, pairs, fc.nat(), async (entries, toolPairing, pick) => {
        const ref = await hold(entries, policyOf([], { tokenRule: "given", toolPairing }));
        const before = (await services.store.readWindow(ref))?.window ?? [];
        await services.sessions.trimSession(services.call("TrimSession"), {
          ...ref,
          target: { kind: "messages", maxMessages: 0 },
          unit: "message",
          discard: false,
          etag: "",
          encode: () => new Uint8Array(0),
        });
        const kept = new Set(await windowOf(ref));
        const gone = before.filter(({ messageId }) => !kept.has(messageId));
        const one = gone[pick % Math.max(1, gone.length)];
        if (one === undefined) return;
        await services.sessions.restoreMessages(services.call("Restore"), {
          ...ref,
          messageIds: [one.messageId],
          ranges: [],
          encode: () => new Uint8Array(0),
        });
        const { callOf } = groupEntriesAs(before, toolPairing);
        const group = callOf[before.indexOf(one)] ?? -1;
        const expected = before.filter(
          (entry, index) =>
            kept.has(entry.messageId) || entry === one || (group >= 0 && callOf[index] === group),
        );
        expect(await windowOf(ref)).toEqual(expected.map(({ messageId }) => messageId));
      }),
      { numRuns: RUNS },
    );
  });
});
