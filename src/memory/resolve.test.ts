import { afterEach, beforeEach, expect, test } from "vitest";
import { type ScriptedResolver, scriptedResolver } from "../../test/support/memory/resolver.ts";
import {
  listAll,
  memoryDraft,
  relationDraft,
  remember,
  rememberTexts,
  update,
} from "../../test/support/memory/service-memories.ts";
import { eventually, someTurns } from "../../test/support/services/runner-scene.ts";
import { startTestServices, type TestServices } from "../../test/support/services/services.ts";
import { HookFailure } from "../hooks/port.ts";
import type { MemoryDraft, RememberResult } from "./api.ts";
import type { Resolution } from "./rules/extracted.ts";

const HOUR_MS = 3_600_000;

let resolver: ScriptedResolver;
let services: TestServices;

beforeEach(async () => {
  resolver = scriptedResolver();
  services = await startTestServices({}, { hooks: resolver.hooks });
});

afterEach(async () => {
  await services.stop();
});

function ask(drafts: readonly MemoryDraft[], hook = ""): Promise<RememberResult> {
  const conflict = { mode: "ask-hook", hook, singleObject: true } as const;
  return remember(services, drafts, { conflict });
}

const oslo = memoryDraft({ text: "lives in Oslo", key: "city" });

async function texts(): Promise<string[]> {
  return (await listAll(services)).map(({ content }) => content.text);
}

test("the hook decides: supersede, merge, drop, keep both", async () => {
  const cases: readonly (readonly [Resolution, outcome: string, texts: readonly string[]])[] = [
    [{ action: "keep-both" }, "created", ["lives in Rome", "lives in Oslo"]],
    [{ action: "supersede" }, "created", ["lives in Oslo"]],
    [{ action: "merge", text: "moved to Oslo" }, "updated", ["moved to Oslo"]],
    [{ action: "drop" }, "dropped", ["lives in Rome"]],
  ];
  for (const [resolution, outcome, expected] of cases) {
    const own = await startTestServices({}, { hooks: resolver.hooks });
    services = own;
    await rememberTexts(own, ["lives in Rome"], { key: "city" });
    resolver.answer = async () => resolution;
    const { results } = await ask([oslo]);
    expect(results[0]?.outcome).toBe(outcome);
    expect(await texts()).toEqual(expected);
  }
  expect(resolver.asked[0]).toEqual({
    ...{ text: "lives in Oslo", known: ["lives in Rome"], key: "city" },
  });
});

test("nothing that contradicts, or what is known, is not asked about", async () => {
  await ask([oslo, relationDraft("Ann", "works_at", "Acme")]);
  await ask([oslo]);
  expect(resolver.asked).toEqual([]);
  await ask([relationDraft("ann", "works_at", "Ajax")]);
  expect(resolver.asked).toHaveLength(1);
});

test("a hook is told the newest first, at most 16", async () => {
  const known = Array.from({ length: 20 }, (_, at) => `place ${at}`);
  await rememberTexts(services, known, { key: "city" });
  resolver.answer = async () => ({ action: "supersede" });
  const { results } = await ask([oslo]);
  expect(resolver.asked[0]?.known).toEqual(known.slice(4).reverse());
  // Memories that were not shown are contradicted as well.
  expect(results[0]?.supersededIds).toHaveLength(20);
});

test("an unknown hook, or one that does something else, is an error", async () => {
  for (const name of ["none", "mute"]) {
    await expect(ask([oslo], name)).rejects.toMatchObject({ reason: "HOOK_NOT_CONFIGURED" });
  }
  const { defaultResolver: _, ...hooks } = resolver.hooks;
  services = await startTestServices({}, { hooks });
  await expect(ask([oslo])).rejects.toMatchObject({ reason: "HOOK_NOT_CONFIGURED" });
});

test("a hook that fails or answers too much keeps both", async () => {
  await rememberTexts(services, ["lives in Rome"], { key: "city" });
  const failures: readonly (() => Promise<Resolution>)[] = [
    () => Promise.reject(new HookFailure("refused", "No.")),
    () => Promise.reject(new Error("broken")),
    async () => ({ action: "merge", text: "x".repeat(16_385) }),
    async () => ({ action: "merge", text: "" }),
  ];
  for (const [at, answer] of failures.entries()) {
    resolver.answer = answer;
    const { results } = await ask([memoryDraft({ text: `lives in ${at}`, key: "city" })]);
    expect(results[0]?.outcome).toBe("created");
  }
  expect(await texts()).toHaveLength(5);
});

test("a hook that failed too often is left alone for a while", async () => {
  await rememberTexts(services, ["lives in Rome"], { key: "city" });
  resolver.answer = () => Promise.reject(new HookFailure("unreachable", "Gone."));
  for (let at = 0; at < 30; at++) {
    await ask([memoryDraft({ text: `lives in ${at}`, key: "city" })]);
  }
  const count = resolver.asked.length;
  expect(count).toBeLessThan(30);
  services.advance(HOUR_MS);
  resolver.answer = async () => ({ action: "drop" });
  const { results } = await ask([oslo]);
  expect(results[0]?.outcome).toBe("dropped");
  expect(resolver.asked).toHaveLength(count + 1);
});

test("one that never answers is waited for a few seconds, then both are kept", async () => {
  await rememberTexts(services, ["lives in Rome"], { key: "city" });
  resolver.answer = () => new Promise(() => {});
  const drafts = Array.from({ length: 20 }, (_, at) =>
    memoryDraft({ text: `lives in ${at}`, key: "city" }),
  );
  let isDone = false;
  const asked = ask(drafts).finally(() => {
    isDone = true;
  });
  await eventually("the hook is asked", () => resolver.asked.length > 0);
  await someTurns();
  expect(isDone).toBe(false);
  services.advance(5_000);
  const { results } = await asked;
  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(["created"]));
  // A few at a time: not all of them go to a hook that is stuck.
  expect(resolver.asked.length).toBeLessThan(20);
});

test("an answer about memories that changed meanwhile counts for nothing", async () => {
  const [id = ""] = await rememberTexts(services, ["lives in Rome"], { key: "city" });
  for (const change of ["update", "another"] as const) {
    const held = Promise.withResolvers<Resolution>();
    resolver.asked.length = 0;
    resolver.answer = () => held.promise;
    const asked = ask([memoryDraft({ text: `lives in Oslo ${change}`, key: "city" })]);
    await eventually("the hook is asked", () => resolver.asked.length > 0);
    if (change === "update") await update(services, id, { text: "lives in Paris" }, ["text"]);
    else await rememberTexts(services, ["lives in Bern"], { key: "city" });
    held.resolve({ action: "supersede" });
    expect((await asked).results[0]).toMatchObject({ outcome: "created", supersededIds: [] });
  }
  expect(await texts()).toEqual([
    ...["lives in Paris", "lives in Oslo update", "lives in Bern", "lives in Oslo another"],
  ]);
});

test("a repeat of a call is not asked about again", async () => {
  await rememberTexts(services, ["lives in Rome"], { key: "city" });
  const conflict = { mode: "ask-hook", hook: "", singleObject: false } as const;
  const options = { conflict, requestId: "r" };
  const first = await remember(services, [oslo], options);
  expect(await remember(services, [oslo], options)).toEqual(first);
  expect(resolver.asked).toHaveLength(1);
});
