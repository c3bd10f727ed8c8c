// Goal: what fades, fades once in each period, whatever happens meanwhile; what is over, goes.

import { afterEach, describe, expect, test } from "vitest";
import { MANUAL_HOOKS } from "../../test/support/hooks/hooks.ts";
import { listAll, rememberTexts } from "../../test/support/memory/service-memories.ts";
import { jsonCodec } from "../../test/support/services/json-codec.ts";
import {
  startTestServices,
  storeWith,
  type TestServices,
} from "../../test/support/services/services.ts";
import type { MemoryDecay, ServiceContext, ServiceSettings } from "../core/context.ts";
import { TokenCounter } from "../core/token-counter.ts";
import { EVENT_TYPE } from "../events/rules/event.ts";
import { Etags } from "../kit/etag.ts";
import { PARTICIPANTS } from "../services.ts";
import { upkeepStep } from "../session/upkeep.ts";
import { removeExpiredMemories, ScheduledDecay } from "./upkeep.ts";

const DAY_MS = 86_400_000;
const HALF: MemoryDecay = { factor: 0.5, periodMs: 7 * DAY_MS, floor: 0 };

let services: TestServices;
afterEach(() => services.stop());

const settings: ServiceSettings = {
  ...{ idempotencyWindowMs: 86_400_000, eventAgeMsMax: 1e12, eventCountMax: 1e6 },
};

/** Context of upkeep over the store of the services. */
function contextOf(memoryDecay?: MemoryDecay): ServiceContext {
  return {
    store: services.store,
    etags: new Etags("0123456789abcdef"),
    codec: jsonCodec,
    world: { nowMs: services.nowMs, random: (length) => new Uint8Array(length) },
    tokens: new TokenCounter(),
    hooks: MANUAL_HOOKS,
    participants: PARTICIPANTS,
    settings: memoryDecay === undefined ? settings : { ...settings, memoryDecay },
  };
}

function fail(error: unknown): never {
  throw error;
}

/** One pass over all memories. */
async function pass(decay: MemoryDecay): Promise<void> {
  const scheduled = new ScheduledDecay(contextOf(decay));
  while (await scheduled.step());
}

async function confidences(): Promise<number[]> {
  return (await listAll(services)).map(({ strength }) => strength.confidence);
}

async function typesOf(type: number): Promise<number> {
  return (await services.allEvents()).filter(({ detail }) => detail.type === type).length;
}

describe("confidence fades", () => {
  test("once in each period, however often it is looked at", async () => {
    services = await startTestServices();
    await rememberTexts(services, ["a", "b"]);
    await pass(HALF);
    expect(await confidences()).toEqual([1, 1]);
    services.advance(7 * DAY_MS);
    for (let times = 0; times < 3; times++) await pass(HALF);
    expect(await confidences()).toEqual([0.5, 0.5]);
    services.advance(7 * DAY_MS - 1);
    await pass(HALF);
    expect(await confidences()).toEqual([0.5, 0.5]);
    services.advance(1);
    await pass(HALF);
    expect(await confidences()).toEqual([0.25, 0.25]);
    expect(await typesOf(EVENT_TYPE.memoriesDecayed)).toBe(2);
  });

  test("by all periods that passed while the server stood still, and stays in step", async () => {
    services = await startTestServices();
    await rememberTexts(services, ["a"]);
    services.advance(3 * 7 * DAY_MS + DAY_MS);
    await pass(HALF);
    expect(await confidences()).toEqual([0.125]);
    services.advance(6 * DAY_MS);
    await pass(HALF);
    expect(await confidences()).toEqual([0.0625]);
  });

  test("until a memory is deleted below the floor, but for persistent ones", async () => {
    services = await startTestServices();
    await rememberTexts(services, ["a"]);
    await rememberTexts(services, ["b"], { persistent: true });
    services.advance(2 * 7 * DAY_MS);
    await pass({ ...HALF, floor: 0.3 });
    const left = await listAll(services);
    expect(left.map(({ content, strength }) => [content.text, strength.confidence])).toEqual([
      ["b", 0.25],
    ]);
    expect(await typesOf(EVENT_TYPE.memoriesDeleted)).toBe(1);
  });

  test("of memories of every namespace, in steps", async () => {
    services = await startTestServices();
    const texts = (count: number) => Array.from({ length: count }, (_, index) => `fact ${index}`);
    for (let start = 0; start < 3; start++) {
      await rememberTexts(
        services,
        texts(250).map((text) => `${start} ${text}`),
      );
    }
    services.advance(7 * DAY_MS);
    const scheduled = new ScheduledDecay(contextOf(HALF));
    let steps = 0;
    while (await scheduled.step()) steps += 1;
    expect(steps).toBe(2);
    expect(new Set(await confidences())).toEqual(new Set([0.5]));
    // The next pass comes later.
    expect(await scheduled.step()).toBe(false);
    services.advance(7 * DAY_MS);
    expect(await scheduled.step()).toBe(true);
  });

  test("not when the operator does not want it", async () => {
    services = await startTestServices();
    await rememberTexts(services, ["a"]);
    services.advance(100 * DAY_MS);
    expect(await new ScheduledDecay(contextOf()).step()).toBe(false);
    expect(await confidences()).toEqual([1]);
  });
});

describe("memories whose time has run out", () => {
  test("are removed with their event", async () => {
    services = await startTestServices();
    const [id] = await rememberTexts(services, ["a"], { ttlMs: DAY_MS });
    await rememberTexts(services, ["b"]);
    expect(await removeExpiredMemories(contextOf(), fail)).toBe(false);
    expect(await services.store.readMemory("default", id ?? "")).toBeDefined();
    services.advance(DAY_MS);
    await upkeepStep(contextOf());
    expect(await services.store.readMemory("default", id ?? "")).toBeUndefined();
    const reasons = (await services.allEvents()).flatMap(({ detail }) =>
      detail.type === EVENT_TYPE.memoriesDeleted ? [[detail.reason, detail.memoryIds]] : [],
    );
    expect(reasons).toEqual([["expired", [id]]]);
  });

  test("do not keep upkeep awake when they cannot be removed", async () => {
    services = await startTestServices();
    const context = contextOf();
    const expired = Array.from({ length: 500 }, (_, index) => ({
      ...{ namespace: "default", memoryId: `m${index}` },
    }));
    const store = storeWith(context.store, {
      expiredMemories: async () => expired,
      changeMemories: () => Promise.reject(new Error("damaged")),
    });
    const errors: unknown[] = [];
    const more = await removeExpiredMemories({ ...context, store }, (one) => errors.push(one));
    expect(more).toBe(false);
    expect(errors).toHaveLength(1);
  });
});
