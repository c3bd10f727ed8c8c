// Values that adapters upload before the call that puts them, when an upload or the call fails.

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectNoUploads, recordUploads } from "../../../test/support/integrations/uploads.ts";
import { makeTempDir, type TempDir } from "../../../test/support/kit/temp-dir.ts";
import { type RunningServer, startServer } from "../../../test/support/process/server.ts";
import { uploadAll, write } from "../src/adapters/index.ts";
import type { MemorySidecar } from "../src/client.ts";
import { connect, MemorySidecarError, Status } from "../src/index.ts";
import { type FakeError, fakeError } from "./fake-server.ts";

const LARGE = "a".repeat(3_500_000);
const PATH = ["adapter"];
let directory: TempDir;
let server: RunningServer;
let client: MemorySidecar;

beforeAll(async () => {
  directory = await makeTempDir();
  server = await startServer({ dataDir: `${directory.path}/data` });
});

afterAll(async () => {
  client?.close();
  await server?.stop();
  await directory?.[Symbol.asyncDispose]();
});

function connected(): MemorySidecar {
  client?.close();
  client = connect(server.address, { namespace: `t-${randomUUID()}` });
  return client;
}

function failure(error: FakeError): MemorySidecarError {
  return new MemorySidecarError(fakeError(error), "/none");
}

function puts(owner?: { readonly userId: string }) {
  return ["a", "b"].map((key) => ({ put: { path: PATH, key, value: LARGE, owner } }));
}

const FAILURES = {
  UNAVAILABLE: failure({ code: Status.UNAVAILABLE, reason: "SHUTTING_DOWN" }),
  CANCELLED: failure({ code: Status.CANCELLED }),
  "a deadline": failure({ code: Status.DEADLINE_EXCEEDED }),
  "a refusal": failure({ code: Status.RESOURCE_EXHAUSTED, reason: "UPLOAD_LIMIT_REACHED" }),
  "any error": new Error("no"),
};

test.for(Object.entries(FAILURES))(
  "leaves no upload when the next ends with %s",
  async ([, error]) => {
    const own = connected();
    const uploads = recordUploads(own, (count) => {
      if (count % 2 === 0) throw error;
    });
    const owner = { userId: "ana" };
    await expect(write(own, puts(owner))).rejects.toBe(error);
    await expect(uploadAll(own, [Buffer.from("a"), Buffer.from("b")], owner)).rejects.toBe(error);
    expect(uploads).toHaveLength(4);
    await expectNoUploads(
      own,
      uploads.filter((_, index) => index % 2 === 0),
    );
  },
);

test("leaves no upload when the server refuses its owner", async () => {
  const own = connected();
  const uploads = recordUploads(own);
  const owner = { userId: "a".repeat(513) };
  await expect(write(own, puts(owner))).rejects.toThrow(/owner/);
  expect(uploads).toHaveLength(2);
  await expectNoUploads(own, uploads);
});

test.for([
  failure({ code: Status.UNAVAILABLE }),
  failure({ code: Status.RESOURCE_EXHAUSTED, reason: "STORE_FULL" }),
])("throws the first error when uploads cannot be deleted", async (error) => {
  const own = connected();
  const uploads = recordUploads(own);
  const refusal = failure({ code: Status.INVALID_ARGUMENT, reason: "REQUEST_INVALID" });
  const ends = [refusal, error, error];
  const met: unknown[] = [];
  own.writeRecords = async () => {
    met.push(ends[met.length]);
    throw met.at(-1);
  };
  await expect(write(own, puts())).rejects.toBe(refusal);
  expect(uploads).toHaveLength(2);
  // One that does not answer is not asked again.
  expect(met).toEqual(ends.slice(0, error.reason === "" ? 2 : 3));
});
