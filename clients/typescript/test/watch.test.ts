import type { ServerWritableStream, ServiceError } from "@grpc/grpc-js";
import { afterEach, describe, expect, test } from "vitest";
import { Event, EventType } from "../src/gen/memorysidecar/v1/event.ts";
import type {
  WatchEventsRequest,
  WatchEventsResponse,
} from "../src/gen/memorysidecar/v1/event_service.ts";
import {
  connect,
  type MemorySidecar,
  MemorySidecarError,
  Status,
  type WatchedEvent,
} from "../src/index.ts";
import { type FakeServer, fakeError, startFake } from "./fake-server.ts";

type Call = ServerWritableStream<WatchEventsRequest, WatchEventsResponse>;
type Step = WatchEventsResponse | ServiceError | "end";

const away = fakeError({ code: Status.UNAVAILABLE, reason: "SHUTTING_DOWN", retryDelayMs: 1 });
const retry = { maxAttempts: 3, initialDelayMs: 2, maxDelayMs: 10 };

let server: FakeServer | undefined;
let client: MemorySidecar | undefined;

afterEach(() => {
  client?.close();
  server?.stop();
  client = undefined;
  server = undefined;
});

/** An answer with events, named by revision, or by revision and index. */
function batch(...places: readonly (readonly [number, number])[]): WatchEventsResponse {
  const type = EventType.MESSAGES_APPENDED;
  const events = places.map(([revision, index]) => ({
    event: Event.fromPartial({ revision: revision, index, type }),
    resumeToken: `t${revision}.${index}`,
  }));
  return { events, resumeToken: events.at(-1)?.resumeToken ?? "" };
}

function event(revision: number, index = 0): WatchEventsResponse {
  return batch([revision, index]);
}

function checkpoint(resumeToken: string): WatchEventsResponse {
  return { events: [], resumeToken };
}

/** A server whose streams send these steps, one list for each call; the last stays open. */
async function open(...streams: readonly (readonly Step[])[]) {
  const starts: WatchEventsRequest["start"][] = [];
  let cancelled = 0;
  const watchEvents = (call: Call): void => {
    const steps = streams[starts.length] ?? [];
    starts.push(call.request.start);
    call.on("cancelled", () => {
      cancelled++;
    });
    for (const step of steps) {
      if (step === "end") call.end();
      else if (step instanceof Error) call.emit("error", step);
      else call.write(step);
    }
  };
  server = await startFake({ events: { watchEvents } });
  client = connect(server.address, { retry });
  return { client, starts, cancelled: () => cancelled };
}

async function take(stream: AsyncIterable<WatchedEvent>, count: number): Promise<string[]> {
  const taken: string[] = [];
  for await (const {
    event: { revision, index },
  } of stream) {
    taken.push(`${revision}.${index}`);
    if (taken.length === count) break;
  }
  return taken;
}

