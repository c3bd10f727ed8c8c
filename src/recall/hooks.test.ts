import { afterEach, describe, expect, test } from "vitest";
import { MANUAL_HOOKS } from "../../test/support/hooks/hooks.ts";
import { jsonRecallCodec } from "../../test/support/recall/json-recall.ts";
import {
  ANY,
  deleteMessage,
  ofUser,
  recallInput,
  recallTexts,
  searchIds,
  textOf,
  upsert,
} from "../../test/support/recall/recall.ts";
import { toBytes } from "../../test/support/services/json-codec.ts";
import {
  startTestServices,
  type TestServices,
  type TestServicesOptions,
} from "../../test/support/services/services.ts";
import type { HookNews } from "../hooks/hook-state.ts";
import {
  type Hook,
  HookFailure,
  type HookSettings,
  type Hooks,
  type WorkTypes,
} from "../hooks/port.ts";
import type { RecallResult } from "./api.ts";
import { createLocalIndex } from "./index/local.ts";

const SETTINGS: HookSettings = {
  ...{ timeoutMs: 1_000, concurrency: 1, maxAttempts: 1, callsPerHour: 0, tokensPerHour: 0 },
  inputTokensMax: 100_000,
};

/** Directions that a text points in, by the words it has. */
const DIRECTIONS = [/cat|kitten/u, /dog|puppy/u, /car|engine/u];

function vectorOf(text: string): Float32Array {
  const values = DIRECTIONS.map((words) => (words.test(text) ? 1 : 0.01));
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
}

/** A hook that makes vectors and counts its calls. */
interface FakeEmbedder extends Hook {
  readonly asked: { readonly texts: readonly string[]; readonly purpose: string }[];
  isDown: boolean;
  isSlow: boolean;
  refuses: (texts: readonly string[]) => boolean;
}

function fakeEmbedder(model = "fake-1", settings: Partial<HookSettings> = {}): FakeEmbedder {
  const hook: FakeEmbedder = {
    name: "vectors",
    kind: "openai",
    settings: { ...SETTINGS, ...settings },
    asked: [],
    isDown: false,
    isSlow: false,
    refuses: () => false,
    embedder: {
      ...{ model, dimensions: 3, batchSize: 4 },
      embed: async (_, texts, purpose) => {
        hook.asked.push({ texts, purpose });
        if (hook.isSlow) await new Promise(() => {});
        if (hook.isDown) throw new HookFailure("unreachable", "It is down.");
        if (hook.refuses(texts)) throw new HookFailure("refused", "It takes no such text.");
        return texts.map(vectorOf);
      },
    },
  };
  return hook;
}

function withEmbedder(hook: FakeEmbedder): Required<Pick<TestServicesOptions, "hooks" | "index">> {
  const { model: id, dimensions } = hook.embedder ?? { model: "", dimensions: 0 };
  const hooks: Hooks = {
    ...MANUAL_HOOKS,
    byName: new Map([...MANUAL_HOOKS.byName, [hook.name, hook]]),
    embedder: { kind: "hook", hook: hook.name },
  };
  const model = { id, dimensions, isLocal: false };
  return { hooks, index: createLocalIndex({ codec: jsonRecallCodec, model }) };
}

const running: TestServices[] = [];

afterEach(async () => {
  for (const services of running.splice(0)) await services.stop();
});

async function start(options: TestServicesOptions): Promise<TestServices> {
  const services = await startTestServices({}, options);
  running.push(services);
  return services;
}

async function ask(
  services: TestServices,
  query: string,
  rest: Parameters<typeof recallInput>[1] = {},
): Promise<RecallResult> {
  return await services.recall.recall(services.call("Recall"), recallInput(query, rest));
}

/** Lets timers and work go on until there is a vector for everything. */
async function untilEmbedded(services: TestServices): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    services.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
    if (tries % 10 !== 9) continue;
    if ((await ask(services, "x", { mode: "lexical" })).coverage.withoutVectorCount === 0) return;
  }
  throw new Error("There are records without vectors.");
}

