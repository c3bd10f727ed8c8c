// The Go part of `npm run gen`: messages and stubs by the plugins that clients/go/go.mod pins. The
// Go tool fetches them from the module proxy and builds them.

import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { buf } from "./generate.ts";

/** Paths of the generated Go code. */
export const GO_CODE = ["clients/go/memorysidecar/v1", "clients/go/memorysidecar/hook"] as const;

/** Generates the Go code below `out`. Without Go it does nothing and returns the reason. */
export function generateGo(root: string, out: string): string | undefined {
  if (spawnSync("go", ["version"]).error !== undefined) return "there is no go in the path";
  for (const folder of GO_CODE) rmSync(join(out, folder), { recursive: true, force: true });
  buf(root, "generate", "--template", "clients/go/buf.gen.yaml", "-o", out);
  return undefined;
}
