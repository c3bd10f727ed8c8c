import { expect, test } from "vitest";
import { MANUAL_HOOKS } from "../../test/support/hooks/hooks.ts";
import { jsonCodec } from "../../test/support/services/json-codec.ts";
import type { ServiceContext } from "../core/context.ts";
import { TokenCounter } from "../core/token-counter.ts";
import { Etags } from "../kit/etag.ts";
import { PARTICIPANTS } from "../services.ts";
import type { Store } from "../store/store.ts";
import { upkeepStep } from "./upkeep.ts";

/** A context over the few methods of a store that upkeep uses. */
function contextOf(store: Partial<Store>): ServiceContext {
  return {
    store: { expiredMemories: async () => [], ...store } as Store,
    etags: new Etags("0123456789abcdef"),
    codec: jsonCodec,
    world: { nowMs: () => 1_000, random: (length) => new Uint8Array(length) },
    tokens: new TokenCounter(),
    hooks: MANUAL_HOOKS,
    participants: PARTICIPANTS,
    settings: { idempotencyWindowMs: 1, eventAgeMsMax: 1, eventCountMax: 1 },
  };
}

test("a damaged session does not keep upkeep from the others and from old events", async () => {
  const done: string[] = [];
  const refs = ["bad", "good"].map((sessionId) => ({ namespace: "default", sessionId }));
  const context = contextOf({
    expiredSessions: async () => refs,
    changeSession: async <T>(change: { readonly sessionId: string }): Promise<T> => {
      if (change.sessionId === "bad") throw new Error("damaged");
      done.push(change.sessionId);
      return true as T;
    },
    maintain: async () => {
      done.push("maintain");
      return false;
    },
  });
  await expect(upkeepStep(context)).rejects.toThrow("damaged");
  expect(done).toEqual(["good", "maintain"]);
});

test("a damaged index of expiry does not keep upkeep from old events", async () => {
  let maintained = 0;
  const context = contextOf({
    expiredSessions: () => Promise.reject(new Error("damaged")),
    maintain: async () => {
      maintained += 1;
      return true;
    },
  });
  await expect(upkeepStep(context)).rejects.toThrow("damaged");
  expect(maintained).toBe(1);
});