describe("vectors that a hook makes", () => {
  test("are made in the background, found by, and kept over a start", async () => {
    const hook = fakeEmbedder();
    const services = await start(withEmbedder(hook));
    await services.append("s", [
      { text: "a kitten sleeps" },
      { text: "the engine is loud" },
      { text: "nothing of both" },
      { text: "" },
    ]);
    await upsert(services, [{ documentId: "d", text: "how to train a puppy" }]);
    const first = await ask(services, "cat");
    expect(first.coverage).toMatchObject({ dense: "used", embeddingModel: "fake-1" });
    expect(first.coverage.withoutVectorCount).toBeGreaterThan(0);
    await untilEmbedded(services);
    expect((await recallTexts(services, "cat", { mode: "dense" }))[0]).toBe("a kitten sleeps");
    expect((await recallTexts(services, "dog", { mode: "dense" }))[0]).toBe("how to train a puppy");
    const passages = (one: FakeEmbedder) =>
      one.asked.filter(({ purpose }) => purpose === "passage");
    expect(passages(hook).flatMap(({ texts }) => texts)).not.toContain("");
    for (const { texts } of hook.asked) expect(texts.length).toBeLessThanOrEqual(4);
    const again = fakeEmbedder();
    const next = await start({
      ...withEmbedder(again),
      store: services.store,
      startMs: services.nowMs(),
    });
    const found = await ask(next, "cat", { mode: "dense" });
    expect(found.coverage.withoutVectorCount).toBe(0);
    expect(found.hits.map(textOf)[0]).toBe("a kitten sleeps");
    expect(passages(again)).toEqual([]);
  });

  test("of a new model are made anew, and follow changes", async () => {
    const services = await start(withEmbedder(fakeEmbedder("old")));
    await services.append("s", [{ messageId: "m", text: "a kitten sleeps" }]);
    await recallTexts(services, "cat");
    await untilEmbedded(services);
    const hook = fakeEmbedder("new");
    const next = await start({
      ...withEmbedder(hook),
      store: services.store,
      startMs: services.nowMs(),
    });
    expect((await ask(next, "kitten")).coverage.withoutVectorCount).toBe(1);
    await untilEmbedded(next);
    expect(hook.asked.flatMap(({ texts }) => texts)).toContain("a kitten sleeps");
    await deleteMessage(next, "s", "m");
    await next.append("s", [{ text: "a puppy barks" }]);
    await recallTexts(next, "dog");
    await untilEmbedded(next);
    expect(await recallTexts(next, "dog", { mode: "dense" })).toEqual(["a puppy barks"]);
  });

  test("show in ListHooks how the hook is, and the operator is told", async () => {
    const hook = fakeEmbedder("fake-1", { callsPerHour: 100 });
    hook.isDown = true;
    const news: HookNews[] = [];
    const services = await start({
      ...withEmbedder(hook),
      onHookNews: (one: HookNews) => news.push(one),
    });
    for (let round = 0; round < 6; round++) await ask(services, `kitten ${round}`);
    const { namespace } = recallInput("x");
    const asked = { namespace, after: "", limit: 10 };
    const { hooks } = await services.hooks.listHooks(services.call("ListHooks"), asked);
    const info = hooks.find((one) => one.hook.name === "vectors");
    expect(info).toMatchObject({ breaker: "open", callCount: 5, runningCalls: 0 });
    expect(info?.failures.get("unreachable")).toBe(5);
    expect(info?.usage.calls).toBe(5);
    expect(news.map(({ kind }) => kind)).toEqual(["failed", "down"]);
  });

  test("are missing while the hook is down: the answer is by words", async () => {
    const hook = fakeEmbedder();
    const services = await start(withEmbedder(hook));
    await services.append("s", [{ text: "a kitten sleeps" }]);
    hook.isDown = true;
    const found = await ask(services, "kitten", { mode: "dense" });
    expect(found.hits.map(textOf)).toEqual(["a kitten sleeps"]);
    expect(found.coverage).toMatchObject({ dense: "unavailable", embeddingModel: "" });
    const cosine = searchIds(services, "x", { scoring: "cosine" });
    await expect(cosine).rejects.toMatchObject({ reason: "EMBEDDER_UNAVAILABLE" });
    for (let round = 0; round < 100; round++) {
      services.advance(500);
      await new Promise((resolve) => setImmediate(resolve));
    }
    // Left alone for longer and longer.
    expect(hook.asked.length).toBeLessThan(20);
    hook.isDown = false;
    services.advance(600_000);
    await untilEmbedded(services);
    expect((await ask(services, "cat")).coverage.dense).toBe("used");
  });

  test("of a query are waited for two seconds", async () => {
    const hook = fakeEmbedder("slow", { timeoutMs: 60_000 });
    const services = await start(withEmbedder(hook));
    await services.append("s", [{ text: "a kitten sleeps" }]);
    hook.isSlow = true;
    const asked = ask(services, "kitten");
    await new Promise((resolve) => setImmediate(resolve));
    services.advance(2_000);
    expect((await asked).coverage.dense).toBe("unavailable");
  });

  test("that fail say whether a retry helps, and nothing that the hook said", async () => {
    const hook = fakeEmbedder();
    const services = await start(withEmbedder(hook));
    await upsert(services, [{ text: "a kitten sleeps" }]);
    const input = { namespace: "default", texts: ["cat"], purpose: "passage" } as const;
    const expectFailure = async (reason: string, message: RegExp): Promise<void> => {
      const failure = { reason, message: expect.stringMatching(message) };
      const made = services.recall.embed(services.call("Embed"), input);
      await expect(made).rejects.toMatchObject(failure);
      const found = searchIds(services, "x", { scoring: "cosine" });
      await expect(found).rejects.toMatchObject(failure);
    };
    hook.refuses = () => true;
    await expectFailure(
      "HOOK_FAILED",
      /^The embedder returned no usable vectors \(refused\). Correct the set/,
    );
    hook.isDown = true;
    await expectFailure(
      "EMBEDDER_UNAVAILABLE",
      /^The embedder is slow, busy or unreachable. Retry\.$/,
    );
  });

  test("are counted by the hour and the namespace", async () => {
    const services = await start(withEmbedder(fakeEmbedder("few", { callsPerHour: 1 })));
    const call = services.call("Embed");
    const input = { namespace: "one", texts: ["cat"], purpose: "passage" } as const;
    expect((await services.recall.embed(call, input)).vectors).toHaveLength(1);
    const more = services.recall.embed(call, input);
    await expect(more).rejects.toMatchObject({ reason: "EMBEDDER_UNAVAILABLE" });
    await services.recall.embed(call, { ...input, namespace: "two" });
    services.advance(3_600_000);
    await services.recall.embed(call, input);
  });

  test("of another model than the server's are refused", async () => {
    const services = await start(withEmbedder(fakeEmbedder()));
    await services.append("s", [{ text: "a kitten sleeps" }]);
    const embedding = { model: "fake-1", values: vectorOf("cat") };
    expect(await recallTexts(services, "", { embedding })).toBeDefined();
    for (const other of [
      { ...embedding, model: "other" },
      { ...embedding, values: Float32Array.of(1) },
    ]) {
      const asked = recallTexts(services, "", { embedding: other });
      await expect(asked).rejects.toMatchObject({ reason: "EMBEDDING_MISMATCH" });
    }
  });
});

