// Provokes the failures of BackUp and CompactStore.

import type { AppSettings } from "../../../../src/app.ts";
import { BackUpTarget } from "../../../../src/gen/memorysidecar/v1/admin_service.ts";
import type { StoreCopier } from "../../../../src/store/backup/copier.ts";
import { type Failure, startContractServer, type TestClient } from "../client.ts";
import type { Ways } from "./scene.ts";

const STREAM = { target: BackUpTarget.STREAM };

type End = (_: unknown, options: { readonly signal: AbortSignal }) => Promise<never>;

/** A copier whose copies end as `end` says. */
function copierOf(end: End): StoreCopier {
  return {
    stream: end,
    directory: { newestStartMs: () => undefined, make: end },
    compact: (options) => end(undefined, options),
  };
}

/** A copy that ends only when it is given up. */
const untilGivenUp: End = (_, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("The copy was given up.")));
  });

type Work = (client: TestClient, deadlineMs: number) => Promise<{ failure: Failure | undefined }>;

const backUp: Work = (client, deadlineMs) => client.backUp(STREAM, { deadlineMs });
const compact: Work = (client, deadlineMs) => client.compactStore({}, { deadlineMs });

/** Fails while other work on the store is under way. */
async function failBeside(
  other: Work,
  work: Work,
  settings: Partial<AppSettings> = {},
): Promise<Failure | undefined> {
  const backUps = { copier: copierOf(untilGivenUp), everyMs: 0, bytesPerSecond: 0 };
  await using server = await startContractServer({ backUps, settings });
  const first = other(server.client, 2_000);
  for (;;) {
    const { failure } = await work(server.client, 500);
    if (failure?.reason.endsWith("_RUNNING") || failure?.reason === "STREAM_LIMIT_REACHED") {
      await first;
      return failure;
    }
  }
}

/** Fails when the disk is full. */
async function failFull(work: Work): Promise<Failure | undefined> {
  const full = copierOf(() => Promise.reject(new Error("The disk is full.")));
  const backUps = { copier: full, everyMs: 0, bytesPerSecond: 0 };
  await using server = await startContractServer({ backUps });
  return (await work(server.client, 10_000)).failure;
}

/** The failures of BackUp and CompactStore. */
export const BACK_UP_WAYS: Ways = {
  "BackUp BACK_UP_NOT_CONFIGURED": async ({ client }) => (await client.backUp({})).failure,
  "BackUp BACK_UP_FAILED": () => failFull(backUp),
  "BackUp BACK_UP_RUNNING": () => failBeside(backUp, backUp),
  "BackUp COMPACTION_RUNNING": () => failBeside(compact, backUp),
  "BackUp STREAM_LIMIT_REACHED": () => failBeside(backUp, backUp, { watchStreamsMax: 1 }),
  "CompactStore COMPACTION_FAILED": () => failFull(compact),
  "CompactStore COMPACTION_RUNNING": () => failBeside(compact, compact),
  "CompactStore BACK_UP_RUNNING": () => failBeside(backUp, compact),
  "CompactStore STREAM_LIMIT_REACHED": () => failBeside(backUp, compact, { watchStreamsMax: 1 }),
};
