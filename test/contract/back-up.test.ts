// BackUp and CompactStore over a scripted copier: messages of the stream, limits, cancellation. The
// real copy is tested in test/e2e/back-up.test.ts and test/e2e/compaction.test.ts.

import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
  BackUpStep,
  BackUpTarget,
  CompactStoreStep,
} from "../../src/gen/memorysidecar/v1/admin_service.ts";
import type { StoreCopier } from "../../src/store/backup/copier.ts";
import type { CopyOptions } from "../../src/store/backup/copy-store.ts";
import { NO_TOTALS } from "../../src/store/verify/verify.ts";
import { startContractServer } from "../support/contract/client.ts";

const SHA256 = "a".repeat(64);

/** A copier that records how it was asked. */
function scripted(asked: CopyOptions[]): StoreCopier {
  const report = async (options: CopyOptions): Promise<void> => {
    asked.push(options);
    options.onProgress?.({ step: "copying", bytes: 1, totalBytes: 3 });
    await sleep(20);
  };
  return {
    stream: async (write, options) => {
      await report(options);
      for (const text of ["a", "b", "c"]) await write(Buffer.from(text));
      return { bytes: 3, sha256: SHA256 };
    },
    compact: async ({ onProgress }) => {
      onProgress({ step: "copying", bytes: 1, totalBytes: 3 });
      await sleep(20);
      onProgress({ step: "catching-up", bytes: 2, totalBytes: 2 });
      return { bytesBefore: 9, bytesAfter: 3, pauseMs: 1_250 };
    },
    directory: {
      newestStartMs: () => undefined,
      make: async (startMs, options) => {
        await report(options);
        options.onProgress?.({ step: "verifying", bytes: 3, totalBytes: 3 });
        const totals = { ...NO_TOTALS, sessions: 1, messages: 2, records: 9 };
        const made = { name: "20260105T090000000Z", storeId: "s", version: "1.0.0" };
        return { ...made, startMs, bytes: 3, sha256: SHA256, totals };
      },
    },
  };
}

async function startWith(copier: StoreCopier, bytesPerSecond = 0, everyMs = 0) {
  return await startContractServer({ backUps: { copier, everyMs, bytesPerSecond } });
}

describe("BackUp", () => {
  test("tells the progress, then the back-up in the directory", async () => {
    await using server = await startWith(scripted([]));
    const { chunks, failure } = await server.client.backUp({});
    expect(failure).toBeUndefined();
    const parts = chunks.map(({ part }) => part);
    const steps = parts.flatMap((part) => (part?.$case === "progress" ? [part.value] : []));
    expect(steps[0]).toEqual({ step: BackUpStep.COPYING, copiedBytes: 1n, totalBytes: 3n });
    expect(steps.at(-1)?.step).toBe(BackUpStep.VERIFYING);
    expect(parts.at(-1)).toMatchObject({
      $case: "backUp",
      value: {
        name: "20260105T090000000Z",
        sizeBytes: 3n,
        sha256: SHA256,
        content: { sessionCount: 1n, messageCount: 2n, recordCount: 9n },
      },
    });
  });

  test("streams the bytes in order to a caller who asks for them", async () => {
    await using server = await startWith(scripted([]));
    const { chunks } = await server.client.backUp({ target: BackUpTarget.STREAM });
    const parts = chunks.map(({ part }) => part);
    expect(parts.map((part) => part?.$case)).toEqual([
      ...["progress", "chunk", "chunk", "chunk", "backUp"],
    ]);
    const bytes = parts.flatMap((part) => (part?.$case === "chunk" ? [part.value] : []));
    expect(Buffer.concat(bytes).toString()).toBe("abc");
    const { storeId } = await server.client.call("getServerInfo");
    expect(parts.at(-1)).toMatchObject({
      value: { name: "", storeId, sizeBytes: 3n, content: undefined },
    });
  });

  test.each([
    [0n, 0, 0],
    [0n, 50, 50],
    [70n, 50, 50],
    [30n, 50, 30],
    [30n, 0, 30],
  ])("asked for %i bytes a second with a setting of %i copies %i", async (asked, set, used) => {
    const seen: CopyOptions[] = [];
    await using server = await startWith(scripted(seen), set);
    await server.client.backUp({ maxBytesPerSecond: asked });
    expect(seen.map(({ bytesPerSecond }) => bytesPerSecond)).toEqual([used]);
  });

  test("gives the copy up when the caller is gone, and takes the next one", async () => {
    const seen: CopyOptions[] = [];
    const copier = scripted(seen);
    let isFirst = true;
    await using server = await startWith({
      ...copier,
      stream: async (write, options) => {
        if (!isFirst) return await copier.stream(write, options);
        isFirst = false;
        return await new Promise((_, reject) => {
          options.signal?.addEventListener("abort", () => reject(new Error("given up")));
        });
      },
    });
    const request = { target: BackUpTarget.STREAM };
    const first = await server.client.backUp(request, { deadlineMs: 200 });
    expect(first.failure?.code).toBe("DEADLINE_EXCEEDED");
    await expect
      .poll(async () => (await server.client.backUp(request)).failure?.reason)
      .toBeUndefined();
  });

  test("runs on its schedule, counted from the newest, and again after a failure", async () => {
    const begun: number[] = [];
    const { directory, ...copier } = scripted([]);
    if (directory === undefined) throw new Error("no directory");
    const backUps = (startMs: number): StoreCopier => ({
      ...copier,
      directory: {
        newestStartMs: () => startMs,
        make: async (ms, options) => {
          begun.push(ms);
          if (begun.length === 1) throw new Error("The disk is full.");
          return await directory.make(ms, options);
        },
      },
    });
    await using early = await startWith(backUps(Date.now()), 0, 3_600_000);
    await sleep(100);
    expect(begun).toEqual([]);
    await using server = await startWith(backUps(Date.now() - 250), 0, 300);
    await expect.poll(() => begun.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(3);
    const gaps = begun.slice(1).map((ms, at) => ms - (begun[at] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(250);
    expect(early.log.join()).not.toContain("scheduled back-up");
    expect(server.log.join()).toContain("the scheduled back-up failed");
    expect(server.log.join()).toContain("the scheduled back-up is made");
  });
});

describe("CompactStore", () => {
  test("tells the progress, then the sizes and the pause", async () => {
    await using server = await startWith(scripted([]));
    const { chunks, failure } = await server.client.compactStore({});
    expect(failure).toBeUndefined();
    expect(chunks.map(({ part }) => part)).toEqual([
      {
        $case: "progress",
        value: { step: CompactStoreStep.COPYING, doneBytes: 1n, totalBytes: 3n },
      },
      {
        $case: "progress",
        value: { step: CompactStoreStep.CATCHING_UP, doneBytes: 2n, totalBytes: 2n },
      },
      {
        $case: "compaction",
        value: {
          sizeBytesBefore: 9n,
          sizeBytesAfter: 3n,
          writePause: { seconds: 1n, nanos: 250_000_000 },
        },
      },
    ]);
  });
});
