// Rust: what prost and tonic generate compiles.

import { describe, test } from "vitest";
import { build, isMissing } from "./build.ts";

const MINUTES = 60_000;

describe.skipIf(isMissing("Rust", "cargo"))("Rust", () => {
  test(
    "compiles the generated module",
    async () => {
      await build("cargo", [
        "check",
        "--locked",
        "--manifest-path",
        "test/languages/rust/Cargo.toml",
      ]);
    },
    10 * MINUTES,
  );
});
