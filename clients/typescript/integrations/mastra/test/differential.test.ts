// The memory beside the one that Mastra keeps in memory: the same random operations, the same
// answers.

import type { MastraDBMessage, StorageThreadType } from "@mastra/core/memory";
import {
  InMemoryDB,
  InMemoryMemory,
  type MemoryStorage,
  type StorageListMessagesInput,
} from "@mastra/core/storage";
import { afterAll, beforeAll, test } from "vitest";
import { compare } from "../../../../../test/support/integrations/differential.ts";
import { type Setting, startSetting } from "../../../../../test/support/integrations/setting.ts";
import type { Random } from "../../../../../test/support/kit/random.ts";
import { SidecarMemory } from "../src/memory.ts";
import { drawObservation, type Observation, observe } from "./observing.ts";
import { EPOCH, shown } from "./shown.ts";

/** An operation that names its method, and what the method takes. */
type Operation = readonly [name: string, input: unknown];

let setting: Setting;

beforeAll(async () => {
  setting = await startSetting();
});

afterAll(async () => {
  await setting?.[Symbol.asyncDispose]();
});

const THREADS = ["a", "b", "é %", `#${"t".repeat(600)}`];
const RESOURCES = ["ana", "bob", "r".repeat(300)];
const MESSAGES = [
  ...Array.from({ length: 12 }, (_, number) => `m${number}`),
  "m".repeat(300),
  "#m",
];
/** Threads that are copies, and whose they are: no list has messages of these and of others. */
const COPIES = ["copy1", "copy2"];
const COPIER = "copier";

/** A time that no other message has, so that it alone decides the order. */
function timeOf(random: Random, id: string): Date {
  return new Date(EPOCH + random.int(0, 5) * 60_000 + MESSAGES.indexOf(id));
}

function drawMetadata(random: Random): Record<string, unknown> {
  const value = random.pick<unknown>([1, 2, "1", "x", true, null, [1], { deep: 1 }]);
  return { [random.pick(["k", "l"])]: value };
}

function drawContent(random: Random): MastraDBMessage["content"] {
  const part = random.pick<object>([
    { type: "text", text: random.pick(["Where?", "On the roof. é", ""]) },
    { type: "reasoning", reasoning: "Hm.", details: [] },
    {
      type: "tool-invocation",
      toolInvocation: {
        ...{ state: "result", toolCallId: "c1", toolName: "look", args: { at: 1 } },
        result: { found: ["stork"] },
      },
    },
    { type: "file", mimeType: "image/png", data: "AAAA" },
  ]);
  const metadata = random.chance(0.6) ? { metadata: drawMetadata(random) } : {};
  const large = random.chance(0.02) ? [{ type: "text", text: "large ".repeat(90_000) }] : [];
  return { format: 2, parts: [part, ...large] as never, ...metadata };
}

function drawMessage(random: Random): MastraDBMessage {
  const id = random.pick(MESSAGES);
  return {
    ...{ id, role: random.pick(["user", "assistant", "system", "signal"]) },
    ...{ createdAt: timeOf(random, id), threadId: random.pick(THREADS) },
    ...(random.chance(0.9) ? { resourceId: random.pick(RESOURCES) } : {}),
    ...(random.chance(0.3) ? { type: random.pick(["text", "v2"]) } : {}),
    content: drawContent(random),
  };
}

function drawUpdate(random: Random) {
  const maybe = <T>(share: number, name: string, value: () => T) =>
    random.chance(share) ? { [name]: value() } : {};
  return {
    id: random.pick(MESSAGES),
    ...maybe(0.3, "role", () => random.pick(["user", "assistant"])),
    ...maybe(0.3, "type", () => "v2"),
    ...maybe(0.2, "threadId", () => random.pick(THREADS)),
    ...maybe(0.2, "resourceId", () => random.pick(RESOURCES)),
    ...maybe(0.6, "content", () =>
      random.pick<object>([{ metadata: drawMetadata(random) }, drawContent(random)]),
    ),
  };
}

