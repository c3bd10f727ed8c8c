// Goal: events that come in one answer are as good as events that come alone: in order, each with a
// token that resumes right after it, within the limits of an answer, and no later when it is quiet.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WatchEventsResponse } from "../../src/gen/memorysidecar/v1/event_service.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { message } from "../support/contract/samples.ts";
import { afterToken, NOW, OLDEST, type Streamed, Watch } from "../support/contract/watch.ts";

const EVENTS_MAX = 256;
const ANSWER_BYTES_MAX = 32 * 1024;
const CALLS_AT_ONCE = 200;

let server: TestServer;
let count = 0;

beforeAll(async () => {
  server = await startContractServer({ settings: { checkpointIntervalMs: 60_000 } });
});

afterAll(() => server[Symbol.asyncDispose]());

async function append(namespace: string, times: number, messages = 1): Promise<void> {
  const one = (index: number) =>
    server.client.call("appendMessages", {
      namespace,
      sessionId: `s${index % 10}`,
      createSession: true,
      messages: Array.from({ length: messages }, () => message({ text: "x" })),
    });
  let next = 0;
  const work = Array.from({ length: CALLS_AT_ONCE }, async () => {
    while (next < times) await one(next++);
  });
  await Promise.all(work);
}

/** The answers of a watch until it has given this many events. */
async function answersOf(watch: Watch, events: number): Promise<WatchEventsResponse[]> {
  const answers: WatchEventsResponse[] = [];
  for (let seen = 0; seen < events; ) {
    const answer = await watch.next();
    seen += answer.events.length;
    answers.push(answer);
  }
  watch.close();
  return answers;
}

const place = ({ event }: { event?: { revision: bigint; index: number } | undefined }) =>
  `${event?.revision}.${event?.index}`;

async function listed(namespace: string): Promise<string[]> {
  const places: string[] = [];
  let pageToken = "";
  do {
    const page = await server.client.call("listEvents", { namespace, pageSize: 1_000, pageToken });
    places.push(...page.events.map((event) => place({ event })));
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return places;
}

describe("events of one answer", () => {
  test("come in order, each with a token that resumes right after it", async () => {
    const namespace = `b${count++}`;
    await append(namespace, 30);
    const expected = await listed(namespace);
    const all = new Watch(server.client, { namespace, start: OLDEST });
    expect((await all.next()).events).toEqual([]);
    const answers = await answersOf(all, expected.length);
    expect(answers).toHaveLength(1);
    const events = answers.flatMap((answer) => answer.events) as Streamed[];
    expect(events.map(place)).toEqual(expected);
    expect(new Set(events.map((one) => one.resumeToken)).size).toBe(expected.length);
    for (const [index, { resumeToken }] of events.slice(0, -1).entries()) {
      const rest = new Watch(server.client, { namespace, start: afterToken(resumeToken) });
      expect((await rest.next()).events).toEqual([]);
      const { events: next } = await rest.next();
      expect(next.map(place)).toEqual(expected.slice(index + 1));
      rest.close();
    }
  });

  test("are acknowledged one by one", async () => {
    const namespace = `b${count++}`;
    await append(namespace, 5);
    await server.client.call("createConsumer", { namespace, consumerId: "c", start: OLDEST });
    const start = { $case: "consumerId", value: "c" } as const;
    const watch = new Watch(server.client, { namespace, start });
    const events: Streamed[] = [];
    for (let index = 0; index < 4; index++) events.push(await watch.event());
    watch.close();
    const resumeToken = events[1]?.resumeToken ?? "";
    await server.client.call("ackEvents", { namespace, consumerId: "c", resumeToken });
    const again = new Watch(server.client, { namespace, start });
    expect(place(await again.event())).toBe(place(events[2] as Streamed));
    again.close();
  });

  test("stay within the limits of an answer, from the disk and as they happen", async () => {
    const namespace = `b${count++}`;
    const live = new Watch(server.client, { namespace, start: NOW });
    await live.next();
    // Events with many ids and events with one: both limits are met.
    await append(namespace, 40, 100);
    await append(namespace, 700);
    const expected = await listed(namespace);
    const stored = new Watch(server.client, { namespace, start: OLDEST });
    for (const watch of [live, stored]) {
      const answers = await answersOf(watch, expected.length);
      expect(answers.flatMap((answer) => answer.events.map(place))).toEqual(expected);
      for (const { events, resumeToken } of answers) {
        expect(events.length).toBeLessThanOrEqual(EVENTS_MAX);
        if (events.length > 0) expect(resumeToken).toBe(events.at(-1)?.resumeToken);
        const bytes = WatchEventsResponse.encode({ events, resumeToken }).finish().length;
        if (events.length > 1) expect(bytes).toBeLessThanOrEqual(ANSWER_BYTES_MAX);
      }
    }
  });

  test("go out together in a burst, to every watcher the same", async () => {
    const namespace = `b${count++}`;
    const watches = Array.from(
      { length: 20 },
      () => new Watch(server.client, { namespace, start: NOW }),
    );
    for (const watch of watches) await watch.next();
    await append(namespace, 1_000);
    const expected = await listed(namespace);
    const all = await Promise.all(watches.map((watch) => answersOf(watch, expected.length)));
    for (const answers of all) {
      expect(answers.flatMap((answer) => answer.events.map(place))).toEqual(expected);
      expect(answers.length).toBeLessThan(expected.length / 4);
    }
  });

  test("come alone and at once when little happens", async () => {
    const namespace = `b${count++}`;
    await append(namespace, 10);
    const watch = new Watch(server.client, { namespace, start: NOW });
    await watch.next();
    for (let index = 0; index < 5; index++) {
      const answer = watch.next();
      await append(namespace, 1);
      expect((await answer).events).toHaveLength(1);
    }
    watch.close();
  });
});