describe("watch", () => {
  test("resumes from the last token and yields no event twice", async () => {
    const fake = await open(
      [checkpoint("t0"), event(1), event(2, 0), away],
      [checkpoint("t2.0"), event(2, 0), event(2, 1), away],
      [away],
      [checkpoint("c"), event(3)],
    );
    const failures: number[] = [];
    const stream = fake.client.watch({ onInterrupt: (_error, count) => failures.push(count) });
    expect(await take(stream, 4)).toEqual(["1.0", "2.0", "2.1", "3.0"]);
    expect(fake.starts).toEqual([
      { $case: "position", value: "STREAM_POSITION_NOW" },
      { $case: "resumeToken", value: "t2.0" },
      { $case: "resumeToken", value: "t2.1" },
      { $case: "resumeToken", value: "t2.1" },
    ]);
    expect(failures).toEqual([1, 1, 2]);
  });

  test("gives the events of an answer one by one, each with its own token", async () => {
    const fake = await open(
      [checkpoint("t0"), batch([1, 0], [1, 1], [2, 0]), away],
      [batch([1, 1], [2, 0], [3, 0], [4, 0]), away],
      [event(5)],
    );
    const stream = fake.client.watch();
    const taken: string[] = [];
    for await (const { event, resumeToken } of stream) {
      taken.push(resumeToken);
      expect(resumeToken).toBe(`t${event.revision}.${event.index}`);
      expect(stream.resumeToken).toBe(resumeToken);
      if (taken.length === 6) break;
    }
    expect(taken).toEqual(["t1.0", "t1.1", "t2.0", "t3.0", "t4.0", "t5.0"]);
    expect(fake.starts.slice(1)).toEqual([
      { $case: "resumeToken", value: "t2.0" },
      { $case: "resumeToken", value: "t4.0" },
    ]);
  });

  test("resumes after a checkpoint without having seen an event", async () => {
    const fake = await open([checkpoint("t0"), checkpoint("t5"), away], [event(6)]);
    const checkpoints: string[] = [];
    const stream = fake.client.watch({
      from: { consumerId: "worker" },
      onCheckpoint: (token) => checkpoints.push(token),
    });
    expect(await take(stream, 1)).toEqual(["6.0"]);
    expect(checkpoints).toEqual(["t0", "t5"]);
    expect(fake.starts).toEqual([
      { $case: "consumerId", value: "worker" },
      { $case: "resumeToken", value: "t5" },
    ]);
  });

  test("resumes a stream that was ended in order, after a wait", async () => {
    const fake = await open([checkpoint("t0"), "end"], [event(1)]);
    expect(await take(fake.client.watch(), 1)).toEqual(["1.0"]);
  });

  test("throws RESUME_TOKEN_EXPIRED, also in the middle", async () => {
    const expired = fakeError({
      code: Status.OUT_OF_RANGE,
      reason: "RESUME_TOKEN_EXPIRED",
      metadata: { oldest_revision: "9" },
    });
    const fake = await open([event(1), away], [expired]);
    const stream = fake.client.watch({ from: { resumeToken: "old" } });
    const seen: number[] = [];
    const read = (async () => {
      for await (const item of stream) seen.push(item.event.revision);
    })();
    await expect(read).rejects.toMatchObject({
      reason: "RESUME_TOKEN_EXPIRED",
      metadata: { oldest_revision: "9" },
    });
    expect(seen).toEqual([1]);
  });

  test("gives an event of an unknown type with its number and without detail", async () => {
    // Type 999, and a detail in a field that this client does not know.
    const wire = Buffer.from([8, 7, 24, 0xe7, 7, 0xa2, 0x1f, 2, 8, 1]);
    const unknown = { event: Event.decode(wire), resumeToken: "t7.0" };
    const told = { events: [unknown], resumeToken: "t7.0" };
    const fake = await open([checkpoint("t6"), told, away], [event(8)]);
    const stream = fake.client.watch();
    const { value } = await stream.next();
    expect(value?.event).toMatchObject({ revision: 7, type: "UNKNOWN_999" });
    expect(value?.event.detail).toBeUndefined();
    expect(await take(stream, 1)).toEqual(["8.0"]);
    expect(fake.starts.at(-1)).toEqual({ $case: "resumeToken", value: "t7.0" });
  });

  test("opens from now, then reads the state, when its place is refused", async () => {
    const refusal = (reason: string, code: number) => fakeError({ code, reason, metadata: {} });
    const fake = await open(
      [checkpoint("t6"), event(7), away],
      [refusal("RESUME_TOKEN_EXPIRED", Status.OUT_OF_RANGE)],
      [checkpoint("t20"), event(21), away],
      // Another history, whose revisions begin again.
      [refusal("RESUME_TOKEN_FOREIGN", Status.INVALID_ARGUMENT)],
      [away],
      [checkpoint("t2"), event(3)],
    );
    const seen: string[] = [];
    const stream = fake.client.watch({
      from: { afterRevision: 6 },
      readState: async () => {
        seen.push(`read after ${fake.starts.length} starts`);
      },
    });
    for await (const { event, resumeToken } of stream) {
      seen.push(resumeToken);
      if (event.revision === 3) break;
    }
    expect(seen).toEqual(["t7.0", "read after 3 starts", "t21.0", "read after 6 starts", "t3.0"]);
    const now = { $case: "position", value: "STREAM_POSITION_NOW" };
    expect(fake.starts).toEqual([
      { $case: "afterRevision", value: 6 },
      { $case: "resumeToken", value: "t7.0" },
      now,
      { $case: "resumeToken", value: "t21.0" },
      now,
      now,
    ]);
  });

  test("reads the state at a start from now, before it is ready, and again when that fails", async () => {
    const fake = await open([checkpoint("t4")], [checkpoint("t5"), event(6)], [checkpoint("t6")]);
    const faults = [new MemorySidecarError(away, "GetSession"), undefined];
    const stream = fake.client.watch({
      readState: async () => {
        const fault = faults.shift();
        if (fault !== undefined) throw fault;
      },
    });
    await stream.ready;
    expect(faults).toEqual([]);
    expect(await take(stream, 1)).toEqual(["6.0"]);
    expect(fake.starts).toEqual(Array(2).fill({ $case: "position", value: "STREAM_POSITION_NOW" }));

    const broken = fake.client.watch({ readState: () => Promise.reject(new Error("broken")) });
    await expect(broken.next()).rejects.toThrow("broken");
    expect(broken.resumeToken).toBe("");
  });

  test("is ready with the first answer, without being read", async () => {
    const fake = await open([checkpoint("t0")]);
    const stream = fake.client.watch();
    await stream.ready;
    expect(stream.resumeToken).toBe("t0");
    await stream.return();
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  test("gives up when there never was an answer", async () => {
    const fake = await open([away], [away], [away], [event(1)]);
    const stream = fake.client.watch();
    await expect(stream.ready).rejects.toMatchObject({ reason: "SHUTTING_DOWN" });
    await expect(stream.next()).rejects.toMatchObject({ reason: "SHUTTING_DOWN" });
    expect(fake.starts).toHaveLength(3);
  });

  test("gives up a lost connection after its time", async () => {
    const fake = await open([checkpoint("t0"), event(1), away], ...Array(40).fill([away]));
    const stream = fake.client.watch({ reconnectTimeoutMs: 60 });
    expect((await stream.next()).value?.event.revision).toBe(1);
    const start = performance.now();
    await expect(stream.next()).rejects.toMatchObject({ reason: "SHUTTING_DOWN" });
    expect(performance.now() - start).toBeLessThan(1_000);
    expect(fake.starts.length).toBeGreaterThan(3);
  });

  test("waits no longer for a first answer than its time", async () => {
    const fake = await open([], []);
    const stream = fake.client.watch({ timeoutMs: 50 });
    await expect(stream.ready).rejects.toThrow("did not answer the watch in time");
    await expect(stream.next()).rejects.toMatchObject({ code: Status.UNAVAILABLE });
    expect(() => fake.client.watch({ timeoutMs: 0 })).toThrow("timeoutMs must be above 0");
  });

  test("asks again on a connection that hangs, once the watch was on", async () => {
    const fake = await open([checkpoint("t0"), event(1), away], [], [event(2)]);
    const errors: string[] = [];
    const onInterrupt = (error: MemorySidecarError): number => errors.push(error.message);
    const stream = fake.client.watch({ timeoutMs: 50, onInterrupt });
    expect(await take(stream, 2)).toEqual(["1.0", "2.0"]);
    expect(errors).toHaveLength(2);
    expect(errors[1]).toContain("did not answer the watch in time");
  });

  test("ends the call when the loop is left, and when the signal is aborted", async () => {
    const fake = await open([event(1)], [event(1)]);
    await take(fake.client.watch(), 1);
    await expect.poll(fake.cancelled).toBe(1);
    const abort = new AbortController();
    const reason = new Error("enough");
    const stream = fake.client.watch({ signal: abort.signal });
    expect((await stream.next()).value?.event.revision).toBe(1);
    setTimeout(() => abort.abort(reason), 10);
    await expect(stream.next()).rejects.toBe(reason);
    await expect.poll(fake.cancelled).toBe(2);
    const late = fake.client.watch({ signal: abort.signal });
    await expect(late.next()).rejects.toBe(reason);
  });

  test("goes on when the server is killed and comes back", async () => {
    const fake = await open([checkpoint("t0"), event(1)], [event(1), event(2)]);
    const stream = fake.client.watch();
    expect((await stream.next()).value?.event.revision).toBe(1);
    const pending = stream.next();
    const port = server?.port;
    server?.stop();
    const watchEvents = (call: Call): void => {
      fake.starts.push(call.request.start);
      call.write(event(2));
    };
    server = await startFake({ events: { watchEvents } }, port);
    expect((await pending).value?.event.revision).toBe(2);
    expect(fake.starts.at(-1)).toEqual({ $case: "resumeToken", value: "t1.0" });
    await stream.return();
  });
});
