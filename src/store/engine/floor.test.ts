import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
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
  test("lets writes through above it and turns them away below", () => {
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

  test("takes the larger of bytes and share", () => {
    const { floor } = makeFloor(0.2);
    expect(() => floor.check()).toThrow(`floor of ${200 * MIB}`);
  });

  test("looks again after many bytes, not for every write", () => {
    const { floor, world } = makeFloor(0);
    for (let i = 0; i < 100; i++) {
      floor.check();
    }
    expect(world.looks).toBe(1);
    floor.wrote(17 * MIB);
    floor.check();
    expect(world.looks).toBe(2);
  });

  test("is off at 0", () => {
    const off = new Floor("unused", { bytes: 0, readSpace: () => expect.fail() }, () => 0);
    off.check();
  });

  test("gives up its reserve for a commit that does not fit else, and makes it again", async () => {
    await using directory = await makeTempDir();
    const reserve = join(directory.path, "reserve");
    const world = { nowMs: 0, leftBytes: 100 * MIB };
    const readSpace = () => ({
      freeBytes: world.leftBytes - (existsSync(reserve) ? 8 * MIB : 0),
      totalBytes: 1_000 * MIB,
    });
    const nextMs = () => {
      world.nowMs += 1_000;
      return world.nowMs;
    };
    const floor = new Floor(directory.path, { bytes: 50 * MIB, readSpace }, nextMs);
    const keepReserve = async (leftBytes: number) => {
      world.leftBytes = leftBytes;
      floor.keepReserve();
      await floor.stop();
      return existsSync(reserve);
    };
    expect(await keepReserve(100 * MIB)).toBe(true);
    world.leftBytes = 8 * MIB;
    expect([floor.fitsBesideReserve(9 * MIB), existsSync(reserve)]).toEqual([false, true]);
    expect([floor.isFull, floor.fits(MIB), existsSync(reserve)]).toEqual([true, true, false]);
    expect([floor.isFull, floor.fits(9 * MIB)]).toEqual([true, false]);
    expect(await keepReserve(57 * MIB)).toBe(false);
    expect(await keepReserve(58 * MIB)).toBe(true);
  });
});
