// The wheels, installed into an empty environment as users do: the client alone, then with the
// server, which `LocalServer` and the command find, and with the integrations.

import { existsSync, globSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  APART,
  PYTHON_INTEGRATIONS,
  packPythonClient,
  packPythonIntegration,
  packPythonServer,
} from "../../tools/package/python.ts";
import { PLATFORMS, type Platform } from "../../tools/package/server-app.ts";
import { ROOT, run } from "../../tools/process.ts";
import { makeTempDir, type TempDir } from "../support/kit/temp-dir.ts";

const MINUTES = 60_000;
const hasSetup = existsSync(join(ROOT, "clients/python/.venv/stamp"));
const mustRun = process.env["CI"] === "true";
if (!hasSetup && !mustRun) console.warn("SKIPPED the wheels: clients/python/setup.sh has not run");

/** Starts a server, stores a message, and prints it after the server's restart on the same data. */
const PROGRAM = `
from memorysidecar import Client, LocalServer
for _ in range(2):
    with LocalServer("data") as server, Client(server.address) as memory:
        memory.append("trees", "Hyperion.", create_session=True)
        print([message.text for message in memory.window("trees").messages])
`;

let scratch: TempDir;

/** Imports packages; each must come from the environment and export something. */
const IMPORTS = `
import importlib, sys
for name in sys.argv[1:]:
    package = importlib.import_module(name)
    assert package.__file__.startswith(sys.prefix), package.__file__
    assert package.__all__, name
    print(name)
`;

/** Runs a program of the environment, with nothing of this repository in the path. */
function inVenv(program: string, ...args: readonly string[]) {
  const env = { PATH: "/usr/bin:/bin", MEMORY_SIDECAR_LOG_LEVEL: "warn" };
  return run(join(scratch.path, "venv/bin", program), args, {
    cwd: scratch.path,
    env,
    quiet: true,
  });
}

async function install(...what: readonly string[]): Promise<void> {
  const wheels = join(scratch.path, "wheels");
  const args = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet"];
  const { code, output } = await inVenv("python", ...args, `--find-links=${wheels}`, ...what);
  expect(code, output).toBe(0);
}

describe.skipIf(!hasSetup && !mustRun)("pip", () => {
  beforeAll(async () => {
    scratch = await makeTempDir();
    const wheels = join(scratch.path, "wheels");
    const platform = PLATFORMS.find((name) => name === `linux-${process.arch}`) as Platform;
    await packPythonClient(wheels, join(scratch.path, "client"));
    await packPythonServer(platform, wheels, join(scratch.path, "server"));
    const { code } = await run("python3", ["-m", "venv", join(scratch.path, "venv")]);
    expect(code).toBe(0);
    // The pip of an older Python takes several times as long to choose versions.
    const pinned = join(ROOT, "clients/python/requirements-pip.txt");
    await install("--require-hashes", "--requirement", pinned);
  }, 5 * MINUTES);

  afterAll(() => scratch?.[Symbol.asyncDispose]());

  test(
    "installs the client alone, which says how to get the server",
    async () => {
      await install("memory-sidecar");
      const { code, output } = await inVenv("python", "-c", PROGRAM);
      expect(code).toBe(1);
      expect(output).toContain("pip install 'memory-sidecar[server]'");
    },
    5 * MINUTES,
  );

  test(
    "installs the server with the extra, for LocalServer and as a command",
    async () => {
      await install("memory-sidecar[server]");
      const { code, output } = await inVenv("python", "-c", PROGRAM);
      expect(output).toBe("['Hyperion.']\n['Hyperion.', 'Hyperion.']\n");
      expect(code).toBe(0);
      expect((await inVenv("memory-sidecar", "verify", "data")).output).toContain('"clean": true');
      expect((await inVenv("memory-sidecar", "sing")).code).toBe(64);
    },
    5 * MINUTES,
  );

  test(
    "installs the integrations beside the client and each other",
    async () => {
      const wheels = join(scratch.path, "wheels");
      const stage = join(scratch.path, "integration");
      const built: string[] = [];
      const together = PYTHON_INTEGRATIONS.filter((one) => !APART.includes(one));
      for (const one of together) built.push(await packPythonIntegration(one, wheels, stage));
      // Python compiles what is imported; pip would compile everything.
      await install("--no-compile", ...built);
      const packages = globSync(
        together.map((one) => `${one}/src/*/`),
        { cwd: ROOT },
      )
        .map((path) => basename(path))
        .filter((name) => !name.endsWith(".egg-info"))
        .sort();
      expect(packages.length).toBe(together.length);
      const { code, output } = await inVenv("python", "-c", IMPORTS, ...packages);
      expect(output.trim().split("\n")).toEqual(packages);
      expect(code).toBe(0);
    },
    5 * MINUTES,
  );
});
