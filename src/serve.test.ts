// The order of an orderly stop.

import { expect, test } from "vitest";
import { stopInOrder } from "./serve.ts";

test("stops what is behind an address that fails to stop", async () => {
  const stopped: string[] = [];
  const failing = {
    stop: async () => {
      stopped.push("http");
      throw new Error("no");
    },
  };
  const app = { stop: async () => void stopped.push("app") };
  await expect(stopInOrder(failing, app)).rejects.toThrow("no");
  expect(stopped).toEqual(["http", "app"]);
});
