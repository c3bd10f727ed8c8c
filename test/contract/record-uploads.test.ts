// Goal: values that are too large for one call, through the contract: how they are sent, put and
// read.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RecordOperation } from "../../src/gen/memorysidecar/v1/record.ts";
import { checksum } from "../../src/kit/checksum.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { times } from "../support/contract/limits.ts";
import { named, nameOf, putOf, recordScene } from "../support/contract/record-scene.ts";
import { message, recordRange } from "../support/contract/samples.ts";

let server: TestServer;
let namespaces = 0;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const scene = () => recordScene(server, `u${++namespaces}`);

describe("a value in parts", () => {
  /** Uploads parts, one after another; gives the last answer. */
  async function upload(namespace: string, uploadId: string, ...parts: readonly Buffer[]) {
    let answer = { size: 0n, crc32: 0 };
    for (const data of parts) {
      const request = { namespace, uploadId, offset: answer.size, data };
      answer = await server.client.call("uploadRecordPart", request);
    }
    return answer;
  }

  const letters = (length: number) => Buffer.from(times(length, (at) => 97 + (at % 26)));

  test("is put as a whole, and read in ranges", async () => {
    const { get, namespace, put } = scene();
    const value = letters(LIMITS.recordValueBytes + 1_000);
    const half = value.length / 2;
    await put("p/a", { value: Buffer.from("old") });
    const sent = await upload(namespace, "u", value.subarray(0, half), value.subarray(half));
    expect(sent).toMatchObject({ size: BigInt(value.length), crc32: checksum(value) });
    expect((await get("p/a"))?.value.toString()).toBe("old");
    const content = { value: Buffer.alloc(0), uploadId: "u", valueCrc32: checksum(value) };
    const { outcome, revision } = await put("p/a", { ...content, mediaType: "text/plain" });
    expect([outcome?.version, revision]).toEqual([2n, 2n]);
    const { etag = "" } = outcome ?? {};
    const first = await get("p/a", { valueLimit: 2_000_000n, etag });
    expect(first).toMatchObject({
      ...{ valueSize: BigInt(value.length), valueCrc32: checksum(value), uploadId: "" },
      mediaType: "text/plain",
    });
    const rest = await get("p/a", { valueOffset: 2_000_000n, etag });
    expect(
      Buffer.concat([first?.value ?? "", rest?.value ?? ""].map(Buffer.from)).equals(value),
    ).toBe(true);
    expect((await get("p/a", { valueOffset: BigInt(value.length + 5) }))?.value.length).toBe(0);
    expect((await get("p/a", { omitValue: true, valueOffset: 1n }))?.value.length).toBe(0);
  });

  test("does not come whole where it is too large", async () => {
    const { fail, namespace, put } = scene();
    const part = Buffer.alloc(LIMITS.recordValueBytes);
    await upload(namespace, "u", part, part);
    await put("p/a", { value: Buffer.alloc(0), uploadId: "u" });
    await put("p/b");
    expect(await fail("p/a")).toMatchObject({
      ...{ code: "FAILED_PRECONDITION", reason: "RECORD_VALUE_TOO_LARGE" },
      metadata: { limit: `${part.length}`, size: `${2 * part.length}` },
    });
    expect((await fail("p/a", { valueOffset: 9n })).reason).toBe("RECORD_VALUE_TOO_LARGE");
    const range = recordRange({ path: ["p"] });
    const page = await server.client.call("listRecords", { namespace, range, includeValues: true });
    expect(page.records.map(({ value, valueSize }) => [value.length, valueSize])).toEqual([
      [0, BigInt(2 * part.length)],
      [3, 3n],
    ]);
    const { results } = await server.client.call("batchGetRecords", {
      ...{ namespace, records: [nameOf("p/a"), nameOf("p/b")] },
    });
    expect(results.map(({ valueOmitted }) => valueOmitted)).toEqual([true, false]);
  });

  test("is taken by one put only, which may be one of several or of an append", async () => {
    const { get, namespace, put, write } = scene();
    await upload(namespace, "u", Buffer.from("one"));
    await upload(namespace, "v", Buffer.from("two"));
    const uploaded = (name: string, uploadId: string): RecordOperation => {
      const of = named(name, { value: Buffer.alloc(0), uploadId });
      return { operation: { $case: "put", value: { record: of, precondition: undefined } } };
    };
    const operations = [uploaded("p/a", "u"), uploaded("p/b", "none")];
    expect(await server.client.fail("writeRecords", { namespace, operations })).toMatchObject({
      ...{ reason: "UPLOAD_NOT_FOUND", metadata: { upload_id: "none", operation: "1" } },
    });
    await write([uploaded("p/a", "u"), putOf("p/b")], { requestId: "r" });
    await write([uploaded("p/a", "u"), putOf("p/b")], { requestId: "r" });
    const again = { namespace, record: named("p/c", { value: Buffer.alloc(0), uploadId: "u" }) };
    expect((await server.client.fail("putRecord", again)).reason).toBe("UPLOAD_NOT_FOUND");
    await server.client.call("appendMessages", {
      ...{ namespace, sessionId: "s", createSession: true, messages: [message({ text: "hi" })] },
      recordOperations: [uploaded("p/b", "v")],
    });
    const texts = [await get("p/a"), await get("p/b")].map((one) => one?.value.toString());
    expect(texts).toEqual(["one", "two"]);
    await put("p/a");
    expect((await get("p/a"))?.valueCrc32).toBe(undefined);
  });

  test("takes its newest part twice, and no other part", async () => {
    const { namespace } = scene();
    const [one, two] = [Buffer.from("one"), Buffer.from("two")];
    const sent = await upload(namespace, "u", one, two);
    const call = { namespace, uploadId: "u" };
    const again = await server.client.call("uploadRecordPart", { ...call, offset: 3n, data: two });
    expect(again).toEqual(sent);
    const wrong = [
      { offset: 0n, data: one },
      { offset: 3n, data: one },
      { offset: 7n, data: two },
    ];
    for (const part of wrong) {
      expect(await server.client.fail("uploadRecordPart", { ...call, ...part })).toMatchObject({
        ...{ code: "ABORTED", reason: "UPLOAD_OFFSET_MISMATCH" },
        metadata: { upload_id: "u", size: "6" },
      });
    }
    const elsewhere = { ...call, namespace: scene().namespace, offset: 6n, data: two };
    expect((await server.client.fail("uploadRecordPart", elsewhere)).metadata["size"]).toBe("0");
  });

  test("ends an hour after its last part", async () => {
    const { namespace } = scene();
    await upload(namespace, "u", Buffer.from("one"));
    // The clock of the server goes on by itself, too.
    server.advance(LIMITS.recordUploadMs - 60_000);
    const { expireTime } = await server.client.call("uploadRecordPart", {
      ...{ namespace, uploadId: "u", offset: 3n, data: Buffer.from("two") },
    });
    expect(expireTime).toBeDefined();
    server.advance(LIMITS.recordUploadMs);
    const put = { namespace, record: named("p/a", { value: Buffer.alloc(0), uploadId: "u" }) };
    expect((await server.client.fail("putRecord", put)).reason).toBe("UPLOAD_NOT_FOUND");
    expect((await upload(namespace, "u", Buffer.from("anew"))).size).toBe(4n);
  });
});
