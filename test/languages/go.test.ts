// Go: the generated package compiles, and an agent works with it.

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { runAgent } from "./agent-run.ts";
import { build, isMissing } from "./build.ts";

const MINUTES = 60_000;
const AGENT = "examples/go-agent";

describe.skipIf(isMissing("Go", "go"))("Go", () => {
  test(
    "compiles the generated package",
    async () => {
      await build("buf", ["generate", "--template", "clients/go/buf.gen.yaml"]);
      await build("go", ["-C", "clients/go", "build", "-mod=readonly", "./..."]);
    },
    10 * MINUTES,
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
