import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { TEST_HOOK_SETTINGS } from "../../test/support/hooks/hooks.ts";
import { failureOf, hookCall, summarizeInput } from "../../test/support/hooks/inputs.ts";
import { answerOutput, startScriptedGrpcHook } from "../../test/support/hooks/scripted-grpc.ts";
import { complete, startScriptedHttp } from "../../test/support/hooks/scripted-http.ts";
import { makeTempDir } from "../../test/support/kit/temp-dir.ts";
import { readHooksFile } from "./config.ts";
import { DEFAULT_HOOKS } from "./config-types.ts";
import { canSummarize } from "./port.ts";
import { createHooks } from "./registry.ts";

const parts = { log: pino({ level: "silent" }) };

describe("createHooks", () => {
  test("always has the built-in hook, which works", async () => {
    const hooks = await createHooks(DEFAULT_HOOKS, parts);
    expect([...hooks.byName.keys()]).toEqual(["builtin"]);
    expect(hooks.defaultSummarizer).toBe("builtin");
    const made = await hooks.byName.get("builtin")?.summarize?.(hookCall(), summarizeInput());
    expect(made?.text).toContain("I live in");
    await hooks.close();
  });

  test("makes every kind of a file, and closes them", async () => {
    await using folder = await makeTempDir();
    await using endpoint = await startScriptedHttp([complete("over HTTP")]);
    await using server = await startScriptedGrpcHook([answerOutput({ text: "over gRPC" })]);
    const path = join(folder.path, "hooks.json");
    writeFileSync(join(folder.path, "key"), "sk-one", { mode: 0o600 });
    const content = {
      default_summarizer: "model",
      hooks: {
        model: { kind: "openai", url: `${endpoint.url}/v1`, model: "m", key_file: "key" },
        mine: { kind: "grpc", target: server.target, token_file: "key" },
        agents: { kind: "poll", max_attempts: 3 },
        builtin: { kind: "builtin", max_attempts: 2 },
        vectors: { kind: "poll", does: "embed", dimensions: 3, batch_size: 2 },
        order: { kind: "poll", does: "rerank" },
      },
      embedder: "vectors",
    };
    writeFileSync(path, JSON.stringify(content));
    const { config, problems } = readHooksFile(path);
    expect(problems).toEqual([]);
    const hooks = await createHooks(config, parts);
    expect([...hooks.byName.keys()]).toEqual([
      ...["model", "mine", "agents", "builtin", "vectors", "order"],
    ]);
    expect(hooks.defaultSummarizer).toBe("model");
    expect(hooks.byName.get("agents")).toMatchObject({
      kind: "poll",
      settings: { maxAttempts: 3 },
    });
    expect(hooks.byName.get("agents")).not.toHaveProperty("summarize");
    expect(hooks.byName.get("agents")).not.toHaveProperty("polled");
    expect(hooks.byName.get("vectors")).toMatchObject({
      kind: "poll",
      polled: { does: "embed", model: "vectors@3", dimensions: 3, batchSize: 2 },
    });
    expect(hooks.byName.get("order")?.polled).toEqual({ does: "rerank" });
    const summarizers = ["agents", "vectors", "order"].map((name) => canSummarize(hooks, name));
    expect(summarizers).toEqual([true, false, false]);
    expect(hooks.byName.get("builtin")?.settings.maxAttempts).toBe(2);
    const ask = (name: string) => hooks.byName.get(name)?.summarize?.(hookCall(), summarizeInput());
    expect(await ask("model")).toMatchObject({ text: "over HTTP" });
    expect(await ask("mine")).toMatchObject({ text: "over gRPC" });
    expect(endpoint.requests[0]?.headers["authorization"]).toBe("Bearer sk-one");
    expect(server.calls[0]?.metadata.get("authorization")).toEqual(["Bearer sk-one"]);
    await hooks.close();
    await expect.poll(() => endpoint.open).toBe(0);
    expect((await failureOf(ask("mine"))).reason).toBe("unreachable");
  });

  test("loads a sentence transformer, and tells what is wrong with one", async () => {
    await using folder = await makeTempDir();
    const tiny = join(import.meta.dirname, "../../test/support/recall/tiny-model");
    const local = { kind: "onnx", directory: tiny, passage_prefix: "p".repeat(200) };
    const path = join(folder.path, "hooks.json");
    writeFileSync(path, JSON.stringify({ embedder: "local", hooks: { local } }));
    const { config, problems } = readHooksFile(path);
    expect(problems).toEqual([]);
    const hooks = await createHooks(config, parts);
    const embedder = hooks.byName.get("local")?.embedder;
    expect(hooks.embedder).toEqual({ kind: "hook", hook: "local" });
    expect(embedder?.model).toMatch(/^onnx@4#[0-9a-f]{12}$/);
    const { signal } = new AbortController();
    const call = { namespace: "default", signal };
    const [first, second] = (await embedder?.embed(call, ["hello", "hello"], "query")) ?? [];
    expect(first).toHaveLength(4);
    expect(first).toEqual(second);
    const late = embedder?.embed({ ...call, signal: AbortSignal.abort() }, ["hello"], "query");
    expect((await failureOf(late)).reason).toBe("unreachable");
    await hooks.close();

    const broken = { kind: "onnx" as const, name: "local", batchSize: 1, directory: folder.path };
    const settings = TEST_HOOK_SETTINGS;
    const prefixes = { queryPrefix: undefined, passagePrefix: undefined };
    const bad = { ...DEFAULT_HOOKS, hooks: [{ ...broken, ...prefixes, settings }] };
    await expect(createHooks(bad, parts)).rejects.toThrow(/model\.onnx is missing/);
  });
});
