import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Call } from "../../kit/call.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { ImportChunk } from "./api.ts";
import { digestWith, type Upload, Uploads } from "./uploads.ts";

const call = (writer = "local"): Call => ({
  method: "ImportSession",
  requestId: "",
  digest: "",
  writer,
  signal: new AbortController().signal,
});

const chunk: ImportChunk = {
  namespace: "default",
  sessionId: "s",
  format: "lauren",
  replace: false,
  uploadId: "",
  chunkIndex: 0,
  more: true,
  content: { kind: "document", bytes: new Uint8Array(0) },
  encode: () => new Uint8Array(0),
};

let fill = 0;
const random = (length: number) => {
  fill += 1;
  return new Uint8Array(length).fill(fill);
};

const never = () => false;
const nothing = async (): Promise<void> => {};

/** An upload of a native snapshot, and whether it was given up. */
function withLog(upload: Upload): { abandoned: number } {
  const log = { abandoned: 0 };
  upload.native = { abandon: () => log.abandoned++ } as never;
  return log;
}

const missing = { reason: "UPLOAD_NOT_FOUND" };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("an upload", () => {
  test("is given up when nothing comes of it for 10 minutes", async () => {
    const uploads = new Uploads(random);
    const upload = uploads.start(call(), chunk);
    const log = withLog(upload);
    vi.advanceTimersByTime(LIMITS.uploadIdleMs - 1);
    await uploads.take(call(), upload.id, nothing, never);
    vi.advanceTimersByTime(LIMITS.uploadIdleMs - 1);
    expect(log.abandoned).toBe(0);
    vi.advanceTimersByTime(1);
    expect(log.abandoned).toBe(1);
    await expect(uploads.take(call(), upload.id, nothing, never)).rejects.toMatchObject(missing);
  });

  test("is not given up while a chunk of it is taken", async () => {
    const uploads = new Uploads(random);
    const upload = uploads.start(call(), chunk);
    const log = withLog(upload);
    let end = (): void => {};
    const slow = uploads.take(
      call(),
      upload.id,
      () => new Promise<void>((resolve) => (end = resolve)),
      never,
    );
    await Promise.resolve();
    vi.advanceTimersByTime(2 * LIMITS.uploadIdleMs);
    expect(log.abandoned).toBe(0);
    end();
    await slow;
  });

  test("takes its chunks one after the other", async () => {
    const uploads = new Uploads(random);
    const { id } = uploads.start(call(), chunk);
    const steps: string[] = [];
    const step = (name: string) => async () => {
      steps.push(`${name} begins`);
      await Promise.resolve();
      steps.push(`${name} ends`);
    };
    const both = ["a", "b"].map((name) => uploads.take(call(), id, step(name), never));
    await Promise.all(both);
    expect(steps).toEqual(["a begins", "a ends", "b begins", "b ends"]);
  });

  test("ends with a failure, unless that took nothing", async () => {
    const uploads = new Uploads(random);
    const upload = uploads.start(call(), chunk);
    const log = withLog(upload);
    const fail = () => Promise.reject(new RangeError("no"));
    await expect(uploads.take(call(), upload.id, fail, () => true)).rejects.toThrow(RangeError);
    await uploads.take(call(), upload.id, nothing, never);
    const next = uploads.take(call(), upload.id, fail, never);
    const behind = uploads.take(call(), upload.id, nothing, never);
    await expect(next).rejects.toThrow(RangeError);
    await expect(behind).rejects.toMatchObject(missing);
    expect(log.abandoned).toBe(1);
  });

  test("is held by nothing once it is finished or given up", async () => {
    const uploads = new Uploads(random);
    const first = uploads.start(call(), chunk);
    const finish = async (upload: Upload) => uploads.finish(upload, undefined);
    await uploads.take(call(), first.id, finish, never);
    expect(vi.getTimerCount()).toBe(0);
    const second = uploads.start(call(), chunk);
    await uploads.take(call(), second.id, async () => uploads.close(), never);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("is its caller's alone", async () => {
    const uploads = new Uploads(random);
    const { id } = uploads.start(call("one"), chunk);
    await expect(uploads.take(call("two"), id, nothing, never)).rejects.toMatchObject(missing);
    await uploads.take(call("one"), id, nothing, never);
  });

  test("is remembered with its last chunk, for a while", () => {
    const uploads = new Uploads(random);
    const first = uploads.start(call(), chunk);
    const log = withLog(first);
    uploads.finish(first, "1");
    expect(log.abandoned).toBe(1);
    const last = { ...chunk, uploadId: first.id };
    expect(uploads.finished(call(), last)?.digest).toBe("1");
    expect(uploads.finished(call("two"), last)).toBeUndefined();
    expect(uploads.finished(call(), { ...last, chunkIndex: 1 })).toBeUndefined();
    for (let n = 0; n < 64; n++) uploads.finish(uploads.start(call(), chunk), undefined);
    expect(uploads.finished(call(), last)).toBeUndefined();
  });
});

describe("all uploads", () => {
  test("are so many and hold so much, and no more", () => {
    const uploads = new Uploads(random);
    const start = (namespace: string) => uploads.start(call(), { ...chunk, namespace });
    const started = Array.from({ length: 6 }, () => start("many"));
    expect(() => start("many")).toThrow(/6 open uploads/);
    const [two, three] = [start("two"), start("three")];
    expect(() => start("four")).toThrow(/8 open uploads/);
    const piece = new Uint8Array(LIMITS.snapshotDocumentBytes);
    const [one] = started as [Upload];
    uploads.addPiece(one, piece);
    uploads.addPiece(two, piece);
    expect(() => uploads.addPiece(one, Uint8Array.of(1))).toThrow(/33554432/);
    expect(() => uploads.addPiece(three, Uint8Array.of(1))).toThrow(/67108864/);
    uploads.abandon(one);
    uploads.addPiece(three, Uint8Array.of(1));
    start("four");
  });

  test("hold their documents until they end, read or not", () => {
    const uploads = new Uploads(random);
    const piece = new Uint8Array(LIMITS.snapshotDocumentBytes);
    const inOwn = (namespace: string) => ({ ...chunk, namespace });
    const started = ["a", "b"].map((namespace) => uploads.start(call(), inOwn(namespace)));
    for (const upload of started) uploads.addPiece(upload, piece);
    const [one, two] = started as [Upload, Upload];
    expect(uploads.takeDocument(one).length).toBe(piece.length);
    const third = uploads.single(call(), inOwn("c"));
    expect(() => uploads.addPiece(third, Uint8Array.of(1))).toThrow(/67108864/);
    uploads.finish(one, undefined);
    uploads.addPiece(third, Uint8Array.of(1));
    uploads.abandon(two);
    uploads.abandon(third);
    for (const namespace of ["a", "b"]) {
      uploads.addPiece(uploads.start(call(), inOwn(namespace)), piece);
    }
  });

  test("end with the server", () => {
    const uploads = new Uploads(random);
    const logs = [1, 2].map(() => withLog(uploads.start(call(), chunk)));
    uploads.close();
    expect(logs.map(({ abandoned }) => abandoned)).toEqual([1, 1]);
    expect(() => uploads.start(call(), chunk)).toThrow(/stopping/);
  });
});

describe("a digest over chunks", () => {
  test("depends on each of them and on their order", () => {
    const [a, b] = ["1", "2"] as const;
    const ab = digestWith(digestWith(undefined, a), b);
    expect(digestWith(undefined, a)).toBe(a);
    expect(digestWith(digestWith(undefined, a), b)).toBe(ab);
    expect(digestWith(digestWith(undefined, b), a)).not.toBe(ab);
  });
});
