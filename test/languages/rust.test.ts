// Rust: the client passes its own tests, its README runs, and so does its tour.

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ROOT } from "../../tools/process.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { startServer } from "../support/process/server.ts";
import { build, isMissing } from "./build.ts";
import { takeTour } from "./tour.ts";

const MINUTES = 60_000;
const CLIENT = join(ROOT, "clients/rust");
const TARGET = join(CLIENT, "target");

/** A package around the README, with the features that the tests of the client are built with. */
const PACKAGE = `[package]
name = "readme"
version = "0.1.0"
edition = "2024"

[dependencies]
memory-sidecar = { path = "${CLIENT}", features = ["server"] }
tokio = { version = "1", features = ["io-std", "io-util", "macros", "net", "rt-multi-thread"] }

[profile.dev]
debug = false
`;

function cargo(command: string, ...args: readonly string[]): Promise<string> {
  const shared = ["--locked", "--features", "server"];
  const manifest = join(CLIENT, "Cargo.toml");
  return build("cargo", [command, ...shared, "--manifest-path", manifest, ...args]);
}

describe.skipIf(isMissing("Rust", "cargo"))("Rust", () => {
  test(
    "has a client that passes its tests",
    async () => {
      await cargo("test");
    },
    15 * MINUTES,
  );

  // Debian's packages of cargo come without it.
  test.skipIf(spawnSync("rustfmt", ["--version"]).error !== undefined)(
    "has a client in its format",
    async () => {
      const args = ["fmt", "--check", "--manifest-path", join(CLIENT, "Cargo.toml")];
      expect(await build("cargo", args)).toBe("");
    },
  );

  test(
    "has a client whose README runs from its first block to its last",
    async () => {
      await using folder = await makeTempDir();
      const server = await startServer({ dataDir: join(folder.path, "data") });
      onTestFinished(async () => {
        await server.kill();
      });
      const readme = readFileSync(join(CLIENT, "README.md"), "utf8");
      const blocks = [...readme.matchAll(/^```rust\n(.*?)^```$/gms)].map(([, block]) => block);
      const program = blocks.join("\n").replace("127.0.0.1:50151", server.address);
      mkdirSync(join(folder.path, "src"));
      writeFileSync(join(folder.path, "src/main.rs"), program);
      writeFileSync(join(folder.path, "Cargo.toml"), PACKAGE);
      copyFileSync(join(CLIENT, "Cargo.lock"), join(folder.path, "Cargo.lock"));
      const args = ["run", "--offline", "--manifest-path", join(folder.path, "Cargo.toml")];
      await build("cargo", args, { env: { CARGO_TARGET_DIR: TARGET } });
    },
    15 * MINUTES,
  );

  test(
    "has a client whose tour prints what the tours of all languages print",
    async () => {
      await cargo("build", "--example", "tour");
      await takeTour({ program: join(TARGET, "debug/examples/tour"), args: [] });
    },
    15 * MINUTES,
  );
});
