// Provokes the failures of BackUp.

import type { AppSettings } from "../../../../src/app.ts";
import { BackUpTarget } from "../../../../src/gen/memorysidecar/v1/admin_service.ts";
import type { StoreCopier } from "../../../../src/store/backup/copier.ts";
import { type Failure, startContractServer } from "../client.ts";
import type { Ways } from "./scene.ts";

const STREAM = { target: BackUpTarget.STREAM };

type End = (_: unknown, options: { readonly signal: AbortSignal }) => Promise<never>;

/** A copier whose copies end as `end` says. */
function copierOf(end: End): StoreCopier {
  return { stream: end, directory: { newestStartMs: () => undefined, make: end } };
}

/** A copy that ends only when it is given up. */
const untilGivenUp: End = (_, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("The copy was given up.")));
  });

/** Fails while another back-up is under way. */
async function failBeside(settings: Partial<AppSettings>): Promise<Failure | undefined> {
  const backUps = { copier: copierOf(untilGivenUp), everyMs: 0, bytesPerSecond: 0 };
  await using server = await startContractServer({ backUps, settings });
  const first = server.client.backUp(STREAM, { deadlineMs: 2_000 });
  for (;;) {
    const { failure } = await server.client.backUp({}, { deadlineMs: 500 });
    if (failure?.reason === "BACK_UP_RUNNING" || failure?.reason === "STREAM_LIMIT_REACHED") {
      await first;
      return failure;
    }
  }
}

/** The failures of BackUp. */
export const BACK_UP_WAYS: Ways = {
  "BackUp BACK_UP_NOT_CONFIGURED": async ({ client }) => (await client.backUp({})).failure,
  "BackUp BACK_UP_FAILED": async () => {
    const full = copierOf(() => Promise.reject(new Error("The disk is full.")));
    const backUps = { copier: full, everyMs: 0, bytesPerSecond: 0 };
    await using server = await startContractServer({ backUps });
    return (await server.client.backUp({})).failure;
  },
  "BackUp BACK_UP_RUNNING": () => failBeside({}),
  "BackUp STREAM_LIMIT_REACHED": () => failBeside({ watchStreamsMax: 1 }),
};
