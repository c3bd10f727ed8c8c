// `memory-sidecar backup ADDRESS` and `compact ADDRESS`: ask a running server.

import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { Metadata, type ServiceDefinition, status } from "@grpc/grpc-js";
import {
  AdminServiceService,
  type BackUpResponse,
  BackUpTarget,
  type CompactStoreResponse,
  CompactStoreStep,
} from "../gen/memorysidecar/v1/admin_service.ts";
import { formatAddress, type ListenAddress } from "../grpc/address.ts";
import { firstToken } from "../kit/secret-access.ts";
import type { CompactProgress, ServedCompaction } from "../store/backup/compact.ts";
import type { CopiedFile, CopyProgress } from "../store/backup/copy-store.ts";
import { dial, type Trust, tlsProblem } from "./dial.ts";

/** A running server. */
export interface ServerAddress {
  readonly address: ListenAddress;
  /** A file whose first token is sent. */
  readonly tokenFile: string | undefined;
  /** With it the connection uses TLS. */
  readonly trust: Trust | undefined;
}

/** Writes a back-up of a running server to a new file. Throws when it is not complete. */
export async function fetchBackUp(
  server: ServerAddress,
  file: string,
  onProgress: (progress: CopyProgress) => void,
): Promise<CopiedFile> {
  const request = { target: BackUpTarget.STREAM, maxBytesPerSecond: 0n };
  const output = openSync(file, "wx", 0o600);
  try {
    const sum = createHash("sha256");
    let bytes = 0;
    let last: BackUpResponse["part"];
    for await (const { part } of ask<BackUpResponse>(server, "backUp", request)) {
      last = part;
      if (last?.$case === "progress") {
        const { copiedBytes, totalBytes } = last.value;
        onProgress({
          step: "copying",
          bytes: Number(copiedBytes),
          totalBytes: Number(totalBytes),
        });
      } else if (last?.$case === "chunk") {
        const chunk = last.value;
        sum.update(chunk);
        for (let at = 0; at < chunk.length; ) at += writeSync(output, chunk, at);
        bytes += chunk.length;
      }
    }
    fsyncSync(output);
    const sha256 = sum.digest("hex");
    if (last?.$case !== "backUp" || last.value.sha256 !== sha256) {
      throw new Error("The server ended the back-up before it was complete.");
    }
    return { bytes, sha256 };
  } finally {
    closeSync(output);
  }
}

const STEPS: Readonly<Record<number, CompactProgress["step"]>> = {
  [CompactStoreStep.COPYING]: "copying",
  [CompactStoreStep.VERIFYING]: "verifying",
  [CompactStoreStep.CATCHING_UP]: "catching-up",
};

/** Has a running server compact its store. Throws when it did not. */
export async function compactRunning(
  server: ServerAddress,
  onProgress: (progress: CompactProgress) => void,
): Promise<ServedCompaction> {
  for await (const { part } of ask<CompactStoreResponse>(server, "compactStore", {})) {
    if (part?.$case === "progress") {
      const { step, doneBytes, totalBytes } = part.value;
      const known = STEPS[step];
      if (known === undefined) continue;
      onProgress({ step: known, bytes: Number(doneBytes), totalBytes: Number(totalBytes) });
    } else if (part?.$case === "compaction") {
      const { sizeBytesBefore, sizeBytesAfter, writePause } = part.value;
      return {
        bytesBefore: Number(sizeBytesBefore),
        bytesAfter: Number(sizeBytesAfter),
        pauseMs: Number(writePause?.seconds ?? 0n) * 1_000 + (writePause?.nanos ?? 0) / 1e6,
      };
    }
  }
  throw new Error("The server ended the compaction before it was complete.");
}

/** The answers of a running server. */
async function* ask<A>(
  { address, tokenFile, trust }: ServerAddress,
  rpc: "backUp" | "compactStore",
  request: object,
): AsyncGenerator<A, void, undefined> {
  const metadata = new Metadata();
  if (tokenFile !== undefined) metadata.set("authorization", `Bearer ${firstToken(tokenFile)}`);
  const client = dial(address, trust);
  const service: ServiceDefinition = AdminServiceService;
  const { path = "", requestSerialize, responseDeserialize } = service[rpc] ?? {};
  if (requestSerialize === undefined || responseDeserialize === undefined) return;
  try {
    yield* client.makeServerStreamRequest(
      ...([path, requestSerialize, responseDeserialize, request, metadata] as const),
    ) as AsyncIterable<A>;
  } catch (error) {
    const isUnreached = (error as { code?: unknown }).code === status.UNAVAILABLE;
    const problem = isUnreached ? await tlsProblem(address, trust) : undefined;
    if (problem === undefined) throw error;
    throw new Error(`${formatAddress(address)}: ${problem}`, { cause: error });
  } finally {
    client.close();
  }
}
