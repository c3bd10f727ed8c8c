// Writes the kernel of the vector search anew: run it after a change of
// tools/wasm/vector-kernel.ts.
//
//   node tools/vector-kernel.ts

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { vectorKernelSource } from "./wasm/vector-kernel.ts";

const path = join(import.meta.dirname, "../src/recall/vector/kernel-bytes.ts");
writeFileSync(path, vectorKernelSource());
