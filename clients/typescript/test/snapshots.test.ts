// Reading, cutting into requests, and resending of snapshots.

import { Metadata, type ServerWritableStream, type ServiceError } from "@grpc/grpc-js";
import { afterEach, describe, expect, test } from "vitest";
import {
  type ExportSessionRequest,
  type ExportSessionResponse,
  type ImportSessionRequest,
  ImportSessionResponse,
} from "../src/gen/memorysidecar/v1/session_service.ts";
import { SnapshotChunk } from "../src/gen/memorysidecar/v1/snapshot.ts";
import { connect, type MemorySidecar, Status } from "../src/index.ts";
import { type FakeServer, fakeError, script, startFake } from "./fake-server.ts";

const FAST = { maxAttempts: 4, initialDelayMs: 5, maxDelayMs: 20 };
const MIB = 1_048_576;
const away = fakeError({ code: Status.UNAVAILABLE, reason: "SHUTTING_DOWN", retryDelayMs: 5 });
const forgotten = fakeError({ code: Status.NOT_FOUND, reason: "UPLOAD_NOT_FOUND" });

let server: FakeServer | undefined;
let client: MemorySidecar | undefined;

afterEach(() => {
  client?.close();
  server?.stop();
});

const header = SnapshotChunk.fromPartial({ header: { firstSeq: 1 } });

function messages(...sizes: number[]): SnapshotChunk {
  return SnapshotChunk.fromPartial({
    messages: sizes.map((size) => ({ text: "x".repeat(size) })),
  });
}

function piece(text: string): SnapshotChunk {
  return SnapshotChunk.fromPartial({ document: Buffer.from(text) });
}

type Step = readonly (SnapshotChunk | ServiceError)[];

/** A server whose exports go by steps, the last of which repeats. */
async function openExport(...steps: readonly Step[]) {
  const seen: ExportSessionRequest[] = [];
  const exportSession = (
    call: ServerWritableStream<ExportSessionRequest, ExportSessionResponse>,
  ): void => {
    const step = steps[Math.min(seen.length, steps.length - 1)] ?? [];
    seen.push(call.request);
    for (const answer of step) {
      if (answer instanceof Error) {
        call.emit("error", answer);
        return;
      }
      call.write({ chunk: answer });
    }
    if (step.length > 0) call.end(new Metadata());
  };
  server = await startFake({ sessions: { exportSession } });
  client = connect(server.address, { retry: FAST, namespace: "team" });
  return { client, seen };
}

type ImportAnswer = ServiceError | ((request: ImportSessionRequest) => ImportSessionResponse);

const take = (request: ImportSessionRequest): ImportSessionResponse =>
  ImportSessionResponse.fromPartial(
    request.more
      ? { uploadId: "u1", nextChunkIndex: request.chunkIndex + 1 }
      : { session: { sessionId: "made" } },
  );

async function openImport(...answers: readonly ImportAnswer[]) {
  const importSession = script<ImportSessionRequest, ImportSessionResponse>(...answers);
  server = await startFake({ sessions: { importSession } });
  client = connect(server.address, { retry: FAST });
  return { client, sent: () => importSession.seen.map(({ request }) => request) };
}

const documentOf = ({ chunk }: ImportSessionRequest): Buffer => chunk?.document ?? Buffer.alloc(0);

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail("the call must fail"),
    (error: unknown) => error,
  );
}

