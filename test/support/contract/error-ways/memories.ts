// Provokes the failures of the rpcs on long-term memory.

import { ConflictMode, ConflictRule } from "../../../../src/gen/memorysidecar/v1/memory.ts";
import { LIMITS } from "../../../../src/kit/limits.ts";
import type { Failure } from "../client.ts";
import { entity, extraction, memory, memoryPolicy, message } from "../samples.ts";
import { BROKEN, FERTILE } from "./extractors.ts";
import { whileFull } from "./messages.ts";
import { type ErrorScene, sameWay, seeded, type Ways } from "./scene.ts";

const ASK_NOBODY: ConflictRule = {
  ...ConflictRule.decode(new Uint8Array(0)),
  ...{ mode: ConflictMode.ASK_HOOK, hook: "nobody" },
};

/** Target of a change: a memory in a namespace of its own. */
interface Known {
  readonly namespace: string;
  readonly memoryId: string;
}

/** Creates an entity, and a second one named `other`. */
async function known({ client, fresh }: ErrorScene): Promise<Known> {
  const of = { namespace: fresh(), memoryId: "known" };
  const memories = [
    { ...entity("Ann"), memoryId: of.memoryId },
    { ...entity("Bob"), memoryId: "other" },
  ];
  await client.call("remember", { namespace: of.namespace, memories });
  return of;
}

/** Creates an entity with the maximum number of states. */
async function wornOut(scene: ErrorScene): Promise<Known> {
  const of = await known(scene);
  for (let version = 1; version < LIMITS.memoryRevisions; version++) {
    const changed = memory({ memoryId: of.memoryId, category: `${version}` });
    const update = { namespace: of.namespace, memory: changed, updateMask: ["category"] };
    await scene.client.call("updateMemory", update);
  }
  return of;
}

const updateOf = ({ namespace, memoryId }: Known, etag = "") => ({
  ...{ namespace, memory: memory({ memoryId, category: "last", etag }) },
  updateMask: ["category"],
});

/**
 * Extracts more than one decision can evict while memory is full: the hook gets one long message
 * per call, and returns the maximum number of facts for each.
 */
async function extractTooMuch(scene: ErrorScene): Promise<Failure> {
  const sessionId = await seeded(scene, [], {
    memoryPolicy: memoryPolicy({ longTermLimit: LIMITS.scopeMemories }),
  });
  const calls = 11;
  for (let index = 0; index < calls; index++) {
    const messages = [message({ text: "so it goes ".repeat(60_000) })];
    await scene.client.call("appendMessages", { sessionId, messages });
  }
  const request = { sessionId, firstSeq: 1n, extraction: extraction({ hook: FERTILE }) };
  return await scene.whileMemoryIsFull(() => scene.client.fail("extractMemories", request));
}

/** The failures of memories, by rpc. */
export const MEMORY_WAYS: Ways = {
  ...sameWay(
    "MEMORY_NOT_FOUND",
    [
      "getMemory",
      "updateMemory",
      "reinforceMemories",
      "forgetMemories",
      "listMemoryVersions",
      "restoreMemoryVersion",
      "mergeEntities",
    ],
    { allowMissing: false },
  ),
  ...sameWay("PAGE_TOKEN_INVALID", ["listMemories", "decayMemories", "queryRelations"], {
    pageToken: "x",
  }),
  "ListMemoryVersions PAGE_TOKEN_INVALID": async (scene) =>
    scene.client.fail("listMemoryVersions", { ...(await known(scene)), pageToken: "x" }),
  "Remember ETAG_MISMATCH": async (scene) => {
    const { namespace, memoryId } = await known(scene);
    const memories = [{ ...entity("Ann", { type: "person" }), memoryId, etag: "x" }];
    return await scene.client.fail("remember", { namespace, memories });
  },
  "Remember MEMORY_LIMIT_REACHED": ({ client, whileMemoryIsFull }) =>
    whileMemoryIsFull(() => client.fail("remember", { memories: [memory({ text: "x" })] })),
  "Remember MEMORY_VERSION_LIMIT_REACHED": async (scene) => {
    const { namespace, memoryId } = await wornOut(scene);
    const memories = [{ ...entity("Ann", { type: "person" }), memoryId }];
    return await scene.client.fail("remember", { namespace, memories });
  },
  ...sameWay("HOOK_NOT_CONFIGURED", ["remember"], { conflict: ASK_NOBODY }),
  "UpdateMemory ETAG_MISMATCH": async (scene) =>
    scene.client.fail("updateMemory", updateOf(await known(scene), "x")),
  "UpdateMemory MEMORY_VERSION_LIMIT_REACHED": async (scene) =>
    scene.client.fail("updateMemory", updateOf(await wornOut(scene))),
  "ForgetMemories ETAG_MISMATCH": async (scene) => {
    const { namespace, memoryId } = await known(scene);
    const request = { namespace, memoryIds: [memoryId], etag: "x" };
    return await scene.client.fail("forgetMemories", request);
  },
  "RestoreMemoryVersion MEMORY_VERSION_NOT_FOUND": async (scene) =>
    scene.client.fail("restoreMemoryVersion", { ...(await known(scene)), version: 9n }),
  "RestoreMemoryVersion ETAG_MISMATCH": async (scene) => {
    const of = await known(scene);
    await scene.client.call("updateMemory", updateOf(of));
    return await scene.client.fail("restoreMemoryVersion", { ...of, version: 1n, etag: "x" });
  },
  "RestoreMemoryVersion MEMORY_VERSION_LIMIT_REACHED": async (scene) =>
    scene.client.fail("restoreMemoryVersion", { ...(await wornOut(scene)), version: 1n }),
  "MergeEntities MEMORY_VERSION_LIMIT_REACHED": async (scene) => {
    const { namespace, memoryId: targetMemoryId } = await wornOut(scene);
    const request = { namespace, targetMemoryId, sourceMemoryIds: ["other"] };
    return await scene.client.fail("mergeEntities", request);
  },
  ...sameWay("SESSION_NOT_FOUND", ["consolidateSession", "extractMemories"], {
    ...{ sessionId: "gone", text: "" },
  }),
  "ConsolidateSession MEMORY_LIMIT_REACHED": (scene) =>
    whileFull(scene, (sessionId) => scene.client.fail("consolidateSession", { sessionId })),
  ...sameWay("HOOK_NOT_CONFIGURED", ["extractMemories"], {
    extraction: extraction({ hook: "nobody" }),
  }),
  ...sameWay("HOOK_FAILED", ["extractMemories"], { extraction: extraction({ hook: BROKEN }) }),
  "ExtractMemories MEMORY_LIMIT_REACHED": extractTooMuch,
};
