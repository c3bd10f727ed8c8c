import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { pino } from "pino";
import { expect, test } from "vitest";
import { type Carrier, Connections } from "./connections.ts";

const LIMITS = { connectionsMax: 8, prefaceTimeoutMs: 60_000, firstCallTimeoutMs: 60_000 };

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string | undefined;
  destroyed = false;

  constructor(remoteAddress: string | undefined) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.destroyed = true;
  }
}

function scene() {
  const connections = new Connections(LIMITS, pino({ level: "silent" }));
  /** Opens a connection, with an open call when it is known. */
  const open = (address: string | undefined, isKnown: boolean): FakeSocket | undefined => {
    const socket = new FakeSocket(address);
    if (!connections.admit(socket as unknown as Socket)) return undefined;
    if (isKnown) connections.begin(socket as Carrier);
    return socket;
  };
  const openMany = (count: number, address: string | undefined, isKnown: boolean) =>
    Array.from({ length: count }, () => open(address, isKnown));
  return { connections, open, openMany };
}

test("one address of another machine holds three quarters of the places", () => {
  const { open, openMany } = scene();
  expect(openMany(8, "192.0.2.1", true).filter((socket) => socket !== undefined)).toHaveLength(6);
  expect(open("192.0.2.2", true)?.destroyed).toBe(false);
});

test.each([undefined, "127.0.0.1", "127.8.8.8", "::ffff:127.0.0.1", "::1"])(
  "this machine (%s) holds all of the places",
  (address) => {
    const { openMany } = scene();
    expect(openMany(8, address, true).every((socket) => socket?.destroyed === false)).toBe(true);
  },
);

test("a stranger gives way to a newcomer of its address before others do", () => {
  const { openMany, open } = scene();
  const own = openMany(6, "192.0.2.1", false);
  expect(open("192.0.2.1", false)?.destroyed).toBe(false);
  expect(own.map((socket) => socket?.destroyed)).toEqual([true, ...Array(5).fill(false)]);
});

test("among strangers the address with most of them gives way first", () => {
  const { openMany, open } = scene();
  const agent = open(undefined, false);
  const flood = openMany(5, "192.0.2.1", false);
  openMany(2, "192.0.2.2", false);
  openMany(3, "192.0.2.3", false);
  expect(agent?.destroyed).toBe(false);
  expect(flood.filter((socket) => socket?.destroyed)).toHaveLength(3);
});

test("a place in reserve is none for calls, until another becomes free", () => {
  const { connections, openMany, open } = scene();
  const held = openMany(8, undefined, true);
  const late = open(undefined, true);
  expect(late?.destroyed).toBe(true);
  const probe = open(undefined, false);
  held[0]?.emit("close");
  connections.begin(probe as Carrier);
  expect(probe?.destroyed).toBe(false);
});
