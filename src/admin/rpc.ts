import type { StreamRpc, UnaryRpc } from "../edge/rpc.ts";
import {
  type BackUpRequest,
  BackUpResponse,
  BackUpStep,
  BackUpTarget,
  type CompactStoreRequest,
  CompactStoreResponse,
  CompactStoreStep,
  type ListNamespacesRequest,
  ListNamespacesResponse,
} from "../gen/memorysidecar/v1/admin_service.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { pageLimit } from "../grpc/page-token.ts";
import { toDuration, toTimestamp } from "../grpc/time.ts";
import type { CopyProgress } from "../store/backup/copy-store.ts";
import type { MadeBackUp } from "./back-ups.ts";

const NAMESPACES_DEFAULT = 100;

/** ListNamespaces. The position of a page token is the last name of the page before. */
export const listNamespaces: UnaryRpc<ListNamespacesRequest> = {
  handle: async ({ services, pageTokens }, call, { pageSize, pageToken }) => {
    const after = pageTokens.read(call, pageToken, String) ?? "";
    const limit = pageLimit(pageSize, NAMESPACES_DEFAULT);
    const found = await services.admin.listNamespaces(call, after, limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return encodeWire(ListNamespacesResponse, {
      namespaces: page.map(({ namespace, revision }) => ({
        namespace,
        revision: BigInt(revision),
      })),
      nextPageToken: pageTokens.make(call, last?.namespace),
    });
  },
};

/** A share of the exports of its own; no namespace has this name. */
const ALL_NAMESPACES = "";

/** BackUp. Copies as fast as the reader takes the bytes, and no faster. */
export const backUp: StreamRpc<BackUpRequest> = {
  stream: ({ services, exports }, call, { maxBytesPerSecond, target }, answers) =>
    exports.run(ALL_NAMESPACES, answers, async (send) => {
      const progress = new ProgressSender(send);
      const isStream = target === BackUpTarget.STREAM;
      const made = await services.admin.backUp(call, {
        bytesPerSecond: Number(maxBytesPerSecond),
        onProgress: (news) => {
          progress.replace(backUpProgress(news));
          if (!isStream) progress.start();
        },
        write: isStream
          ? async (chunk) => {
              await progress.flush();
              await send(
                encodeWire(BackUpResponse, { part: { $case: "chunk", value: Buffer.from(chunk) } }),
              );
            }
          : undefined,
      });
      await progress.flush();
      await send(madeAnswer(made));
    }),
};

/** CompactStore. A caller that takes no progress does not hold it up. */
export const compactStore: StreamRpc<CompactStoreRequest> = {
  stream: ({ services, exports }, call, _, answers) =>
    exports.run(ALL_NAMESPACES, answers, async (send) => {
      const progress = new ProgressSender(send);
      const made = await services.admin.compactStore(call, ({ step, bytes, totalBytes }) => {
        const [doneBytes, whole] = [BigInt(bytes), BigInt(totalBytes)];
        const value = { step: COMPACT_STEPS[step], doneBytes, totalBytes: whole };
        progress.replace(encodeWire(CompactStoreResponse, { part: { $case: "progress", value } }));
        progress.start();
      });
      await progress.flush();
      const value = {
        sizeBytesBefore: BigInt(made.bytesBefore),
        sizeBytesAfter: BigInt(made.bytesAfter),
        writePause: toDuration(made.pauseMs),
      };
      await send(encodeWire(CompactStoreResponse, { part: { $case: "compaction", value } }));
    }),
};

const COMPACT_STEPS = {
  copying: CompactStoreStep.COPYING,
  verifying: CompactStoreStep.VERIFYING,
  "catching-up": CompactStoreStep.CATCHING_UP,
} as const;

/** Sends answers one after another; one that comes meanwhile replaces the one that waits. */
class ProgressSender {
  readonly #send: (answer: Uint8Array) => Promise<void>;
  #waiting: Uint8Array | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(send: (answer: Uint8Array) => Promise<void>) {
    this.#send = send;
  }

  /** Has an answer wait for `start` or `flush`. */
  replace(answer: Uint8Array): void {
    this.#waiting = answer;
  }

  start(): void {
    this.#sending = this.#sending.then(() => this.#sendWaiting());
    // Thrown by `flush`.
    this.#sending.catch(() => undefined);
  }

  async flush(): Promise<void> {
    await this.#sending;
    await this.#sendWaiting();
  }

  async #sendWaiting(): Promise<void> {
    while (this.#waiting !== undefined) {
      const answer = this.#waiting;
      this.#waiting = undefined;
      await this.#send(answer);
    }
  }
}

const STEPS = {
  copying: BackUpStep.COPYING,
  verifying: BackUpStep.VERIFYING,
} as const;

function backUpProgress({ step, bytes, totalBytes }: CopyProgress): Uint8Array {
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
