// The cost of the clients beside the bare stubs of their languages, by turns in one run.
//
//   node bench/clients.ts [ROUNDS]
//
// Needs the Python environment: sh clients/python/setup.sh

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateClient } from "../tools/generate.ts";
import { startReal } from "./processes.ts";
import { median } from "./stats.ts";

type Rounds = Record<string, readonly { readonly us: number; readonly cpuUs: number }[]>;

const ROOT = join(import.meta.dirname, "..");
// In the repository, where the code finds its packages.
const BARE = join(ROOT, "bench/results/bare-stub");
const CLIENTS = {
  Python: [join(ROOT, "clients/python/.venv/bin/python"), "bench/clients/overhead.py"],
  TypeScript: [process.execPath, "bench/clients/overhead.ts"],
} as const;
const NAMES = ["append", "window", "append of 32"];
const rounds = process.argv[2] ?? "9";

generateClient(ROOT, BARE);

console.log("client      call          time x  more us  CPU x   rate x");
for (const [client, [command, script]] of Object.entries(CLIENTS)) {
  const directory = mkdtempSync(join(tmpdir(), "clients-"));
  const server = await startReal(directory, { core: undefined });
  try {
    const code = join(BARE, "clients/typescript/src/gen/memorysidecar/v1");
    const args = [script, `127.0.0.1:${server.port}`, rounds, code];
    const found = JSON.parse(execFileSync(command, args, { cwd: ROOT }).toString()) as Rounds;
    for (const name of NAMES) {
      const [ours = [], bare = []] = [found[name], found[`${name} bare`]];
      const ratios = (of: "us" | "cpuUs") =>
        median(ours.map((one, i) => one[of] / (bare[i]?.[of] ?? Number.NaN)));
      const more = median(ours.map((one, i) => one.us - (bare[i]?.us ?? Number.NaN)));
      const figures = [ratios("us"), more, ratios("cpuUs"), 1 / ratios("us")];
      const [time = "", extra = "", cpu = "", rate = ""] = figures.map((one, i) =>
        one.toFixed(i === 1 ? 0 : 2).padStart(7),
      );
      console.log(`${client.padEnd(11)} ${name.padEnd(13)} ${time} ${extra} ${cpu} ${rate}`);
    }
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true });
  }
}
