import { describe, expect, it } from "vitest";
import { Floor } from "./floor.ts";

const MIB = 1_048_576;

function makeFloor(share: number) {
  const world = { freeBytes: 100 * MIB, totalBytes: 1_000 * MIB, nowMs: 0, looks: 0 };
  const readSpace = () => {
    world.looks++;
    return { freeBytes: world.freeBytes, totalBytes: world.totalBytes };
  };
  const floor = new Floor("unused", { bytes: 50 * MIB, share, readSpace }, () => world.nowMs);
  return { floor, world };
}

describe("the free-space floor", () => {
  it("lets writes through above it and turns them away below", () => {
    const { floor, world } = makeFloor(0.02);
    floor.check();
    world.freeBytes = 49 * MIB;
    floor.check();
    world.nowMs = 1_000;
    expect(() => floor.check()).toThrow("less than the floor");
    world.freeBytes = 51 * MIB;
    world.nowMs = 2_000;
    floor.check();
  });

  it("takes the larger of bytes and share", () => {
    const { floor } = makeFloor(0.2);
    expect(() => floor.check()).toThrow(`floor of ${200 * MIB}`);
  });

  it("looks again after many bytes, not for every write", () => {
    const { floor, world } = makeFloor(0);
    for (let i = 0; i < 100; i++) {
      floor.check();
    }
    expect(world.looks).toBe(1);
    floor.wrote(17 * MIB);
    floor.check();
    expect(world.looks).toBe(2);
  });

  it("is off at 0", () => {
    const off = new Floor("unused", { bytes: 0, readSpace: () => expect.fail() }, () => 0);
    off.check();
  });
});
