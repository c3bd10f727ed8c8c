// Go: the generated package compiles.

import { describe, it } from "vitest";
import { build, isMissing } from "./build.ts";

const MINUTES = 60_000;

describe.skipIf(isMissing("Go", "go"))("Go", () => {
  it(
    "compiles the generated package",
    async () => {
      await build("buf", ["generate", "--template", "clients/go/buf.gen.yaml"]);
      await build("go", ["-C", "clients/go", "build", "-mod=readonly", "./..."]);
    },
    10 * MINUTES,
  );
});