describe("a reranker", () => {
  /** Prefers the shortest text. */
  function hooksWith(rerank: NonNullable<Hook["rerank"]>, settings = SETTINGS): Hooks {
    const hook: Hook = { name: "order", kind: "grpc", settings, rerank };
    const byName = new Map([...MANUAL_HOOKS.byName, [hook.name, hook]]);
    return { ...MANUAL_HOOKS, byName, defaultReranker: "order" };
  }
  const rerank = { hook: "", candidates: 50 };

  async function filled(hooks: Hooks): Promise<TestServices> {
    const services = await start({ hooks });
    for (let at = 0; at < 8; at++) {
      await services.append(`s${at}`, [{ text: `zebra${" stripe".repeat(at)}`, name: "Ann" }]);
    }
    return services;
  }

  test("puts hits in order, over all pages", async () => {
    const seen: string[] = [];
    const services = await filled(
      hooksWith(async (_, { query, texts }) => {
        expect(query).toBe("zebra");
        seen.push(...texts);
        return texts.map((text) => text.length);
      }),
    );
    const first = await ask(services, "zebra", { rerank, limit: 3 });
    expect(first.coverage.rerank).toBe("used");
    expect(first.hits.map((hit) => textOf(hit).split(" ").length)).toEqual([8, 7, 6]);
    expect(first.hits[0]?.rerankScore).toBeGreaterThan(first.hits[1]?.rerankScore ?? 0);
    expect(seen[0]).toContain("Ann: zebra");
    const second = await ask(services, "zebra", { rerank, limit: 10, offset: first.next ?? 0 });
    expect(second.hits.map((hit) => textOf(hit).split(" ").length)).toEqual([5, 4, 3, 2, 1]);
    expect(second.next).toBeUndefined();
  });

  test("sees only the best; the others follow as they were", async () => {
    const services = await filled(hooksWith(async (_, { texts }) => texts.map((__, at) => at)));
    const plain = await recallTexts(services, "zebra");
    const few = { hook: "order", candidates: 3 };
    const found: string[] = [];
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const page: RecallResult = await ask(services, "zebra", { rerank: few, limit: 2, offset });
      found.push(...page.hits.map(textOf));
      offset = page.next;
    }
    expect(found).toEqual([...plain.slice(0, 3).toReversed(), ...plain.slice(3)]);
  });

  test("that fails, or answers nonsense, leaves the order as it is", async () => {
    for (const fail of [
      () => Promise.reject(new HookFailure("unreachable", "It is down.")),
      async () => [1],
      async (_: unknown, { texts }: WorkTypes["rerank"]["input"]) => texts.map(() => Number.NaN),
    ]) {
      const services = await filled(hooksWith(fail));
      const found = await ask(services, "zebra", { rerank });
      expect(found.coverage.rerank).toBe("unavailable");
      expect(found.hits.map(textOf)).toEqual(await recallTexts(services, "zebra"));
    }
  });

  test("that hangs is waited for ten seconds, and not asked for a while in the end", async () => {
    let asked = 0;
    const services = await filled(
      hooksWith(() => {
        asked += 1;
        return new Promise(() => {});
      }),
    );
    const plain = await recallTexts(services, "zebra");
    for (let round = 1; round <= 5; round++) {
      const answer = ask(services, "zebra", { rerank });
      while (asked < round) await new Promise((resolve) => setImmediate(resolve));
      services.advance(10_000);
      const { hits, coverage } = await answer;
      expect(coverage.rerank).toBe("unavailable");
      expect(hits.map(textOf)).toEqual(plain);
    }
    expect((await ask(services, "zebra", { rerank })).coverage.rerank).toBe("unavailable");
    expect(asked).toBe(5);
  });

  test("is asked as often in an hour as its settings say", async () => {
    const settings = { ...SETTINGS, callsPerHour: 1 };
    const services = await filled(
      hooksWith(async (_, { texts }) => texts.map((text) => text.length), settings),
    );
    const states: string[] = [];
    for (let round = 0; round < 2; round++) {
      states.push((await ask(services, "zebra", { rerank })).coverage.rerank);
    }
    services.advance(3_600_000);
    states.push((await ask(services, "zebra", { rerank })).coverage.rerank);
    expect(states).toEqual(["used", "unavailable", "used"]);
  });

  test("that the server does not have is an error", async () => {
    const services = await filled(MANUAL_HOOKS);
    const [other = ""] = MANUAL_HOOKS.byName.keys();
    for (const [hook, message] of [
      ["none", /no reranker of this name/],
      [other, /is not a reranker/],
      ["", /no default reranker/],
    ] as const) {
      const asked = ask(services, "zebra", { rerank: { hook, candidates: 5 } });
      const expected = { reason: "HOOK_NOT_CONFIGURED", message: expect.stringMatching(message) };
      await expect(asked).rejects.toMatchObject(expected);
    }
  });

  test("does not bring back what changed while it worked", async () => {
    let meanwhile = async (): Promise<void> => {};
    const services = await start({
      hooks: hooksWith(async (_, { texts }) => {
        await meanwhile();
        return texts.map((text) => text.length);
      }),
    });
    const user = (sessionId: string, userId: string) =>
      services.sessions.createSession(services.call("CreateSession"), {
        ...{ namespace: "default", sessionId, input: { userId }, encode: toBytes },
      });
    await user("s", "ann");
    await services.append("s", [{ text: "zebra of ann" }]);
    await upsert(services, [{ documentId: "d", text: "zebra", labels: { team: "red" } }]);
    const labels = new Map([["team", "red"]]);
    const ofAnn = () =>
      ask(services, "zebra", { rerank, filter: { ...ANY, scope: ofUser("ann") } });
    const ofRed = () => ask(services, "zebra", { rerank, filter: { ...ANY, labels } });
    expect((await ofAnn()).hits).toHaveLength(1);
    expect((await ofRed()).hits).toHaveLength(1);
    meanwhile = async () => {
      await services.sessions.deleteSession(services.call("DeleteSession"), {
        ...{ namespace: "default", sessionId: "s", etag: "", allowMissing: false },
        encode: toBytes,
      });
      await user("s", "bob");
      await services.append("s", [{ text: "zebra of bob" }]);
    };
    expect((await ofAnn()).hits).toEqual([]);
    meanwhile = async () => {
      await upsert(services, [{ documentId: "d", text: "zebra", labels: { team: "blue" } }]);
    };
    expect((await ofRed()).hits).toEqual([]);
  });

  test("tells a session from a collection of the same name", async () => {
    const services = await start({
      hooks: hooksWith(async (_, { texts }) => texts.map((text) => text.length)),
    });
    await services.append("docs", [{ text: "zebra of a session" }]);
    await upsert(services, [{ documentId: "d", text: "zebra" }]);
    const { groups } = await ask(services, "zebra", { rerank, hitsPerGroup: 1 });
    expect(groups.map(({ kind, id }) => [kind, id])).toEqual([
      ["session", "docs"],
      ["collection", "docs"],
    ]);
  });

  test("orders sessions by their best hit", async () => {
    const services = await filled(
      hooksWith(async (_, { texts }) => texts.map((text) => text.length)),
    );
    const { groups, hits } = await ask(services, "zebra", { rerank, hitsPerGroup: 1, limit: 2 });
    expect(groups.map(({ id }) => id)).toEqual(["s7", "s6"]);
    expect(hits).toHaveLength(2);
  });
});

