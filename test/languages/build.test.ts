// That a language is never left out unnoticed.

import { afterEach, describe, expect, test, vi } from "vitest";
import { build, isMissing } from "./build.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe("a missing program", () => {
  test("leaves its language out, and says so", () => {
    vi.stubEnv("CI", "");
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    expect(isMissing("Cobol", process.execPath, "no-such-compiler")).toBe(true);
    expect(warn).toHaveBeenCalledWith("SKIPPED Cobol: there is no no-such-compiler");
    expect(isMissing("JavaScript", process.execPath)).toBe(false);
  });

  test("is a failure in CI", async () => {
    vi.stubEnv("CI", "true");
    expect(isMissing("Cobol", "no-such-compiler")).toBe(false);
    await expect(build("no-such-compiler", [])).rejects.toThrow(/no-such-compiler.*ENOENT/s);
  });
});

test("a build that fails shows what it wrote", async () => {
  const script = "console.log('line 7: no'); process.exit(3)";
  await expect(build(process.execPath, ["-e", script])).rejects.toThrow(/ended with 3\nline 7: no/);
});
