// A disk that refuses one write or flush of data.mdb, or all from there on, as a broken one or one
// that turned read-only does: nothing acknowledged is lost, and the process ends with 70 and the
// name of the error, never by a signal.

import { execFile } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { randomFrom, TEST_DEPTH, testSeed } from "../support/kit/random.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { compileDiskFaults, compilerMissing } from "../support/process/disk-faults.ts";
import { Ledger } from "../support/process/ledger.ts";
import {
  type RunningServer,
  SERVER_MAIN,
  type ServerOptions,
  startServer,
} from "../support/process/server.ts";
import { plainClient } from "./writers.ts";

const CALLS = 60;
/** Faults of a short run, drawn from the seed. A deep run has all of them. */
const SAMPLE = 8;

const missing = compilerMissing();

if (missing !== undefined && process.env["CI"] === undefined) {
  console.warn(`SKIPPED the disk that refuses writes: ${missing}`);
}

test("a C compiler is there in CI", () => {
  if (process.env["CI"] !== undefined) expect(missing).toBeUndefined();
});

interface End {
  readonly code: number | null;
  readonly signal: string | null;
  /** The last line of the log. Of a start that failed the whole output. */
  readonly last: string;
}

/** Starts a server, runs what is given, and waits until it has ended. */
async function ended(
  options: ServerOptions,
  run: (server: RunningServer) => Promise<void>,
): Promise<End> {
  let server: RunningServer;
  try {
    server = await startServer(options);
  } catch (error) {
    const last = (error as Error).message;
    const [, end = ""] = /ended with (\S+)/.exec(last) ?? [];
    const signal = end.startsWith("SIG") ? end : null;
    return { code: signal === null ? Number(end) : null, signal, last };
  }
  await run(server);
  const exit = await server.exited;
  return { ...exit, last: JSON.stringify(server.logs.at(-1)) };
}

async function verify(dataDir: string): Promise<void> {
  await promisify(execFile)(process.execPath, [SERVER_MAIN, "verify", dataDir]);
}

test.runIf(missing === undefined)(
  "a new store is not made when its first writes fail, and is made by the next start",
  async () => {
    await using temporary = await makeTempDir();
    const faultEnv = compileDiskFaults(temporary.path);
    const dataDir = join(temporary.path, "data");
    for (const at of [1, 2, 3]) {
      const said = join(temporary.path, `said-${at}`);
      const env = faultEnv({ at, keep: true, errno: constants.errno.EIO, said });
      const end = await ended({ dataDir, env }, async () => undefined);
      expect({ at, code: end.code, signal: end.signal }).toEqual({ at, code: 70, signal: null });
      expect(end.last).toContain("EIO");
      // The next fault meets a new store again.
      rmSync(join(dataDir, "data.mdb"), { force: true });
    }
    await (await startServer({ dataDir })).stop();
    await verify(dataDir);
  },
);

// As the C library and Node say it.
const TEXTS = { EIO: "(Input/output|i/o) error", EROFS: "[Rr]ead-only file system" };

const CASES = Array.from({ length: CALLS }, (_, i) => [
  { at: i + 1, keep: false, error: "EIO" } as const,
  { at: i + 1, keep: true, error: "EIO" } as const,
  { at: i + 1, keep: true, error: "EROFS" } as const,
]).flat();

test.runIf(missing === undefined)(
  "a write or flush that fails ends the server with 70 and the error, and loses nothing",
  { timeout: 300_000 * TEST_DEPTH },
  async () => {
    await using temporary = await makeTempDir();
    const faultEnv = compileDiskFaults(temporary.path);
    const dataDir = join(temporary.path, "data");
    const random = randomFrom(testSeed("disk faults"));
    const cases = TEST_DEPTH > 1 ? CASES : Array.from({ length: SAMPLE }, () => random.pick(CASES));
    const ledger = new Ledger();
    const started = async (server: RunningServer): Promise<void> => {
      const client = plainClient(server.address);
      await ledger.write(client);
      client.close();
    };
    const first = await startServer({ dataDir });
    const client = plainClient(first.address);
    await ledger.append(client, "session-0");
    client.close();
    await first.stop();
    for (const [i, fault] of cases.entries()) {
      const said = join(temporary.path, `said-${i}`);
      const { error, ...when } = fault;
      const env = faultEnv({ ...when, errno: constants.errno[error], said });
      const end = await ended({ dataDir, env }, started);
      const text = expect.stringMatching(new RegExp(`A commit failed: ${error}, ${TEXTS[error]}`));
      expect({ fault, isInjected: existsSync(said), ...end }).toEqual({
        ...{ fault, isInjected: true, code: 70, signal: null, last: text },
      });
      await verify(dataDir);
    }
    const last = await startServer({ dataDir });
    const reader = plainClient(last.address);
    expect(await ledger.missing(reader)).toEqual([]);
    reader.close();
    await last.stop();
    console.log(`disk faults: ${cases.length} faults, ${ledger.count} acknowledged, 0 lost`);
  },
);
