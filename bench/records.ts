// Records by name: a store of few against a store of many, and both against appends and GetMessage.

import {
  WriteRecordsRequest,
  WriteRecordsResponse,
} from "../src/gen/memorysidecar/v1/record_service.ts";
import {
  AppendMessagesRequest,
  AppendMessagesResponse,
} from "../src/gen/memorysidecar/v1/session_service.ts";
import { make, RECORD_PATH, recordPut, sessionName, turns } from "./bodies.ts";
import { Caller, inParallel } from "./caller.ts";
import { type Running, startReal } from "./processes.ts";
import {
  append,
  type Bench,
  core,
  type Found,
  inDirectory,
  rounds,
  type Step,
} from "./workloads.ts";

const SESSIONS_RPC = "/memorysidecar.v1.SessionService";
const RECORDS_RPC = "/memorysidecar.v1.RecordService";
const BATCH = 256;
const WIDTH = 4;
const FEW = 1_000;
const SESSIONS = 1_000;
const PREFIX = "r";

/** Writes this many records, in the order of their names. */
async function fill(port: number, count: number): Promise<void> {
  const caller = new Caller(port);
  await inParallel(Math.ceil(count / BATCH), WIDTH, async (batch) => {
    const length = Math.min(BATCH, count - batch * BATCH);
    const operations = Array.from({ length }, (_, index) => ({
      operation: { $case: "put" as const, value: recordPut(PREFIX, batch * BATCH + index) },
    }));
    const value = make(WriteRecordsRequest, { operations });
    const request = { codec: WriteRecordsRequest, value };
    await caller.call(`${RECORDS_RPC}/WriteRecords`, request, WriteRecordsResponse);
  });
  caller.close();
}

/** Makes sessions of one message with a known id each. */
async function converse(port: number): Promise<void> {
  const caller = new Caller(port);
  await inParallel(SESSIONS, WIDTH, async (index) => {
    const messages = turns(1).map((one) => ({ ...one, messageId: RECORD_PATH }));
    const sessionId = sessionName("m", index);
    const value = make(AppendMessagesRequest, { sessionId, messages, createSession: true });
    const request = { codec: AppendMessagesRequest, value };
    await caller.call(`${SESSIONS_RPC}/AppendMessages`, request, AppendMessagesResponse);
  });
  caller.close();
}

/** The calls on a store of so many records, of random names. */
function steps(name: string, server: Running, count: number, inFlight: number): Step[] {
  const job = (rpc: string, kind: "put" | "put-if" | "get" | "list", sessions = count) => ({
    ...{ path: `${RECORDS_RPC}/${rpc}`, body: { kind, prefix: PREFIX }, sessions, inFlight },
    random: true,
  });
  return [
    { name: `get ${name}, ${inFlight}`, server, job: job("GetRecord", "get") },
    { name: `list ${name}, ${inFlight}`, server, job: job("ListRecords", "list", count - 100) },
    { name: `put ${name}, ${inFlight}`, server, job: job("PutRecord", "put") },
    { name: `put if ${name}, ${inFlight}`, server, job: job("PutRecord", "put-if") },
  ];
}

/** Records in a store of few and in one of many, beside messages. */
export function records(bench: Bench): Promise<Found> {
  return inDirectory(async (directory) => {
    const servers: Running[] = [];
    const start = async (name: string): Promise<Running> => {
      const server = await startReal(`${directory}/${name}`, { core: core(bench) });
      servers.push(server);
      return server;
    };
    try {
      const [few, many, messages] = [await start("few"), await start("many"), await start("m")];
      await fill(few.port, FEW);
      await fill(many.port, bench.plan.records);
      await converse(messages.port);
      const all = [1, 32].flatMap((inFlight): Step[] => {
        const one = steps("few", few, FEW, inFlight);
        const other = steps("many", many, bench.plan.records, inFlight);
        const body = { kind: "get-message", prefix: "m" } as const;
        const get = { path: `${SESSIONS_RPC}/GetMessage`, body, sessions: SESSIONS, inFlight };
        const random = { random: true };
        return [
          { name: `GetMessage, ${inFlight}`, server: messages, job: { ...get, ...random } },
          {
            name: `append, ${inFlight}`,
            server: messages,
            job: { ...append("a", SESSIONS, inFlight), ...random },
          },
          // Those that are compared stand side by side.
          ...one.flatMap((step, at) => [step, other[at] ?? step]),
        ];
      });
      return { rounds: await rounds(bench, all), figures: new Map() };
    } finally {
      for (const server of servers) await server.stop();
    }
  });
}
