// Times calls of the TypeScript client beside the same calls of the bare generated stub.
//
//   node bench/clients/overhead.ts ADDRESS ROUNDS CODE
//
// CODE is the folder with the code that ts-proto makes of the contract, as it makes it. Prints one
// JSON object: for each measurement, its rounds, each with microseconds a call at the median (in
// flight: on average), and microseconds of the process's CPU a call. The two take turns call by
// call, in flight batch by batch: a pause of the machine, of the collector or of the compiler is
// shared out between them.

import { randomUUID } from "node:crypto";
import { credentials, Metadata } from "@grpc/grpc-js";
import type * as messages from "../../clients/typescript/src/gen/memorysidecar/v1/message.ts";
import type * as services from "../../clients/typescript/src/gen/memorysidecar/v1/session_service.ts";
import { connect } from "../../clients/typescript/src/index.ts";
import { median } from "../stats.ts";

const CALLS = 150;
const IN_FLIGHT = 32;
const EACH = 6;
const BATCHES = 10;
// The compiler takes this long to come to rest.
const WARM_UP = 8;
const TEXT = "x".repeat(300);
const [, , address = "", rounds = "5", bareCode = ""] = process.argv;

interface Timed {
  readonly us: number;
  readonly cpuUs: number;
}

type Call = () => Promise<unknown>;
/** A call of the client, and the same call of the bare stub. */
type Pair = readonly [ours: Call, bare: Call];
type Measured = [ours: Timed, bare: Timed];

const client = connect(address);
const { Message, Role } = (await import(`${bareCode}/message.ts`)) as typeof messages;
const { AppendMessagesRequest, GetWindowRequest, SessionServiceClient } = (await import(
  `${bareCode}/session_service.ts`
)) as typeof services;
const stub = new SessionServiceClient(address, credentials.createInsecure());
type Done = (error: Error | null) => void;

function bare(start: (done: Done) => void): Promise<void> {
  return new Promise((resolve, reject) =>
    start((error) => (error === null ? resolve() : reject(error))),
  );
}

const deadline = () => ({ deadline: Date.now() + 30_000 });
const append: Pair = [
  () => client.append("ours", TEXT),
  () => {
    const message = Message.fromPartial({ role: Role.USER, text: TEXT });
    const said = { sessionId: "bare", messages: [message], requestId: randomUUID() };
    const request = AppendMessagesRequest.fromPartial(said);
    return bare((done) => stub.appendMessages(request, new Metadata(), deadline(), done));
  },
];
const window: Pair = [
  () => client.window("ours", { newest: 20 }),
  () => {
    const request = GetWindowRequest.fromPartial({ sessionId: "bare", newest: 20 });
    return bare((done) => stub.getWindow(request, new Metadata(), deadline(), done));
  },
];

/** The CPU of this process so far, in microseconds. */
function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

async function oneCaller(pair: Pair): Promise<Measured> {
  const spans: [number[], number[]] = [[], []];
  const cpus: [number, number] = [0, 0];
  for (let turn = 0; turn < CALLS; turn++) {
    for (const index of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const [cpu, start] = [cpuNow(), performance.now()];
      await pair[index]();
      spans[index].push(performance.now() - start);
      cpus[index] += cpuNow() - cpu;
    }
  }
  const timed = (index: 0 | 1): Timed => ({
    us: median(spans[index]) * 1_000,
    cpuUs: cpus[index] / CALLS,
  });
  return [timed(0), timed(1)];
}

async function loaded(pair: Pair): Promise<Measured> {
  const spans: [number, number] = [0, 0];
  const cpus: [number, number] = [0, 0];
  for (let turn = 0; turn < BATCHES; turn++) {
    for (const index of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const caller = async (): Promise<void> => {
        for (let i = 0; i < EACH; i++) await pair[index]();
      };
      const [cpu, start] = [cpuNow(), performance.now()];
      await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
      spans[index] += performance.now() - start;
      cpus[index] += cpuNow() - cpu;
    }
  }
  const calls = BATCHES * EACH * IN_FLIGHT;
  const timed = (index: 0 | 1): Timed => ({
    us: (spans[index] * 1_000) / calls,
    cpuUs: cpus[index] / calls,
  });
  return [timed(0), timed(1)];
}

for (const session of ["bare", "ours"]) await client.createSession({ sessionId: session });
const found: Record<string, Timed[]> = {};
const steps = {
  append: () => oneCaller(append),
  window: () => oneCaller(window),
  "append of 32": () => loaded(append),
};
for (let round = -WARM_UP; round < Number(rounds); round++) {
  for (const [name, run] of Object.entries(steps)) {
    const [ours, theirs] = await run();
    if (round < 0) continue;
    for (const [key, one] of [
      [name, ours],
      [`${name} bare`, theirs],
    ] as const) {
      found[key] ??= [];
      found[key].push(one);
    }
  }
}
console.log(JSON.stringify(found));
client.close();
stub.close();
