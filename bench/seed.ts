// Fills a store through the server's own calls and verifies the result.

import { StreamPosition } from "../src/gen/memorysidecar/v1/event.ts";
import {
  CreateConsumerRequest,
  CreateConsumerResponse,
} from "../src/gen/memorysidecar/v1/event_service.ts";
import {
  AppendMessagesRequest,
  AppendMessagesResponse,
  GetSessionRequest,
  GetSessionResponse,
} from "../src/gen/memorysidecar/v1/session_service.ts";
import { make, sessionName, turns } from "./bodies.ts";
import { Caller, inParallel } from "./caller.ts";

const SESSIONS = "/memorysidecar.v1.SessionService";
const EVENTS = "/memorysidecar.v1.EventService";
/** Appends in flight while seeding, at most one per session. */
const WIDTH = 16;
const BATCH = 1_000;

/** Contents to write into a store. */
export interface Seed {
  readonly prefix: string;
  readonly sessions: number;
  /** Messages in each session. */
  readonly messages: number;
}

/** Fills a server with sessions of equal length. Checks the last seq of each append. */
export async function seed(port: number, what: Seed): Promise<void> {
  const caller = new Caller(port);
  const whole = turns(Math.min(BATCH, what.messages));
  await inParallel(what.sessions, WIDTH, async (index) => {
    const sessionId = sessionName(what.prefix, index);
    for (let done = 0; done < what.messages; ) {
      const messages = whole.slice(0, what.messages - done);
      const value = make(AppendMessagesRequest, { sessionId, messages, createSession: true });
      const request = { codec: AppendMessagesRequest, value };
      const answer = await caller.call(
        `${SESSIONS}/AppendMessages`,
        request,
        AppendMessagesResponse,
      );
      done += messages.length;
      if (Number(answer.lastSeq) !== done) throw new Error(`seeding ${sessionId}: wrong last seq`);
    }
  });
  caller.close();
}

/** The newest seq of a session. */
export async function lastSeq(port: number, sessionId: string): Promise<number> {
  const caller = new Caller(port);
  const value = make(GetSessionRequest, { sessionId });
  const answer = await caller.call(
    `${SESSIONS}/GetSession`,
    { codec: GetSessionRequest, value },
    GetSessionResponse,
  );
  caller.close();
  return Number(answer.session?.lastSeq ?? 0n);
}

/** The newest revision of the default namespace, where a new consumer would start. */
export async function revision(port: number): Promise<number> {
  const caller = new Caller(port);
  const consumerId = `bench-${crypto.randomUUID()}`;
  const start = { $case: "position", value: StreamPosition.NOW } as const;
  const answer = await caller.call(
    `${EVENTS}/CreateConsumer`,
    { codec: CreateConsumerRequest, value: make(CreateConsumerRequest, { consumerId, start }) },
    CreateConsumerResponse,
  );
  caller.close();
  return Number(answer.consumer?.revision ?? 0n);
}
