// Recall holds the messages that the logs have, whatever adds, changes or removes them: the next
// count shows each change.

import { afterAll, beforeAll, expect, test } from "vitest";
import { Role } from "../../src/gen/memorysidecar/v1/message.ts";
import { RemovedTo } from "../../src/gen/memorysidecar/v1/policy.ts";
import { RecallKind } from "../../src/gen/memorysidecar/v1/recall.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  EVERYONE,
  keepStage,
  message,
  policy,
  recallFilter,
  session,
} from "../support/contract/samples.ts";
import { type Random, randomFrom, TEST_DEPTH, testSeed } from "../support/kit/random.ts";

const STEPS = 120;
const FILTER = recallFilter({ kinds: [RecallKind.MESSAGE], scope: EVERYONE });

let server: TestServer;
let names = 0;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

/** The messages that recall counts in a namespace. */
async function counted(namespace: string): Promise<number> {
  const { count, coverage } = await server.client.call("countItems", { namespace, filter: FILTER });
  expect(coverage?.complete).toBe(true);
  return Number(count);
}

/** The messages that a log has. */
async function listed(namespace: string, sessionId: string): Promise<number> {
  const query = { namespace, sessionId, includeTotal: true, pageSize: 1 };
  const { total } = await server.client.call("listMessages", query);
  return Number(total?.count);
}

async function append(namespace: string, sessionId: string, texts: readonly string[]) {
  const messages = texts.map((text) => message({ role: Role.USER, text }));
  await server.client.call("appendMessages", { namespace, sessionId, messages });
}

const some = (count: number) => Array.from({ length: count }, (_, at) => `a fox, number ${at}`);

/** A session in a namespace of its own that recall holds, with a policy that discards or not. */
async function recalled(discards: boolean): Promise<{ namespace: string; sessionId: string }> {
  const at = { namespace: `recalled-${names++}`, sessionId: "s" };
  const removedTo = discards ? RemovedTo.DISCARD : RemovedTo.LOG;
  const made = session({ sessionId: "s", policy: policy({ stages: [keepStage({ removedTo })] }) });
  await server.client.call("createSession", { namespace: at.namespace, session: made });
  await append(at.namespace, at.sessionId, some(2));
  expect(await counted(at.namespace)).toBe(2);
  return at;
}

test.each([
  [true, 3],
  [false, 7],
])(
  "messages that a stage removes are gone from recall if it discards: %s",
  async (discards, left) => {
    const { namespace, sessionId } = await recalled(discards);
    await append(namespace, sessionId, some(5));
    expect([await counted(namespace), await listed(namespace, sessionId)]).toEqual([left, left]);
  },
);

test.each([
  [true, 1],
  [false, 3],
])(
  "messages that TrimSession removes are gone from recall if it discards: %s",
  async (discard, left) => {
    const { namespace, sessionId } = await recalled(false);
    await append(namespace, sessionId, ["the newest fox"]);
    const target = { $case: "maxMessages", value: 1 } as const;
    await server.client.call("trimSession", { namespace, sessionId, target, discard });
    expect([await counted(namespace), await listed(namespace, sessionId)]).toEqual([left, left]);
    const { hits } = await server.client.call("recall", {
      namespace,
      query: "fox",
      filter: FILTER,
    });
    expect(hits.length).toBe(left);
  },
);

/** Changes that a session may meet, by weight. */
const CHANGES = {
  ...{ append: 6, trim: 3, discard: 3, pop: 1, delete: 2, deleteMany: 2, update: 1 },
  ...{ replace: 1, reset: 1, fork: 1, restore: 1, remove: 1 },
};

async function change(random: Random, namespace: string, sessions: Set<string>): Promise<void> {
  const sessionId = random.pick([...sessions]);
  const at = { namespace, sessionId };
  const { messages } = await server.client.call("listMessages", at);
  const ids = messages.map(({ messageId }) => messageId);
  const kind = random.weighted(CHANGES);
  switch (kind) {
    case "append":
      return await append(namespace, sessionId, some(random.int(1, 8)));
    case "trim":
    case "discard": {
      const target = { $case: "maxMessages", value: random.int(1, 4) } as const;
      await server.client.call("trimSession", { ...at, target, discard: kind === "discard" });
      return;
    }
    case "pop":
      await server.client.call("popMessages", { ...at, count: random.int(1, 3) });
      return;
    case "replace": {
      const target = { $case: "all", value: {} } as const;
      const texts = some(random.int(0, 5)).map((text) => message({ role: Role.USER, text }));
      await server.client.call("replaceMessages", { ...at, target, messages: texts });
      return;
    }
    case "reset":
      await server.client.call("resetSession", at);
      return;
    case "fork": {
      const fork = `fork-${names++}`;
      sessions.add(fork);
      await server.client.call("forkSession", {
        ...{ namespace, sourceSessionId: sessionId, sessionId: fork },
      });
      return;
    }
    case "remove":
      if (sessions.size === 1) return;
      sessions.delete(sessionId);
      await server.client.call("deleteSession", at);
      return;
    default:
      if (ids.length > 0) await changeSome(random, kind, at, ids);
  }
}

/** Changes that name messages. */
async function changeSome(
  random: Random,
  kind: "delete" | "deleteMany" | "update" | "restore",
  at: { readonly namespace: string; readonly sessionId: string },
  ids: readonly string[],
): Promise<void> {
  const messageId = random.pick(ids);
  const several = ids.filter(() => random.chance(0.3)).concat(messageId);
  const messageIds = [...new Set(several)];
  if (kind === "delete") await server.client.call("deleteMessage", { ...at, messageId });
  if (kind === "deleteMany") await server.client.call("batchDeleteMessages", { ...at, messageIds });
  if (kind === "restore") await server.client.call("restoreMessages", { ...at, messageIds });
  if (kind === "update") {
    const changed = message({ messageId, text: "another fox" });
    await server.client.call("updateMessage", { ...at, message: changed });
  }
}

test("random changes leave in recall what the logs have", async () => {
  const random = randomFrom(testSeed("recall and the logs"));
  const { namespace, sessionId } = await recalled(true);
  const kept = session({ sessionId: "kept", policy: policy() });
  await server.client.call("createSession", { namespace, session: kept });
  const sessions = new Set([sessionId, "kept"]);
  for (let step = 0; step < STEPS * TEST_DEPTH; step++) {
    await change(random, namespace, sessions);
    let left = 0;
    for (const one of sessions) left += await listed(namespace, one);
    expect(await counted(namespace), `after step ${step}`).toBe(left);
  }
});
