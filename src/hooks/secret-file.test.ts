import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { makeTempDir } from "../../test/support/kit/temp-dir.ts";
import { readSecret, SecretFile } from "./secret-file.ts";

const CANARY = "canary-secret";

async function withFile(content: string) {
  const folder = await makeTempDir();
  const path = join(folder.path, "key");
  writeFileSync(path, content);
  chmodSync(path, 0o600);
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  let nowMs = 0;
  const parts = { hook: "model", nowMs: () => nowMs, log };
  const advance = (ms: number): void => {
    nowMs += ms;
  };
  return { ...folder, file: path, parts, lines, advance };
}

describe("readSecret", () => {
  test.each([
    ["spaces", `${CANARY} ${CANARY}`],
    ["two lines", `${CANARY}\n${CANARY}`],
    ["a line break inside", `${CANARY}\r\nx: 1`],
    ["letters beyond ASCII", `${CANARY}é`],
    ["control characters", `${CANARY}\x01`],
    ["far too many characters", CANARY.repeat(1_000)],
    ["nothing", " \n"],
  ])("refuses %s, and does not repeat it", async (_, content) => {
    await using folder = await withFile(content);
    expect(() => readSecret(folder.file)).toThrow(/the file/);
    expect(() => readSecret(folder.file)).not.toThrow(CANARY);
  });

  test("takes what stands between white space", async () => {
    await using folder = await withFile(`\n  ${CANARY}\r\n`);
    expect(readSecret(folder.file)).toBe(CANARY);
  });
});

describe("SecretFile", () => {
  test("looks at the file once a second at most", async () => {
    await using folder = await withFile("first");
    const secret = new SecretFile(folder.file, folder.parts);
    writeFileSync(folder.file, "second-one");
    folder.advance(999);
    expect(secret.current()).toBe("first");
    folder.advance(1);
    expect(secret.current()).toBe("second-one");
  });

  test("keeps the secret when the file is gone or faulty, and says so once", async () => {
    await using folder = await withFile(CANARY);
    const secret = new SecretFile(folder.file, folder.parts);
    writeFileSync(folder.file, `${CANARY} ${CANARY}`);
    for (let round = 0; round < 3; round++) {
      folder.advance(1_000);
      expect(secret.current()).toBe(CANARY);
    }
    expect(folder.lines).toHaveLength(1);
    rmSync(folder.file);
    folder.advance(1_000);
    expect(secret.current()).toBe(CANARY);
    expect(folder.lines.join("")).toContain("secret file kept as it was");
    expect(folder.lines.join("")).not.toContain(CANARY);
  });

  test("refuses a file that everybody can read, or warns of it when it is allowed", async () => {
    await using folder = await withFile(CANARY);
    const secret = new SecretFile(folder.file, folder.parts);
    expect(folder.lines).toEqual([]);
    writeFileSync(folder.file, `${CANARY}-two`);
    chmodSync(folder.file, 0o644);
    folder.advance(1_000);
    expect(secret.current()).toBe(CANARY);
    const text = "every user of this machine may read it";
    expect(folder.lines.join("")).toContain(text);
    expect(() => new SecretFile(folder.file, folder.parts)).toThrow(text);
    const allowed = new SecretFile(folder.file, { ...folder.parts, allowExposed: true });
    expect(allowed.current()).toBe(`${CANARY}-two`);
    expect(folder.lines.join("")).toContain("others can read this secret file");
    expect(folder.lines.join("")).not.toContain(CANARY);
  });
});
