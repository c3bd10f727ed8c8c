// Go: the client passes its own tests, its README compiles, and programs work with it.

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ROOT } from "../../tools/process.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { startServer } from "../support/process/server.ts";
import { runAgent } from "./agent-run.ts";
import { build, isMissing } from "./build.ts";
import { takeTour } from "./tour.ts";

const MINUTES = 60_000;
const CLIENT = "clients/go";
const AGENT = "examples/go-agent";
/** Written by hand; the rest of the client is generated. */
const SOURCES = globSync(["memorysidecar/*.go", "examples/**/*.go"], { cwd: join(ROOT, CLIENT) });

describe.skipIf(isMissing("Go", "go"))("Go", () => {
  test(
    "has a client that passes its tests",
    async () => {
      expect(await build("gofmt", ["-l", ...SOURCES.map((path) => join(CLIENT, path))])).toBe("");
      await build("go", ["-C", CLIENT, "vet", "-mod=readonly", "./..."]);
      await build("go", ["-C", CLIENT, "test", "-mod=readonly", "./..."]);
    },
    10 * MINUTES,
  );

  test(
    "has a client whose README runs from its first block to its last",
    async () => {
      await using folder = await makeTempDir();
      await using data = await makeTempDir();
      const server = await startServer({ dataDir: data.path });
      onTestFinished(async () => {
        await server.kill();
      });
      const readme = readFileSync(join(ROOT, CLIENT, "README.md"), "utf8");
      const blocks = [...readme.matchAll(/^```go\n(.*?)^```$/gms)].map(([, block]) => block);
      const program = blocks.join("\n").replace("127.0.0.1:50151", server.address);
      writeFileSync(join(folder.path, "main.go"), program);
      await build("go", ["-C", CLIENT, "run", "-mod=readonly", join(folder.path, "main.go")]);
    },
    5 * MINUTES,
  );

  test(
    "has a client whose tour prints what the tours of all languages print",
    async () => {
      await using folder = await makeTempDir();
      const program = join(folder.path, "tour");
      const tour = ["build", "-mod=readonly", "-buildvcs=false", "-o", program, "./examples/tour"];
      await build("go", ["-C", CLIENT, ...tour]);
      await takeTour({ program, args: [] });
    },
    5 * MINUTES,
  );

  test(
    "has an agent that loses nothing when the server or the agent is killed",
    async () => {
      await using folder = await makeTempDir();
      const program = join(folder.path, "agent");
      expect(await build("gofmt", ["-l", AGENT])).toBe("");
      await build("go", ["-C", AGENT, "vet", "-mod=readonly", "./..."]);
      await build("go", ["-C", AGENT, "build", "-mod=readonly", "-buildvcs=false", "-o", program]);
      await runAgent({ program, args: [] });
    },
    5 * MINUTES,
  );
});
