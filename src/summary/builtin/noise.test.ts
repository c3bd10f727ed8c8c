import { describe, expect, test } from "vitest";
import { isFrame, isNoise } from "./noise.ts";

const SHA = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const UUID = "550e8400-e29b-41d4-a716-446655440000";

describe("isNoise", () => {
  test.each([
    `sha256: ${SHA}`,
    `The SHA-256 checksum of the release is ${SHA}.`,
    `commit ${SHA.slice(0, 40)}`,
    `integrity="sha512-${SHA}${SHA}=="`,
    `id: ${UUID}, ${UUID}`,
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    `${UUID} ${UUID} ${UUID} ${UUID} and some more`,
  ])("holds of %j", (text) => expect(isNoise(text)).toBe(true));

  test.each([
    "My order is LS2025010212001, and it comes on Friday.",
    `The request ${UUID} failed with a timeout.`,
    `My API key is ${SHA.slice(0, 32)}.`,
    "See https://example.org/a1b2c3d4e5f6a7b8c9 for the plan.",
    "We compare the checksum of each file before we copy it.",
    "The commit 4f2a9c1 broke the login page.",
    "Call +47 5512345678 before noon.",
  ])("does not hold of %j", (text) => expect(isNoise(text)).toBe(false));

  test("takes time that grows with the text only", () => {
    const start = process.cpuUsage().user;
    for (const piece of ["a", "a1", "a=", "=", "1 ", "a1b2c3d4e5f6a7b8 ", "-"]) {
      for (let i = 0; i < 250; i++) isNoise(piece.repeat(4_096 / piece.length));
    }
    expect(process.cpuUsage().user - start).toBeLessThan(10_000_000);
  });
});

describe("isFrame", () => {
  test.each([
    "    at load (file:///app/main.js:12:7)",
    "    at async Server.start (/app/dist/server.js:40:3)",
    "    at /app/dist/server.js:40:3",
    "    at Array.map (<anonymous>)",
    "\tat com.example.Shop.pay(Shop.java:42)",
    '  File "/app/main.py", line 3, in load',
  ])("holds of %j", (line) => expect(isFrame(line)).toBe(true));

  test.each([
    "at 10:30",
    "at dinner (10:30)",
    "at the station, platform 4, 10:30",
    "TypeError: x is undefined",
    "File the report on line 3",
  ])("does not hold of %j", (line) => expect(isFrame(line)).toBe(false));
});
