// Provokes the failures of the rpcs on sessions and their policies.

import { RemovedTo } from "../../../../src/gen/memorysidecar/v1/policy.ts";
import { type Failure, requestBytes, startContractServer, type TestServer } from "../client.ts";
import { bare } from "../policy-wire.ts";
import { keepStage, policy, session, written } from "../samples.ts";
import { bringSnapshot, takeSnapshot } from "../snapshots.ts";
import { summarizingPolicy } from "../summarizing.ts";
import { type ErrorScene, pinned, sameWay, seeded, type Ways } from "./scene.ts";

const PROMOTES = bare([keepStage({ removedTo: RemovedTo.PROMOTE })]);
const ASKS_NOBODY = summarizingPolicy({ hook: "nobody" });

const update = async (scene: ErrorScene, fields: Parameters<typeof session>[0]) =>
  scene.client.fail("updateSession", {
    session: session({ sessionId: await seeded(scene), ...fields }),
  });

/**
 * Gives a new policy to a session whose window is above the ceiling: an import accepts a full
 * window although its etags are longer than those of the first revisions.
 */
async function updateTooMuch(): Promise<Failure> {
  // Etags end with an id of the store's history, which is short enough on one server in four.
  let server = await startContractServer();
  while ((await firstEtag(server)).length >= IMPORTED_ETAG_LENGTH) {
    await server[Symbol.asyncDispose]();
    server = await startContractServer();
  }
  await using started = server;
  const { client } = started;
  const messages = Array.from({ length: 1_000 }, (_, index) => pinned(`m${index}`, 3_000));
  await client.call("appendMessages", { sessionId: "full", createSession: true, messages });
  for (let index = 0; ; index++) {
    const append = { sessionId: "full", messages: [pinned(`small${index}`, 500)] };
    const outcome = await client.raw("appendMessages", requestBytes("appendMessages", append));
    if ("failure" in outcome) break;
  }
  const snapshot = await takeSnapshot(client, "full");
  await bringSnapshot(client, snapshot, { sessionId: "copy", chunk: 500 });
  return await client.fail("updateSession", {
    session: session({ sessionId: "copy", policy: policy({ name: "other" }) }),
  });
}

// Etags of imported messages derive from their content.
const IMPORTED_ETAG_LENGTH = 16;

async function firstEtag({ client }: TestServer): Promise<string> {
  const append = { sessionId: "first", createSession: true, messages: [pinned("first", 1)] };
  await client.call("appendMessages", append);
  const { message } = await client.call("getMessage", { sessionId: "first", messageId: "first" });
  return message?.etag ?? "";
}

/** The failures of sessions, by rpc. */
export const SESSION_WAYS: Ways = {
  ...sameWay("SESSION_NOT_FOUND", ["getSession", "resetSession"], { sessionId: "gone" }),
  ...sameWay("SESSION_NOT_FOUND", ["deleteSession"], { sessionId: "gone", allowMissing: false }),
  ...sameWay("SESSION_NOT_FOUND", ["forkSession"], { sourceSessionId: "gone" }),
  ...sameWay("SESSION_NOT_FOUND", ["updateSession"], { session: session({ sessionId: "gone" }) }),
  ...sameWay("SESSION_NOT_FOUND", ["previewPolicy"], { sessionId: "gone" }),
  ...sameWay("SESSION_ALREADY_EXISTS", ["createSession"], {
    session: session({ sessionId: "seed" }),
  }),
  ...sameWay("SESSION_ALREADY_EXISTS", ["forkSession"], { sessionId: "seed" }),
  ...sameWay("PAGE_TOKEN_INVALID", ["listSessions", "listPolicyPresets"], { pageToken: "x" }),
  ...sameWay("ETAG_MISMATCH", ["deleteSession", "resetSession"], { sessionId: "seed", etag: "x" }),
  ...sameWay("HOOK_NOT_CONFIGURED", ["createSession"], {
    session: session({ policy: ASKS_NOBODY }),
  }),
  ...sameWay("HOOK_NOT_CONFIGURED", ["previewPolicy"], { policies: [written(ASKS_NOBODY)] }),
  ...sameWay("PROMOTION_POLICY_MISSING", ["createSession"], {
    session: session({ policy: PROMOTES }),
  }),
  ...sameWay("HOOK_NOT_CONFIGURED", ["appendMessages"], {
    session: session({ policy: ASKS_NOBODY }),
    sessionUpdateMask: ["policy"],
  }),
  ...sameWay("PROMOTION_POLICY_MISSING", ["appendMessages"], {
    session: session({ policy: PROMOTES }),
    sessionUpdateMask: ["policy"],
  }),
  "ForkSession SEQ_OUT_OF_RANGE": ({ client }) =>
    client.fail("forkSession", { sourceSessionId: "seed", atSeq: 99n }),
  "UpdateSession ETAG_MISMATCH": (scene) => update(scene, { userId: "u", etag: "x" }),
  "UpdateSession WINDOW_FULL": updateTooMuch,
  "UpdateSession HOOK_NOT_CONFIGURED": (scene) => update(scene, { policy: ASKS_NOBODY }),
  "UpdateSession PROMOTION_POLICY_MISSING": (scene) => update(scene, { policy: PROMOTES }),
};
