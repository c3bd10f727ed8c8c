import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { makeCertificate } from "../../test/support/kit/certificate.ts";
import { makeTempDir } from "../../test/support/kit/temp-dir.ts";
import { BUILTIN_SETTINGS } from "./builtin.ts";
import { HOOKS_MAX, readHooksFile } from "./config.ts";
import { DEFAULT_HOOKS, type HooksConfig } from "./config-types.ts";
import { HOOK_FIELD_NAMES, hookField, hookFieldRows, hookFieldTable } from "./fields.ts";

const CANARY = "canary-sk-12345";
const TINY_MODEL = join(import.meta.dirname, "../../test/support/recall/tiny-model");

let certificate = "";
beforeAll(async () => {
  await using folder = await makeTempDir();
  certificate = makeCertificate(folder.path, "model.example").cert;
});

/** Reads a file with this content; `key`, `ca.pem` and others are beside it. */
async function read(content: unknown) {
  await using folder = await makeTempDir();
  const path = join(folder.path, "hooks.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  writeFileSync(join(folder.path, "key"), `${CANARY}\n`, { mode: 0o600 });
  writeFileSync(join(folder.path, "two"), `${CANARY}\n${CANARY}\n`, { mode: 0o600 });
  writeFileSync(join(folder.path, "empty"), "\n", { mode: 0o600 });
  writeFileSync(join(folder.path, "ca.pem"), certificate);
  mkdirSync(join(folder.path, "wordless", "onnx"), { recursive: true });
  writeFileSync(join(folder.path, "wordless", "onnx", "model.onnx"), "");
  const found = readHooksFile(path);
  const prefix = `the hooks file ${path}: `;
  const problems = found.problems.map((problem) => {
    expect(problem.startsWith(prefix)).toBe(true);
    expect(problem).not.toContain(CANARY);
    return problem.slice(prefix.length);
  });
  return { config: found.config, problems, folder: folder.path };
}

async function good(content: unknown): Promise<HooksConfig & { folder: string }> {
  const { config, problems, folder } = await read(content);
  expect(problems).toEqual([]);
  return { ...config, folder };
}

const openai = { kind: "openai", url: "http://127.0.0.1:11434/v1", model: "small" };
const grpc = { kind: "grpc", target: "127.0.0.1:50200" };

describe("readHooksFile", () => {
  test("fills in what is left out", async () => {
    const { hooks, defaultSummarizer } = await good({
      hooks: { a: openai, b: grpc, c: { kind: "poll" }, builtin: { kind: "builtin" } },
    });
    expect(defaultSummarizer).toBe("builtin");
    const settings = {
      timeoutMs: 60_000,
      concurrency: 4,
      maxAttempts: 5,
      callsPerHour: 0,
      tokensPerHour: 0,
      inputTokensMax: 12_000,
    };
    expect(hooks).toEqual([
      {
        name: "a",
        kind: "openai",
        does: "summarize",
        embed: undefined,
        settings,
        url: new URL("http://127.0.0.1:11434/v1/chat/completions"),
        model: "small",
        keyFile: undefined,
        temperature: 0,
        extraBody: {},
        caFile: undefined,
        maxResponseBytes: 1_048_576,
        allowPrivateAddress: false,
      },
      {
        name: "b",
        kind: "grpc",
        does: "summarize",
        embed: undefined,
        settings,
        target: { kind: "tcp", host: "127.0.0.1", port: 50_200 },
        tls: false,
        tokenFile: undefined,
        caFile: undefined,
        maxResponseBytes: 1_048_576,
        allowPrivateAddress: false,
      },
      { name: "c", kind: "poll", does: "summarize", embed: undefined, settings },
      { name: "builtin", kind: "builtin", settings: BUILTIN_SETTINGS },
    ]);
  });

  test("takes everything that may be set", async () => {
    const common = { max_attempts: 2, calls_per_hour: 3, tokens_per_hour: 4 };
    const called = { ...common, timeout_ms: 500, concurrency: 6, max_input_tokens: 700 };
    const remote = { ca_file: "ca.pem", max_response_bytes: 8_000, allow_private_address: true };
    const { hooks, defaultSummarizer, folder } = await good({
      default_summarizer: "b-1_x",
      hooks: {
        a: {
          ...called,
          ...remote,
          kind: "openai",
          url: "https://model.example/v1",
          model: "m",
          key_file: "key",
          temperature: 0.5,
          extra_body: { seed: 1, max_tokens: null },
        },
        "b-1_x": { ...called, ...remote, ...grpc, tls: true, token_file: "./key" },
      },
    });
    expect(defaultSummarizer).toBe("b-1_x");
    const settings = {
      timeoutMs: 500,
      concurrency: 6,
      maxAttempts: 2,
      callsPerHour: 3,
      tokensPerHour: 4,
      inputTokensMax: 700,
    };
    const read = {
      caFile: join(folder, "ca.pem"),
      maxResponseBytes: 8_000,
      allowPrivateAddress: true,
    };
    expect(hooks).toMatchObject([
      {
        settings,
        ...read,
        keyFile: join(folder, "key"),
        temperature: 0.5,
        extraBody: { seed: 1, max_tokens: null },
      },
      { settings, ...read, tls: true, tokenFile: join(folder, "key") },
    ]);
  });

  test("tells of everything that is wrong at once, and of no value", async () => {
    const { problems } = await read({
      hokks: CANARY,
      default_summarizer: "olama",
      hooks: {
        Ollama: openai,
        manual: openai,
        none: CANARY,
        what: { kind: CANARY },
        builtin: openai,
        other: { kind: "builtin" },
        ollama: {
          kind: "openai",
          url: `https://user:${CANARY}@model.example/`,
          api_key: CANARY,
          key_fil: CANARY,
          timeout_ms: "60000",
          concurrency: 0,
          temperature: 3,
          extra_body: [CANARY],
          allow_private_address: 1,
        },
        grpc: { kind: "grpc", target: CANARY, url: CANARY, tls: "yes", max_response_bytes: 1.5 },
        worker: { kind: "poll", timeout_ms: 1_000 },
      },
    });
    expect(problems).toEqual([
      'unknown field "hokks": did you mean hooks?',
      'hooks: "Ollama" is not a name: 1 to 63 of a-z0-9_-, the first a letter',
      "hooks.manual cannot be defined: manual means that no hook is called",
      "hooks.none must be a JSON object",
      "hooks.what.kind must be one of builtin, openai, grpc, poll, onnx",
      "hooks.builtin.kind: the kind builtin and the name builtin go together",
      "hooks.other.kind: the kind builtin and the name builtin go together",
      'hooks.ollama has no field "api_key" for the kind openai',
      'hooks.ollama has no field "key_fil" for the kind openai: did you mean key_file?',
      "hooks.ollama.timeout_ms must be a whole number of 100 to 3600000",
      "hooks.ollama.concurrency must be a whole number of 1 to 256",
      "hooks.ollama.model is required",
      "hooks.ollama.temperature must be a number of 0 to 2",
      "hooks.ollama.extra_body must be a JSON object",
      "hooks.ollama.allow_private_address must be true or false",
      "hooks.ollama.url must not hold a user or a password: use key_file",
      'hooks.grpc has no field "url" for the kind grpc',
      "hooks.grpc.tls must be true or false",
      "hooks.grpc.max_response_bytes must be a whole number of 4096 to 67108864",
      "hooks.grpc.target must be HOST:PORT, [IPV6]:PORT or unix:PATH",
      'hooks.worker has no field "timeout_ms" for the kind poll',
      "default_summarizer must name a hook of this file that is to summarize, builtin or manual: did you mean ollama?",
    ]);
  });

  test.each([
    ["a file that is missing", { key_file: "nowhere" }, /key_file: the file cannot be read/],
    ["an empty key", { key_file: "empty" }, /key_file: the file is empty/],
    ["two keys", { key_file: "two" }, /key_file: the file must hold one secret/],
    ["certificates that are missing", { ca_file: "nowhere" }, /ca_file: the file cannot be read/],
    ["certificates that are none", { ca_file: "key" }, /ca_file: the file holds no certificate/],
    ["certificates without TLS", { ca_file: "ca.pem" }, /ca_file needs a url/],
    ["messages of its own", { extra_body: { messages: [] } }, /extra_body cannot change messages/],
    ["streams", { extra_body: { stream: true } }, /extra_body cannot change stream/],
    ["an empty model", { model: "" }, /model must be a text/],
    ["a model that is too long", { model: "m".repeat(5_000) }, /model must be a text/],
    ["null", { model: null }, /model must be a text/],
    ["another scheme", { url: "ftp://model.example" }, /url must begin with http/],
    ["a number too high", { max_attempts: 1e9 }, /max_attempts must be a whole number/],
    ["a prototype", { __proto__x: 1, constructor: 1 }, /has no field "constructor"/],
  ])("refuses %s", async (_, fields, message) => {
    const { problems } = await read({ hooks: { a: { ...openai, ...fields } } });
    expect(problems.join("\n")).toMatch(message);
  });

  test("refuses certificates for a gRPC server without TLS, and an unreadable token", async () => {
    const { problems } = await read({ hooks: { a: { ...grpc, ca_file: "ca.pem" } } });
    expect(problems).toEqual(["hooks.a.ca_file needs tls"]);
    const token = await read({ hooks: { a: { ...grpc, token_file: "two" } } });
    expect(token.problems.join()).toContain("token_file: the file must hold one secret");
  });

  test.each([
    ["text", CANARY, "it is not JSON: look at line 1"],
    ["a comma too many", `{\n "hooks": {\n  "a": "${CANARY}",\n }\n}`, "not JSON: look at line 4"],
    ["half a file", `{"hooks": {\n"a": "${CANARY}`, "it is not JSON: look at line 2"],
    ["a list", [CANARY], "it must hold one JSON object"],
    ["hooks that are a list", { hooks: [openai] }, "hooks must be a JSON object"],
    ["a default that is no name", { default_summarizer: 7 }, "default_summarizer must name"],
    ["an empty file", "", "it is empty"],
    ["blanks", " \n", "it is empty"],
    [
      "a hook that stands twice",
      '{"hooks": {"a": {"kind": "poll"}, "a": {"kind": "poll"}}}',
      'the field "a" stands twice in one object',
    ],
    [
      "a field that stands twice, once in other letters",
      '{"hooks": {"a": {"kind": "poll", "k\\u0069nd" : "poll"}}}',
      'the field "kind" stands twice in one object',
    ],
    ["a file without end", `{"x": "${" ".repeat(1_048_576)}"}`, "it is longer than 1048576 bytes"],
  ])("refuses %s", async (_, content, message) => {
    const { problems } = await read(content);
    expect(problems.join("\n")).toContain(message);
  });

  test("refuses too many hooks, and a file that is missing", async () => {
    const names = Array.from({ length: HOOKS_MAX + 1 }, (_, index) => `h${index}`);
    const hooks = Object.fromEntries(names.map((name) => [name, { kind: "poll" }]));
    const { problems } = await read({ hooks });
    expect(problems).toEqual([`hooks holds more than ${HOOKS_MAX} hooks`]);
    const missing = readHooksFile("/nowhere/hooks.json");
    expect(missing.problems.join()).toContain("it cannot be read (ENOENT)");
    expect(missing.config).toBe(DEFAULT_HOOKS);
  });

  test("lets a name of 63 characters through, and none of 64", async () => {
    const name = `a${"1".repeat(62)}`;
    await good({ hooks: { [name]: { kind: "poll" } }, default_summarizer: name });
    const { problems } = await read({ hooks: { [`${name}1`]: { kind: "poll" } } });
    expect(problems.join()).toContain("is not a name");
  });

  test("takes a byte order mark, and the same field in several hooks", async () => {
    const text =
      '{"hooks": {"a": {"kind": "poll"}, "b": {"kind": "poll"}}, "default_summarizer": "a"}';
    const { hooks } = await good(`\uFEFF${text}`);
    expect(hooks.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  test("takes texts for texts that look like fields", async () => {
    const model = '"kind": {["kind": \\" , "url" : ';
    expect((await good({ hooks: { a: { ...openai, model } } })).hooks).toMatchObject([{ model }]);
  });

  test.each(["manual", "builtin"])("takes %s as the default", async (name) => {
    expect((await good({ default_summarizer: name })).defaultSummarizer).toBe(name);
  });
});

describe("hooks for vectors and orders", () => {
  const vectors = { ...openai, does: "embed", dimensions: 384 };

  test("are read with their own fields", async () => {
    const { hooks, embedder, defaultReranker } = await good({
      hooks: {
        near: { ...vectors, query_prefix: "query: ", batch_size: 8, send_dimensions: true },
        mine: { ...grpc, does: "embed", dimensions: 4_096, batch_size: 1_024 },
        order: { ...openai, does: "rerank", url: "https://api.example/v1/rerank/" },
        local: { kind: "onnx", directory: TINY_MODEL },
        agents: { kind: "poll", does: "embed", dimensions: 768, batch_size: 1_024 },
        judges: { kind: "poll", does: "rerank" },
      },
      embedder: "near",
      default_reranker: "order",
    });
    expect(embedder).toEqual({ kind: "hook", hook: "near" });
    expect(defaultReranker).toBe("order");
    const [near, mine, order, local, agents, judges] = hooks;
    expect(agents).toMatchObject({
      ...{ kind: "poll", does: "embed" },
      embed: { dimensions: 768, batchSize: 1_024 },
    });
    expect(judges).toMatchObject({ kind: "poll", does: "rerank", embed: undefined });
    expect(near).toMatchObject({
      does: "embed",
      url: new URL("http://127.0.0.1:11434/v1/embeddings"),
      embed: {
        dimensions: 384,
        sendDimensions: true,
        batchSize: 8,
        queryPrefix: "query: ",
        passagePrefix: "",
      },
    });
    // A whole batch fits into an answer.
    expect(mine).toMatchObject({ does: "embed", maxResponseBytes: 1_024 * 4_096 * 24 + 65_536 });
    expect(order).toMatchObject({ does: "rerank", url: new URL("https://api.example/v1/rerank") });
    expect(local).toMatchObject({
      kind: "onnx",
      directory: TINY_MODEL,
      batchSize: 16,
      queryPrefix: undefined,
    });
  });

  test("are the table of the server and no reranker when nothing is said", async () => {
    expect(await good({})).toMatchObject({
      embedder: { kind: "static" },
      defaultReranker: undefined,
    });
    expect((await good({ embedder: "none" })).embedder).toEqual({ kind: "none" });
  });

  test("are refused when they do not fit", async () => {
    const { problems } = await read({
      hooks: {
        near: { ...openai, does: "embed", temperature: 1, max_attempts: 3 },
        odd: { ...openai, does: "dance" },
        plain: { ...openai, dimensions: 3 },
        local: { kind: "onnx", directory: "key", does: "embed" },
        gone: { kind: "onnx", directory: "nowhere" },
        empty: { kind: "onnx", directory: "." },
        wordless: { kind: "onnx", directory: "wordless" },
        none: vectors,
        body: { ...vectors, extra_body: { input: "mine" } },
        agents: { kind: "poll", does: "embed", dimensions: 769, batch_size: 1_024 },
        judges: { kind: "poll", does: "rerank", dimensions: 3 },
        lost: { kind: "poll", does: "embed" },
      },
      embedder: "plain",
      default_reranker: "near",
      default_summarizer: "near",
    });
    expect(problems).toEqual([
      "hooks.near.max_attempts is not for a hook that is to embed",
      "hooks.near.temperature is not for a hook that is to embed",
      "hooks.near.dimensions is required",
      "hooks.odd.does must be one of summarize, embed, rerank, extract, score, resolve",
      "hooks.plain.dimensions is not for a hook that is to summarize",
      'hooks.local has no field "does" for the kind onnx',
      "hooks.local.directory: it is no directory",
      "hooks.gone.directory: the file cannot be read (ENOENT)",
      "hooks.empty.directory: model.onnx is missing in it",
      "hooks.wordless.directory: tokenizer.json is missing in it",
      "hooks.none cannot be defined: as an embedder the word means no vectors",
      "hooks.body.extra_body cannot change input",
      "hooks.agents.batch_size times dimensions must be at most 786432",
      "hooks.judges.dimensions is not for a hook that is to rerank",
      "hooks.lost.dimensions is required",
      "default_summarizer must name a hook of this file that is to summarize, builtin or manual",
      "embedder must name a hook of this file that is to embed, static or none",
      "default_reranker must name a hook of this file that is to rerank",
    ]);
  });
});

describe("hooks for long-term memory", () => {
  test("are read for every kind that calls or is polled", async () => {
    const { hooks, defaultResolver } = await good({
      hooks: {
        finder: { ...openai, does: "extract", temperature: 1 },
        judge: { ...grpc, does: "score" },
        arbiter: { kind: "poll", does: "resolve" },
      },
      default_resolver: "arbiter",
    });
    expect(hooks).toMatchObject([
      { does: "extract", url: new URL("http://127.0.0.1:11434/v1/chat/completions") },
      { does: "score" },
      { does: "resolve", embed: undefined },
    ]);
    expect(defaultResolver).toBe("arbiter");
    expect((await good({})).defaultResolver).toBeUndefined();
  });

  test("are refused when they do not fit", async () => {
    const { problems } = await read({
      hooks: {
        finder: { ...openai, does: "extract", extra_body: { messages: [] }, max_attempts: 2 },
      },
      default_resolver: "finder",
    });
    expect(problems).toEqual([
      "hooks.finder.max_attempts is not for a hook that is to extract",
      "hooks.finder.extra_body cannot change messages",
      "default_resolver must name a hook of this file that is to resolve",
    ]);
  });
});

describe("the fields of a hook", () => {
  test("hold their own limits", () => {
    for (const name of HOOK_FIELD_NAMES) {
      const { type, min = 0, max = 0, default: byDefault, defaultOf = {} } = hookField(name);
      if (type !== "integer" && type !== "number") continue;
      for (const value of [byDefault, ...Object.values(defaultOf)]) {
        if (value === undefined) continue;
        expect(value, name).toBeGreaterThanOrEqual(min);
        expect(value, name).toBeLessThanOrEqual(max);
      }
    }
  });

  test("are all in the table, which docs/hooks.md shows", () => {
    const names = hookFieldRows().map(([name]) => name);
    expect(names).toEqual(["kind", ...HOOK_FIELD_NAMES].map((name) => `\`${name}\``));
    const page = readFileSync(join(import.meta.dirname, "../../docs/hooks.md"), "utf8");
    const shown = page.split("<!-- hooks:start -->")[1]?.split("<!-- hooks:end -->")[0];
    expect(shown?.trim()).toBe(hookFieldTable());
  });
});
