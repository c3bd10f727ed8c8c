// Provokes the failures of exports and imports.

import { RemovedTo } from "../../../../src/gen/memorysidecar/v1/policy.ts";
import type { Session } from "../../../../src/gen/memorysidecar/v1/session.ts";
import { LIMITS } from "../../../../src/kit/limits.ts";
import { type Failure, METHODS, requestBytes } from "../client.ts";
import { bare } from "../policy-wire.ts";
import { keepStage, message, session, written } from "../samples.ts";
import { failImport, importRequest, takeSnapshot } from "../snapshots.ts";
import { summarizingPolicy } from "../summarizing.ts";
import { type ErrorScene, seeded, type Ways } from "./scene.ts";

/** Exports until an export meets a change. */
async function exportUntilChanged(scene: ErrorScene): Promise<Failure> {
  const { client } = scene;
  const sessionId = await seeded(scene);
  const text = "x".repeat(100_000);
  for (let n = 0; n < 30; n++) {
    const messages = [1, 2].map((part) => message({ messageId: `e${n}-${part}`, text }));
    await client.call("appendMessages", { sessionId, messages });
  }
  for (let n = 0; n < 20; n++) {
    const exporting = client.export({ sessionId });
    const edit = message({ messageId: "e20-1", name: `n${n}` });
    await client.call("updateMessage", { sessionId, message: edit });
    const { failure } = await exporting;
    if (failure !== undefined) return failure;
  }
  throw new Error("no export saw a change");
}

/** Opens more exports than the limit, with readers that consume nothing. */
async function exportTooMany(scene: ErrorScene): Promise<Failure> {
  const { client } = scene;
  const sessionId = await seeded(scene);
  const text = "x".repeat(1_000_000);
  for (let n = 0; n < 3; n++) {
    await client.call("appendMessages", { sessionId, messages: [message({ text })] });
  }
  const bytes = requestBytes("exportSession", { sessionId });
  const asIs = (value: Buffer) => value;
  const open = Array.from({ length: LIMITS.exports }, () => {
    const { path } = METHODS.exportSession;
    const stream = client.channel.makeServerStreamRequest(path, asIs, asIs, bytes);
    stream.on("error", () => {});
    return stream.pause();
  });
  try {
    for (;;) {
      const { failure } = await client.export({ sessionId });
      if (failure !== undefined) return failure;
    }
  } finally {
    for (const stream of open) stream.cancel();
    // The server releases them after a moment.
    while ((await client.export({ sessionId: "seed" })).failure !== undefined);
  }
}

/** Begins imports up to the limit, and ends them. */
async function importTooMany({ client }: ErrorScene): Promise<Failure> {
  const piece = { format: "lauren", document: Buffer.from("["), more: true };
  const open: string[] = [];
  try {
    for (;;) {
      const bytes = requestBytes("importSession", importRequest(piece));
      const outcome = await client.raw("importSession", bytes);
      if ("failure" in outcome) return outcome.failure;
      open.push(METHODS.importSession.responseDeserialize(outcome.bytes).uploadId);
    }
  } finally {
    for (const uploadId of open) {
      await failImport(client, { uploadId, chunkIndex: 1, document: Buffer.from("]]") });
    }
  }
}

/** Imports a session with these fields. */
async function importOf(scene: ErrorScene, fields: Partial<Session>): Promise<Failure> {
  const { header } = await takeSnapshot(scene.client, await seeded(scene));
  const time = { seconds: 5n, nanos: 0 };
  const own = session({ lastSeq: 0n, createTime: time, updateTime: time, ...fields });
  const changed = { ...header, session: own };
  return await failImport(scene.client, { header: changed, sessionId: scene.fresh() });
}

/** The failures of snapshots, by rpc. */
export const SNAPSHOT_WAYS: Ways = {
  "ExportSession SESSION_NOT_FOUND": async ({ client }) =>
    (await client.export({ sessionId: "gone" })).failure,
  "ExportSession SESSION_CHANGED": exportUntilChanged,
  "ExportSession STREAM_LIMIT_REACHED": exportTooMany,
  "ImportSession SESSION_ALREADY_EXISTS": async ({ client }) => {
    const { header } = await takeSnapshot(client, "seed");
    return await failImport(client, { header });
  },
  "ImportSession SNAPSHOT_INVALID": ({ client }) => failImport(client, {}),
  "ImportSession HOOK_NOT_CONFIGURED": (scene) =>
    importOf(scene, { policy: written(summarizingPolicy({ hook: "nobody" })) }),
  "ImportSession PROMOTION_POLICY_MISSING": (scene) =>
    importOf(scene, { policy: written(bare([keepStage({ removedTo: RemovedTo.PROMOTE })])) }),
  "ImportSession UPLOAD_NOT_FOUND": ({ client }) =>
    failImport(client, { uploadId: "x", chunkIndex: 1 }),
  "ImportSession WINDOW_FULL": ({ client }) => {
    const messages = Array.from({ length: LIMITS.windowMessages + 1 }, () => ({ role: "user" }));
    const document = Buffer.from(JSON.stringify(messages));
    return failImport(client, { format: "lauren", document });
  },
  "ImportSession UPLOAD_LIMIT_REACHED": importTooMany,
};
