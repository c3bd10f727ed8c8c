import type { StreamRpc } from "../edge/rpc.ts";
import {
  type BackUpRequest,
  BackUpResponse,
  BackUpStep,
  BackUpTarget,
} from "../gen/memorysidecar/v1/admin_service.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { toTimestamp } from "../grpc/time.ts";
import type { CopyProgress } from "../store/backup/copy-store.ts";
import type { MadeBackUp } from "./back-ups.ts";

/** A share of the exports of its own; no namespace has this name. */
const ALL_NAMESPACES = "";

/** BackUp. Copies as fast as the reader takes the bytes, and no faster. */
export const backUp: StreamRpc<BackUpRequest> = {
  stream: ({ services, exports }, call, { maxBytesPerSecond, target }, answers) =>
    exports.run(ALL_NAMESPACES, answers, async (send) => {
      // Answers are sent one after another; progress that comes meanwhile replaces what waits.
      let waiting: CopyProgress | undefined;
      let sending: Promise<void> | undefined;
      const sendWaiting = async (): Promise<void> => {
        while (waiting !== undefined) {
          const answer = progressAnswer(waiting);
          waiting = undefined;
          await send(answer);
        }
      };
      const isStream = target === BackUpTarget.STREAM;
      const made = await services.admin.backUp(call, {
        bytesPerSecond: Number(maxBytesPerSecond),
        onProgress: (progress) => {
          waiting = progress;
          if (isStream) return;
          sending = (sending ?? Promise.resolve()).then(sendWaiting);
          // Thrown below, where it is awaited.
          sending.catch(() => undefined);
        },
        write: isStream
          ? async (chunk) => {
              await sendWaiting();
              await send(
                encodeWire(BackUpResponse, { part: { $case: "chunk", value: Buffer.from(chunk) } }),
              );
            }
          : undefined,
      });
      await sending;
      await sendWaiting();
      await send(madeAnswer(made));
    }),
};

const STEPS = {
  copying: BackUpStep.COPYING,
  verifying: BackUpStep.VERIFYING,
} as const;

function progressAnswer({ step, bytes, totalBytes }: CopyProgress): Uint8Array {
  const value = {
    step: STEPS[step],
    copiedBytes: BigInt(bytes),
    totalBytes: BigInt(totalBytes),
  };
  return encodeWire(BackUpResponse, { part: { $case: "progress", value } });
}

function madeAnswer({ totals, startMs, endMs, bytes, ...made }: MadeBackUp): Uint8Array {
  const content = totals && {
    sessionCount: BigInt(totals.sessions),
    messageCount: BigInt(totals.messages),
    eventCount: BigInt(totals.events),
    documentCount: BigInt(totals.documents),
    memoryCount: BigInt(totals.memories),
    recordCount: BigInt(totals.records),
  };
  const value = {
    name: made.name,
    storeId: made.storeId,
    startTime: toTimestamp(startMs),
    endTime: toTimestamp(endMs),
    sizeBytes: BigInt(bytes),
    sha256: made.sha256,
    content,
  };
  return encodeWire(BackUpResponse, { part: { $case: "backUp", value } });
}
