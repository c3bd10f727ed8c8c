// Directories for tests, removed afterwards.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory that is removed when it is disposed of (`await using`). */
export interface TempDir extends AsyncDisposable {
  readonly path: string;
}

/** Makes an empty directory of its own. */
export async function makeTempDir(): Promise<TempDir> {
  const path = await mkdtemp(join(tmpdir(), "memory-sidecar-test-"));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}
