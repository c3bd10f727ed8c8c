import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { hasLiving, run } from "./process.ts";

test("finds a process that outlives the program that started it, and ends it", async () => {
  const { code, leftProcesses } = await run("sh", ["-c", "sleep 60 & exit 3"]);
  expect([code, leftProcesses]).toEqual([3, true]);
}, 30_000);

test("finds none where all have ended", async () => {
  const { code, leftProcesses } = await run("sh", ["-c", "sleep 0.3 & exit 0"]);
  expect([code, leftProcesses]).toEqual([0, false]);
});

test("takes a zombie for what it is: it has ended", async () => {
  // The shell becomes a program that does not reap its children.
  const script = "setsid sh -c 'echo $$' & exec sleep 60";
  const parent = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
    const zombie = Number(line);
    await expect.poll(() => hasLiving(zombie)).toBe(false);
    expect(process.kill(-zombie, 0), "a signal still reaches it").toBe(true);
  } finally {
    parent.kill("SIGKILL");
  }
});
