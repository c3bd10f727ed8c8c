// Times calls of the TypeScript client beside the same calls of the bare generated stub.
//
//   node bench/clients/overhead.ts ADDRESS ROUNDS
//
// Prints one JSON object: for each measurement, its rounds, each with microseconds a call at the
// median (in flight: on average), and microseconds of the process's CPU a call.

import { randomUUID } from "node:crypto";
import { Metadata } from "@grpc/grpc-js";
import { Message, Role } from "../../clients/typescript/src/gen/memorysidecar/v1/message.ts";
import {
  AppendMessagesRequest,
  GetWindowRequest,
  type SessionServiceClient,
} from "../../clients/typescript/src/gen/memorysidecar/v1/session_service.ts";
import { connect } from "../../clients/typescript/src/index.ts";

const CALLS = 150;
const IN_FLIGHT = 32;
const TEXT = "x".repeat(300);
const [, , address = "", rounds = "5"] = process.argv;

interface Timed {
  readonly us: number;
  readonly cpuUs: number;
}

const client = connect(address);
const stub: SessionServiceClient = client.raw.sessions;
type Done = (error: Error | null) => void;

function bare(start: (done: Done) => void): Promise<void> {
  return new Promise((resolve, reject) =>
    start((error) => (error === null ? resolve() : reject(error))),
  );
}

const deadline = () => ({ deadline: Date.now() + 30_000 });
const calls: Readonly<Record<string, () => Promise<unknown>>> = {
  "append bare": () => {
    const message = { ...Message.decode(new Uint8Array()), role: Role.USER, text: TEXT };
    const empty = AppendMessagesRequest.decode(new Uint8Array());
    const request = { ...empty, sessionId: "bare", messages: [message], requestId: randomUUID() };
    return bare((done) => stub.appendMessages(request, new Metadata(), deadline(), done));
  },
  append: () => client.append("ours", TEXT),
  "window bare": () => {
    const empty = GetWindowRequest.decode(new Uint8Array());
    const request = { ...empty, sessionId: "bare", newest: 20 };
    return bare((done) => stub.getWindow(request, new Metadata(), deadline(), done));
  },
  window: () => client.window("ours", { newest: 20 }),
};

async function timed(call: () => Promise<unknown>): Promise<Timed> {
  const spans: number[] = [];
  const cpu = process.cpuUsage();
  for (let i = 0; i < CALLS; i++) {
    const start = performance.now();
    await call();
    spans.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(cpu);
  const us = (spans.sort((a, b) => a - b)[CALLS / 2] ?? 0) * 1_000;
  return { us, cpuUs: (user + system) / CALLS };
}

async function loaded(call: () => Promise<unknown>): Promise<Timed> {
  const each = CALLS / 5;
  const cpu = process.cpuUsage();
  const start = performance.now();
  const caller = async (): Promise<void> => {
    for (let i = 0; i < each; i++) await call();
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
  const us = ((performance.now() - start) * 1_000) / (each * IN_FLIGHT);
  const { user, system } = process.cpuUsage(cpu);
  return { us, cpuUs: (user + system) / (each * IN_FLIGHT) };
}

const steps = Object.entries(calls).map(([name, call]) => ({ name, run: () => timed(call) }));
for (const name of ["append", "append bare"]) {
  const call = calls[name];
  if (call === undefined) throw new Error(`no call ${name}`);
  steps.push({ name: name.replace("append", "append of 32"), run: () => loaded(call) });
}
for (const session of ["bare", "ours"]) await client.createSession({ sessionId: session });
const found: Record<string, Timed[]> = {};
// The first round warms up. Each goes first as often as last.
for (let round = 0; round <= Number(rounds); round++) {
  for (const { name, run } of round % 2 === 0 ? steps : steps.toReversed()) {
    const one = await run();
    if (round === 0) continue;
    found[name] ??= [];
    found[name].push(one);
  }
}
console.log(JSON.stringify(found));
client.close();