describe("an embedder", () => {
  test("that refuses one text makes the vectors of the others", async () => {
    const hook = fakeEmbedder();
    hook.refuses = (texts) => texts.some((text) => text.includes("poison"));
    const services = await start(withEmbedder(hook));
    await services.append("s", [
      ...[{ text: "a kitten sleeps" }, { text: "poison" }, { text: "the engine is loud" }],
      ...[{ text: "more poison" }, { text: "a puppy barks" }],
    ]);
    await ask(services, "cat");
    await untilEmbedded(services);
    expect((await recallTexts(services, "cat", { mode: "dense" }))[0]).toBe("a kitten sleeps");
    expect((await recallTexts(services, "dog", { mode: "dense" }))[0]).toBe("a puppy barks");
  });

  test("that refuses everything is asked again", async () => {
    const hook = fakeEmbedder();
    hook.refuses = () => true;
    const services = await start(withEmbedder(hook));
    await services.append("s", [{ text: "a kitten sleeps" }]);
    await ask(services, "cat");
    for (let round = 0; round < 20; round++) {
      services.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await ask(services, "x")).coverage.withoutVectorCount).toBe(1);
    hook.refuses = () => false;
    await untilEmbedded(services);
    expect(await recallTexts(services, "cat", { mode: "dense" })).toEqual(["a kitten sleeps"]);
  });

  test("that recovers right after it refused a text is asked for it again", async () => {
    const hook = fakeEmbedder();
    let isBroken = true;
    hook.refuses = (texts) => {
      const isRefused = isBroken;
      // It is mended before it is asked whether it works at all.
      if (texts.includes("a kitten sleeps")) isBroken = false;
      return isRefused;
    };
    const services = await start(withEmbedder(hook));
    await services.append("s", [{ text: "a kitten sleeps" }]);
    await services.append("t", [{ text: "the engine is loud" }]);
    await ask(services, "cat", { mode: "lexical" });
    await untilEmbedded(services);
    expect((await recallTexts(services, "cat", { mode: "dense" }))[0]).toBe("a kitten sleeps");
  });

  test("is never asked for a text that no embedder takes", async () => {
    const hook = fakeEmbedder();
    const services = await start(withEmbedder(hook));
    const input = { namespace: "one", texts: ["", "cat", " \n"], purpose: "passage" } as const;
    const { vectors } = await services.recall.embed(services.call("Embed"), input);
    expect(vectors.map((vector) => vector.some((value) => value !== 0))).toEqual([
      ...[false, true, false],
    ]);
    expect(hook.asked).toEqual([{ texts: ["cat"], purpose: "passage" }]);
    await services.append("s", [{ text: "0123456789abcdef".repeat(1_000) }]);
    await ask(services, "cat");
    await untilEmbedded(services);
    for (const { texts } of hook.asked) expect(texts[0]?.length).toBeLessThanOrEqual(1_024);
  });

  test("is not blamed for calls that their callers gave up", async () => {
    const hook = fakeEmbedder();
    const services = await start(withEmbedder(hook));
    await services.append("s", [{ text: "a kitten sleeps" }]);
    hook.isSlow = true;
    for (let round = 0; round < 10; round++) {
      const caller = new AbortController();
      const call = { ...services.call("Recall"), signal: caller.signal };
      const asked = services.recall.recall(call, recallInput("cat"));
      await new Promise((resolve) => setImmediate(resolve));
      caller.abort();
      await expect(asked).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
    }
    hook.isSlow = false;
    expect((await ask(services, "cat")).coverage.dense).toBe("used");
  });
});
