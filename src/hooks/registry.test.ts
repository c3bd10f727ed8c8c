import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { failureOf, hookCall, summarizeInput } from "../../test/support/hook-inputs.ts";
import { answerOutput, startScriptedGrpcHook } from "../../test/support/scripted-grpc-hook.ts";
import { complete, startScriptedHttp } from "../../test/support/scripted-http.ts";
import { makeTempDir } from "../../test/support/temp-dir.ts";
import { DEFAULT_HOOKS, readHooksFile } from "./config.ts";
import { createHooks } from "./registry.ts";

const parts = { log: pino({ level: "silent" }) };

describe("createHooks", () => {
  it("always has the built-in hook, which works", async () => {
    const hooks = createHooks(DEFAULT_HOOKS, parts);
    expect([...hooks.byName.keys()]).toEqual(["builtin"]);
    expect(hooks.defaultSummarizer).toBe("builtin");
    const made = await hooks.byName.get("builtin")?.summarize?.(hookCall(), summarizeInput());
    expect(made?.text).toContain("I live in");
    await hooks.close();
  });

  it("makes every kind of a file, and closes them", async () => {
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
      },
    };
    writeFileSync(path, JSON.stringify(content));
    const { config, problems } = readHooksFile(path);
    expect(problems).toEqual([]);
    const hooks = createHooks(config, parts);
    expect([...hooks.byName.keys()]).toEqual(["model", "mine", "agents", "builtin"]);
    expect(hooks.defaultSummarizer).toBe("model");
    expect(hooks.byName.get("agents")).toMatchObject({
      kind: "poll",
      settings: { maxAttempts: 3 },
    });
    expect(hooks.byName.get("agents")).not.toHaveProperty("summarize");
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
});
