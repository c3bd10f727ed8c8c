// The committed bytes are those that the script makes.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { KERNEL_BASE64 } from "../../src/recall/vector/kernel-bytes.ts";
import { vectorKernel, vectorKernelSource } from "./vector-kernel.ts";

test("makes the bytes and the source that are committed", () => {
  const path = join(import.meta.dirname, "../../src/recall/vector/kernel-bytes.ts");
  expect(readFileSync(path, "utf8")).toBe(vectorKernelSource());
  expect(Buffer.from(KERNEL_BASE64, "base64").equals(vectorKernel())).toBe(true);
  expect(vectorKernel().length).toBeLessThan(1024);
});
