// Provokes the failures of the rpcs on messages.

import { type Message, MessageForm } from "../../../../src/gen/memorysidecar/v1/message.ts";
import { RemovedTo } from "../../../../src/gen/memorysidecar/v1/policy.ts";
import { LIMITS } from "../../../../src/kit/limits.ts";
import type { Failure } from "../client.ts";
import { bare } from "../policy-wire.ts";
import { dropOldest, keepStage, memoryPolicy, message, promotion } from "../samples.ts";
import { atCeiling, type ErrorScene, pinned, sameWay, seeded, type Ways } from "./scene.ts";

/** Tokens of a message that fills a window by itself. */
const MANY = 1_000_000;

const FROM_1 = { target: { $case: "fromSeq", value: 1n } } as const;

const TO_SEED = { sessionId: "seed", messageId: "gone", allowMissing: false };

/** Reads a message that takes six times its bytes as JSON. */
export async function failInForm(
  { client }: ErrorScene,
  rpc: "assembleContext" | "getWindow" | "listMessages" | "previewPolicy",
): Promise<Failure> {
  const sessionId = `controls-${rpc}`;
  const messages = [message({ text: "\u0001".repeat(900_000), tokenCount: 1 })];
  await client.call("appendMessages", { sessionId, createSession: true, messages });
  return await client.fail(rpc, { sessionId, form: MessageForm.OPENAI_CHAT });
}

/**
 * Acts on a session that adds more memories than one decision can evict, while memory is full: the
 * session promotes all that leaves its window, which holds 1,200 messages.
 */
export async function whileFull(
  scene: ErrorScene,
  act: (sessionId: string) => Promise<Failure>,
): Promise<Failure> {
  const select = { $case: "dropOldest", value: dropOldest({ maxTokens: BigInt(MANY) }) } as const;
  const sessionId = await seeded(scene, [], {
    policy: bare([keepStage({ select, removedTo: RemovedTo.PROMOTE })]),
    memoryPolicy: memoryPolicy({
      promotion: promotion({ importanceThreshold: 0 }),
      longTermLimit: LIMITS.scopeMemories,
    }),
  });
  for (let batch = 0; batch < 2; batch++) {
    const messages = Array.from({ length: 600 }, (_, index) =>
      message({ messageId: `m${batch * 600 + index}`, text: `I have ${index} of ${batch} cats.` }),
    );
    await scene.client.call("appendMessages", { sessionId, messages });
  }
  return await scene.whileMemoryIsFull(() => act(sessionId));
}

const update = ({ client }: ErrorScene, sessionId: string, of: Partial<Message>) =>
  client.fail("updateMessage", { sessionId, message: message({ messageId: "first", ...of }) });

/** The failures of messages, by rpc. */
export const MESSAGE_WAYS: Ways = {
  ...sameWay(
    "SESSION_NOT_FOUND",
    ["appendMessages", "listMessages", "getMessage", "updateMessage", "deleteMessage"],
    { sessionId: "gone" },
  ),
  "ReplaceMessages SESSION_NOT_FOUND": ({ client }) =>
    client.fail("replaceMessages", { sessionId: "gone", ...FROM_1 }),
  "ReplaceMessages SEQ_OUT_OF_RANGE": ({ client }) =>
    client.fail("replaceMessages", { sessionId: "seed", target: { $case: "fromSeq", value: 99n } }),
  "ReplaceMessages MESSAGE_ALREADY_EXISTS": async (scene) => {
    const sessionId = await seeded(scene, ["one", "two"]);
    const messages = [message({ messageId: "m0" })];
    const target = { $case: "fromSeq", value: 2n } as const;
    return await scene.client.fail("replaceMessages", { sessionId, target, messages });
  },
  "ReplaceMessages WINDOW_FULL": async (scene) => {
    const messages = [pinned("d", 900_000)];
    const target = { $case: "fromSeq", value: 4n } as const;
    const sessionId = await atCeiling(scene, 900_000);
    return await scene.client.fail("replaceMessages", { sessionId, target, messages });
  },
  "ReplaceMessages MEMORY_LIMIT_REACHED": (scene) =>
    whileFull(scene, (sessionId) => {
      const messages = [message({ tokenCount: MANY })];
      const target = { $case: "fromSeq", value: 1_201n } as const;
      return scene.client.fail("replaceMessages", { sessionId, target, messages });
    }),
  ...sameWay("SESSION_NOT_FOUND", ["batchGetMessages", "batchDeleteMessages", "popMessages"], {
    sessionId: "gone",
  }),
  ...sameWay("MESSAGE_NOT_FOUND", ["batchDeleteMessages"], {
    sessionId: "seed",
    messageIds: ["gone"],
    allowMissing: false,
  }),
  ...sameWay("MESSAGE_NOT_FOUND", ["getMessage", "deleteMessage"], TO_SEED),
  ...sameWay(
    "PAGE_TOKEN_INVALID",
    ["listMessages", "batchGetMessages", "findMessages", "deleteFoundMessages"],
    { pageToken: "x" },
  ),
  ...sameWay("MESSAGE_ALREADY_EXISTS", ["appendMessages"], {
    messages: [message({ messageId: "first" })],
  }),
  ...sameWay("LAST_SEQ_MISMATCH", ["appendMessages"], { expectedLastSeq: 7n }),
  "ReplaceMessages LAST_SEQ_MISMATCH": ({ client }) =>
    client.fail("replaceMessages", { sessionId: "seed", expectedLastSeq: 7n, ...FROM_1 }),
  ...sameWay("LAST_SEQ_MISMATCH", ["batchDeleteMessages", "popMessages"], {
    ...{ sessionId: "seed", expectedLastSeq: 7n },
  }),
  "AppendMessages WINDOW_FULL": async (scene) =>
    scene.client.fail("appendMessages", {
      sessionId: await atCeiling(scene, 900_000),
      messages: [pinned("d", 900_000)],
    }),
  "AppendMessages MEMORY_LIMIT_REACHED": (scene) =>
    whileFull(scene, (sessionId) => {
      const messages = [message({ tokenCount: MANY })];
      return scene.client.fail("appendMessages", { sessionId, messages });
    }),
  "ListMessages WINDOW_FULL": (scene) => failInForm(scene, "listMessages"),
  "GetWindow WINDOW_FULL": (scene) => failInForm(scene, "getWindow"),
  "PreviewPolicy WINDOW_FULL": (scene) => failInForm(scene, "previewPolicy"),
  "UpdateMessage MESSAGE_NOT_FOUND": (scene) =>
    update(scene, "seed", { messageId: "gone", name: "n" }),
  "UpdateMessage ETAG_MISMATCH": (scene) => update(scene, "seed", { name: "n", etag: "x" }),
  "UpdateMessage WINDOW_FULL": async (scene) => {
    const sessionId = await atCeiling(scene, 800_000);
    await scene.client.call("appendMessages", { sessionId, messages: [pinned("d", 1)] });
    return await update(scene, sessionId, pinned("d", 990_000));
  },
  "UpdateMessage MEMORY_LIMIT_REACHED": (scene) =>
    whileFull(scene, (sessionId) =>
      update(scene, sessionId, { messageId: "m1199", tokenCount: MANY }),
    ),
  "DeleteMessage ETAG_MISMATCH": ({ client }) =>
    client.fail("deleteMessage", { sessionId: "seed", messageId: "first", etag: "x" }),
};
