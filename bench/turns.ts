// A turn in one call: an append that answers with the window, beside an append alone and beside the
// two calls that it replaces.

import { measure, startReal } from "./processes.ts";
import { seed } from "./seed.ts";
import {
  append,
  type Bench,
  core,
  type Found,
  inDirectory,
  rounds,
  type Step,
  window,
} from "./workloads.ts";

const SESSIONS = 1_500;
/** Messages in the window of every session at the start. */
const MESSAGES = 20;

/** Appends with and without the window, by turns on one server. */
export async function turns(bench: Bench): Promise<Found> {
  return await inDirectory(async (directory) => {
    const server = await startReal(directory, { core: core(bench) });
    try {
      const steps: Step[] = [];
      const prefixes = { alone: "alone-", turn: "turn-", read: "read-" };
      for (const prefix of Object.values(prefixes)) {
        await seed(server.port, { prefix, sessions: SESSIONS, messages: MESSAGES });
        // A turn finds the window of the one before in memory.
        const once = { ...window(prefix, SESSIONS, 32), warmMs: 0, measureMs: 0, calls: SESSIONS };
        await measure(bench.loader, server, once);
      }
      for (const inFlight of [1, 32]) {
        const alone = append(prefixes.alone, SESSIONS, inFlight);
        const shape = append(prefixes.turn, SESSIONS, inFlight);
        const body = { kind: "append", count: 1, prefix: prefixes.turn, reply: true } as const;
        const job = window(prefixes.read, SESSIONS, inFlight);
        steps.push({ name: `append alone, ${inFlight}`, server, job: alone });
        steps.push({ name: `append with window, ${inFlight}`, server, job: { ...shape, body } });
        steps.push({ name: `window alone, ${inFlight}`, server, job });
      }
      return { rounds: await rounds(bench, steps), figures: new Map() };
    } finally {
      await server.stop();
    }
  });
}
