// `npm run smoke` as a user runs it.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const SMOKE = join(import.meta.dirname, "../../tools/smoke.ts");

test("npm run smoke prints a line for each proof, and how long it took", {
  timeout: 180_000,
}, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [SMOKE]);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.slice(0, -1).map((line) => line.slice(0, 6))).toEqual(Array(9).fill("ok    "));
  expect(lines.at(-1)).toMatch(/^all proofs hold, in \d+\.\d s$/);
});

test("npm run smoke fails where the server does not start", async () => {
  const env = { ...process.env, MEMORY_SIDECAR_LISTEN_ON: "nothing" };
  const failed = promisify(execFile)(process.execPath, [SMOKE], { env });
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^FAIL {2}start: (.|\n)*this installation does not work/),
  });
});