describe("exports", () => {
  test("give chunks, and are begun anew while none came", async () => {
    const { client, seen } = await openExport([away], [header, messages(1)]);
    const chunks: SnapshotChunk[] = [];
    for await (const chunk of client.exportSession("s")) chunks.push(chunk);
    expect(chunks).toEqual([header, messages(1)]);
    expect(seen).toHaveLength(2);
    expect(seen[1]).toEqual({
      namespace: "team",
      sessionId: "s",
      format: "native",
    });
  });

  test("are not begun anew after a chunk", async () => {
    const { client, seen } = await openExport([header, away]);
    const chunks = client.exportSession("s");
    expect((await chunks.next()).value).toEqual(header);
    expect(await failure(chunks.next())).toMatchObject({ reason: "SHUTTING_DOWN" });
    expect(seen).toHaveLength(1);
  });

  test("end with their time, with their signal, and when they are left", async () => {
    const { client } = await openExport([]);
    const late = client.exportSession("s", { timeoutMs: 50 });
    expect(await failure(late.next())).toMatchObject({ code: Status.DEADLINE_EXCEEDED });
    const reason = new Error("changed my mind");
    const controller = new AbortController();
    const cancelled = client.exportSession("s", { signal: controller.signal }).next();
    setTimeout(() => controller.abort(reason), 20);
    expect(await failure(cancelled)).toBe(reason);
    const closed = client.exportSession("s").next();
    setTimeout(() => client.close(), 20);
    expect(await failure(closed)).toMatchObject({ code: Status.CANCELLED });
    const { client: other } = await openExport([header, header, header]);
    for await (const chunk of other.exportSession("s")) {
      expect(chunk).toEqual(header);
      break;
    }
  });

  test("put a document together", async () => {
    const { client, seen } = await openExport([piece('{"a":'), piece("1}")]);
    expect((await client.exportDocument("s", "lauren")).toString()).toBe('{"a":1}');
    expect(seen[0]?.format).toBe("lauren");
  });
});

describe("imports", () => {
  test("send a snapshot of one chunk at once", async () => {
    const { client, sent } = await openImport(take);
    const options = { sessionId: "new", replace: true };
    const chunk = { ...header, messages: messages(1, 2).messages };
    const made = await client.importSession([chunk], options);
    expect(made.sessionId).toBe("made");
    expect(sent()).toHaveLength(1);
    expect(sent()[0]).toMatchObject({ ...options, more: false, uploadId: "", chunkIndex: 0 });
    expect(sent()[0]?.chunk).toEqual(chunk);
  });

  test("send the chunks of an export as they came", async () => {
    const { client, sent } = await openImport(take);
    const sizes = Array.from({ length: 3 }, () => 300_000);
    const source = [header, messages(...sizes), messages(1_040_000), messages(5)];
    await client.importSession(source.values(), { requestId: "r" });
    expect(sent().map(({ chunk }) => chunk)).toEqual(source);
    expect(sent().map((request) => request.chunkIndex)).toEqual([0, 1, 2, 3]);
    expect(sent().map((request) => request.uploadId)).toEqual(["", "u1", "u1", "u1"]);
    expect(sent().map((request) => request.more)).toEqual([true, true, true, false]);
    expect(new Set(sent().map((request) => request.requestId))).toEqual(new Set(["r"]));
  });

  test("cut a document, in whatever form it is given", async () => {
    const { client, sent } = await openImport(take);
    const whole = `"${"x".repeat(2 * MIB)}"`;
    await client.importSession(whole, { format: "lauren" });
    expect(Buffer.concat(sent().map(documentOf)).toString()).toBe(whole);
    expect(sent().map((request) => documentOf(request).length)).toEqual([MIB, MIB, 2]);
    const newest = (): string => sent().map(documentOf).at(-1)?.toString() ?? "";
    await client.importSession(Buffer.from("[]"), { format: "definable" });
    expect(newest()).toBe("[]");
    await client.importSession({ a: ["café"] }, { format: "selectools" });
    expect(newest()).toBe('{"a":["café"]}');
    await client.importSession([{ role: "user" }], { format: "definable" });
    expect(newest()).toBe('[{"role":"user"}]');
    await client.importSession([piece("[]")], { format: "definable" });
    expect(newest()).toBe("[]");
  });

  test("send a chunk again", async () => {
    const { client, sent } = await openImport(take, away, take);
    await client.importSession([header, messages(900_000, 900_000)].values());
    expect(sent().map((request) => request.chunkIndex)).toEqual([0, 1, 1]);
    expect(sent()[1]).toEqual(sent()[2]);
  });

  test("start again when the server forgot the upload and the snapshot is still there", async () => {
    const snapshot = [header, messages(900_000, 900_000)];
    const { client, sent } = await openImport(take, forgotten, take);
    expect((await client.importSession(snapshot)).sessionId).toBe("made");
    expect(sent().map((request) => request.chunkIndex)).toEqual([0, 1, 0, 1]);
    expect(new Set(sent().map((request) => request.requestId)).size).toBe(1);
    client.close();
    const other = await openImport(take, forgotten, take);
    const once = other.client.importSession(snapshot.values());
    expect(await failure(once)).toMatchObject({ reason: "UPLOAD_NOT_FOUND" });
  });
});