function drawThread(random: Random): StorageThreadType {
  const id = random.pick(THREADS);
  const createdAt = new Date(EPOCH + random.int(0, 3) * 60_000 + THREADS.indexOf(id));
  return {
    ...{ id, resourceId: random.pick(RESOURCES), createdAt, updatedAt: createdAt },
    ...(random.chance(0.7) ? { title: random.pick(["Trip", "Home", ""]) } : {}),
    ...(random.chance(0.7) ? { metadata: drawMetadata(random) } : {}),
  };
}

function drawPage(random: Random) {
  const sizes = [undefined, undefined, false, false, 0, 1, 3, 5, -1, 1.5] as const;
  const perPage = random.pick<(typeof sizes)[number]>(sizes);
  const page = random.pick([undefined, undefined, 0, 0, 1, 2, -1]);
  const direction = random.pick([undefined, "ASC", "DESC"] as const);
  return {
    ...(perPage === undefined ? {} : { perPage }),
    ...(page === undefined ? {} : { page }),
    ...(direction === undefined ? {} : { orderBy: { field: "createdAt" as const, direction } }),
  };
}

function drawList(random: Random): Omit<StorageListMessagesInput, "threadId"> {
  const time = () => new Date(EPOCH + random.int(0, 5) * 60_000 + random.int(0, 3));
  const dateRange = {
    ...(random.chance(0.5) ? { start: time(), startExclusive: random.chance(0.5) } : {}),
    ...(random.chance(0.5) ? { end: time(), endExclusive: random.chance(0.5) } : {}),
  };
  const scalar = random.pick([1, "1", "x", true, null]);
  const metadata = random.pick<object>([{}, { k: scalar }, { l: scalar }, { "k-1": 1 }]) as never;
  const include = Array.from({ length: random.int(1, 2) }, () => ({
    id: random.pick(MESSAGES),
    ...(random.chance(0.5) ? { withPreviousMessages: random.int(0, 2) } : {}),
    ...(random.chance(0.5) ? { withNextMessages: random.int(0, 2) } : {}),
  }));
  const filter = {
    ...(random.chance(0.3) ? { dateRange } : {}),
    ...(random.chance(0.3) ? { metadata } : {}),
  };
  return {
    ...drawPage(random),
    ...(random.chance(0.4) ? { filter } : {}),
    ...(random.chance(0.3) ? { include } : {}),
    ...(random.chance(0.3) ? { includeTotal: random.chance(0.3) } : {}),
  };
}

const DRAWS: Readonly<Record<string, readonly [weight: number, (random: Random) => unknown]>> = {
  saveThread: [4, (random) => ({ thread: drawThread(random) })],
  getThreadById: [2, (random) => ({ threadId: drawId(random), ...ofSome(random) })],
  updateThread: [
    2,
    (random) => ({
      id: random.pick(THREADS),
      ...(random.chance(0.5) ? { title: "Renamed" } : {}),
      ...(random.chance(0.5) ? { metadata: drawMetadata(random) } : {}),
    }),
  ],
  deleteThread: [1, (random) => ({ threadId: drawId(random) })],
  listThreads: [
    3,
    (random) => ({
      ...drawPage(random),
      filter: {
        ...ofSome(random),
        ...(random.chance(0.4) ? { metadata: drawMetadata(random) } : {}),
      },
    }),
  ],
  updateThreadResourceId: [
    0.5,
    (random) => ({ threadId: random.pick(THREADS), resourceId: random.pick(RESOURCES) }),
  ],
  copyThread: [
    1,
    (random) => ({
      ...{ sourceThreadId: random.pick([...THREADS, ...COPIES]), resourceId: COPIER },
      newThreadId: random.pick(COPIES),
      ...(random.chance(0.3) ? { title: "Copy" } : {}),
      ...(random.chance(0.5) ? { options: { messageLimit: random.int(0, 3) } } : {}),
    }),
  ],
  saveMessages: [
    8,
    (random) => ({
      messages: Array.from({ length: random.int(1, 5) }, () => drawMessage(random)),
    }),
  ],
  listMessages: [
    8,
    (random) => {
      const threadId = random.pick<unknown>([...THREADS, THREADS.slice(0, 2), THREADS, " ", []]);
      return { threadId, ...ofSome(random), ...drawList(random) };
    },
  ],
  listCopies: [
    1,
    (random) => {
      const { include: _, ...list } = drawList(random);
      return { threadId: random.pick(COPIES), ...list };
    },
  ],
  listMessagesByResourceId: [
    2,
    (random) => ({ resourceId: random.pick(RESOURCES), ...drawList(random) }),
  ],
  listMessagesById: [2, (random) => ({ messageIds: drawIds(random) })],
  updateMessages: [
    3,
    (random) => ({
      messages: Array.from({ length: random.int(1, 3) }, () => drawUpdate(random)),
    }),
  ],
  deleteMessages: [1.5, drawIds],
  getResourceById: [1, (random) => ({ resourceId: random.pick(RESOURCES) })],
  saveResource: [
    0.5,
    (random) => ({
      resource: {
        ...{ id: random.pick(RESOURCES), workingMemory: "Ana", metadata: drawMetadata(random) },
        ...{ createdAt: new Date(EPOCH), updatedAt: new Date(EPOCH) },
      },
    }),
  ],
  updateResource: [
    1,
    (random) => ({
      resourceId: random.pick(RESOURCES),
      ...(random.chance(0.5) ? { workingMemory: random.pick(["Bob", ""]) } : {}),
      ...(random.chance(0.5) ? { metadata: drawMetadata(random) } : {}),
    }),
  ],
};

