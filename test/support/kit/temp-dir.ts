// Temporary directories for tests.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory that is removed on disposal (`await using`). */
export interface TempDir extends AsyncDisposable {
  readonly path: string;
}

/** Creates an empty temporary directory. */
export async function makeTempDir(): Promise<TempDir> {
  const path = await mkdtemp(join(tmpdir(), "memory-sidecar-test-"));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}
