import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "{src,test,tools,bench,examples}/**/*.test.ts",
      "clients/typescript/{src,test,examples}/**/*.test.ts",
    ],
    // Tests open stores and start servers: files run side by side, at most two at a time.
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
