// Python: the client installs beside the frameworks that agents use. Its tests and its tour pass
// with the lowest versions of its dependencies; the stage "python" runs its tests with the newest.

import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../tools/process.ts";
import { TEST_DEPTH } from "../support/kit/random.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { build, isMissing } from "./build.ts";
import { takeTour } from "./tour.ts";

const MINUTES = 60_000;
const CLIENT = "clients/python";

/** Packages that pin protobuf or grpcio themselves, or bring many that do. */
const FRAMEWORKS = ["mem0ai", "google-adk", "langgraph", "openai-agents", "crewai", "chromadb"];

/**
 * Tests of a short run with the lowest versions: all but the types, and of the recorded frameworks
 * one. Other tests ask of the client as much as the drop-ins do, and the stage "python" plays all
 * that was recorded.
 */
const SELECTED = "not mypy and (not recorded or definable)";

/** The dependencies at their lower bounds: `protobuf==5.29.1`. */
function lowestVersions(): string[] {
  const project = readFileSync(join(ROOT, CLIENT, "pyproject.toml"), "utf8");
  const list = /^dependencies = \[\n(.*?)^\]/ms.exec(project)?.[1] ?? "";
  return [...list.matchAll(/"([\w-]+)>=([\d.]+)"/g)].map(([, name, bound]) => `${name}==${bound}`);
}

async function newEnvironment(folder: string): Promise<string> {
  await build("sh", [`${CLIENT}/setup.sh`]);
  await build("python3", ["-m", "venv", "--without-pip", folder]);
  return join(folder, "bin/python");
}

/** Runs the pip of the client's environment, which is faster than that of an older Python. */
const pip = (python: string, ...args: readonly string[]): Promise<string> => {
  const options = ["--disable-pip-version-check", "--quiet", "--python", python];
  return build(join(ROOT, CLIENT, ".venv/bin/python"), ["-m", "pip", ...options, ...args]);
};

describe.skipIf(isMissing("Python", "python3"))("Python", () => {
  test(
    "has a client that works with the lowest versions it allows",
    async () => {
      await using folder = await makeTempDir();
      const python = await newEnvironment(folder.path);
      const lowest = lowestVersions();
      expect(lowest).toHaveLength(4);
      const health = ["grpcio-health-checking", "grpcio-reflection"];
      await pip(python, "install", ...lowest, ...health, "pytest", "pytest-timeout");
      // The types and the lint do not depend on what is installed.
      const without = ["test_make_sync.py", "test_kill.py"].map((name) => `--ignore=tests/${name}`);
      const options = ["-p", "no:cacheprovider", "-k", TEST_DEPTH > 1 ? "not mypy" : SELECTED];
      const tests = ["-m", "pytest", ...options, ...without, "tests"];
      const env = { PYTHONPATH: join(ROOT, CLIENT, "src") };
      await build(python, tests, { cwd: join(ROOT, CLIENT), env });
      await takeTour({ program: python, args: [join(ROOT, CLIENT, "examples/tour.py")], env });
    },
    10 * MINUTES,
  );

  test(
    "has a client that pip installs beside each framework",
    async () => {
      await using folder = await makeTempDir();
      const python = await newEnvironment(join(folder.path, "venv"));
      const wheels = join(folder.path, "wheels");
      await pip(python, "wheel", "--no-deps", "--wheel-dir", wheels, `./${CLIENT}`);
      const [wheel = ""] = await readdir(wheels);
      for (const framework of FRAMEWORKS) {
        await pip(python, "install", "--dry-run", join(wheels, wheel), framework);
      }
    },
    10 * MINUTES,
  );
});