function drawId(random: Random): string {
  return random.pick([...THREADS, ...COPIES]);
}

function ofSome(random: Random) {
  return random.chance(0.4) ? { resourceId: random.pick(RESOURCES) } : {};
}

function drawIds(random: Random): string[] {
  return Array.from({ length: random.int(0, 3) }, () => random.pick(MESSAGES));
}

function draw(random: Random): Operation {
  const weights = Object.fromEntries(
    Object.entries(DRAWS).map(([name, [weight]]) => [name, weight]),
  );
  const name = random.weighted(weights);
  return [name, DRAWS[name]?.[1](random)];
}

async function answer(memory: MemoryStorage, [name, input]: Operation): Promise<unknown> {
  const methods = memory as unknown as Record<string, (input: unknown) => Promise<unknown>>;
  // The memory in memory keeps and gives its own objects.
  const method = methods[name === "listCopies" ? "listMessages" : name]?.bind(memory);
  const given = shown(await method?.(structuredClone(input)));
  if (name === "listMessages" || name === "listCopies") {
    return listed(given as object, input as StorageListMessagesInput);
  }
  if (name !== "updateMessages") return given;
  // There the memory in memory names every role but that of the assistant `user`.
  return (given as MastraDBMessage[]).map((message) => ({
    ...message,
    role: message.role === "assistant" ? "assistant" : "user",
  }));
}

/** The part of a list that counts: not a total that nobody asked for. */
function listed(given: object, { include, includeTotal, threadId }: StorageListMessagesInput) {
  return {
    ...given,
    ...(includeTotal === false ? { total: undefined } : {}),
    // The memory in memory counts what it shows of one thread only.
    ...(include && Array.isArray(threadId) ? { hasMore: undefined } : {}),
  };
}

function pair() {
  return {
    theirs: new InMemoryMemory({ db: new InMemoryDB() }),
    ours: new SidecarMemory(setting.client()),
  };
}

test("answers as the memory in memory does", async () => {
  await compare<Operation>({
    name: ["Mastra (TypeScript)", "memory"],
    operations: 2_000,
    draw,
    pair: () => {
      const { theirs, ours } = pair();
      return { theirs: (one) => answer(theirs, one), ours: (one) => answer(ours, one) };
    },
  });
}, 300_000);

test("observes as the memory in memory does", async () => {
  await compare<Observation>({
    name: ["Mastra (TypeScript)", "observational memory"],
    operations: 500,
    draw: drawObservation,
    pair: () => {
      const { theirs, ours } = pair();
      return { theirs: (one) => observe(theirs, one), ours: (one) => observe(ours, one) };
    },
  });
}, 300_000);
