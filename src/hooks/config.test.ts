import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { makeCertificate } from "../../test/support/certificate.ts";
import { makeTempDir } from "../../test/support/temp-dir.ts";
import { BUILTIN_SETTINGS } from "./builtin.ts";
import { DEFAULT_HOOKS, HOOKS_MAX, type HooksConfig, readHooksFile } from "./config.ts";
import { HOOK_FIELD_NAMES, hookField, hookFieldRows, hookFieldTable } from "./fields.ts";

const CANARY = "canary-sk-12345";

let certificate = "";
beforeAll(async () => {
  await using folder = await makeTempDir();
  certificate = makeCertificate(folder.path, "model.example").cert;
});

/** What is read of a file with this content; `key` and `ca.pem` are beside it. */
async function read(content: unknown) {
  await using folder = await makeTempDir();
  const path = join(folder.path, "hooks.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  writeFileSync(join(folder.path, "key"), `${CANARY}\n`);
  writeFileSync(join(folder.path, "two"), `${CANARY}\n${CANARY}\n`);
  writeFileSync(join(folder.path, "empty"), "\n");
  writeFileSync(join(folder.path, "ca.pem"), certificate);
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
  it("fills in what is left out", async () => {
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
        settings,
        target: { kind: "tcp", host: "127.0.0.1", port: 50_200 },
        tls: false,
        tokenFile: undefined,
        caFile: undefined,
        maxResponseBytes: 1_048_576,
        allowPrivateAddress: false,
      },
      { name: "c", kind: "poll", settings },
      { name: "builtin", kind: "builtin", settings: BUILTIN_SETTINGS },
    ]);
  });

  it("takes everything that may be set", async () => {
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

  it("tells of everything that is wrong at once, and of no value", async () => {
    const { problems } = await read({
      hokks: CANARY,
      default_summarizer: "olama",
      hooks: {
        Ollama: openai,
        manual: openai,
        promote: { kind: "poll" },
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
      "hooks.promote cannot be defined: the name is kept for REMOVED_TO_PROMOTE",
      "hooks.none must be a JSON object",
      "hooks.what.kind must be one of builtin, openai, grpc, poll",
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
      "default_summarizer must name a hook of this file, builtin or manual: did you mean ollama?",
    ]);
  });

  it.each([
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

  it("refuses certificates for a gRPC server without TLS, and an unreadable token", async () => {
    const { problems } = await read({ hooks: { a: { ...grpc, ca_file: "ca.pem" } } });
    expect(problems).toEqual(["hooks.a.ca_file needs tls"]);
    const token = await read({ hooks: { a: { ...grpc, token_file: "two" } } });
    expect(token.problems.join()).toContain("token_file: the file must hold one secret");
  });

  it.each([
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

  it("refuses too many hooks, and a file that is missing", async () => {
    const names = Array.from({ length: HOOKS_MAX + 1 }, (_, index) => `h${index}`);
    const hooks = Object.fromEntries(names.map((name) => [name, { kind: "poll" }]));
    const { problems } = await read({ hooks });
    expect(problems).toEqual([`hooks holds more than ${HOOKS_MAX} hooks`]);
    const missing = readHooksFile("/nowhere/hooks.json");
    expect(missing.problems.join()).toContain("it cannot be read (ENOENT)");
    expect(missing.config).toBe(DEFAULT_HOOKS);
  });

  it("lets a name of 63 characters through, and none of 64", async () => {
    const name = `a${"1".repeat(62)}`;
    await good({ hooks: { [name]: { kind: "poll" } }, default_summarizer: name });
    const { problems } = await read({ hooks: { [`${name}1`]: { kind: "poll" } } });
    expect(problems.join()).toContain("is not a name");
  });

  it("takes a byte order mark, and the same field in several hooks", async () => {
    const text =
      '{"hooks": {"a": {"kind": "poll"}, "b": {"kind": "poll"}}, "default_summarizer": "a"}';
    const { hooks } = await good(`\uFEFF${text}`);
    expect(hooks.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("takes texts for texts that look like fields", async () => {
    const model = '"kind": {["kind": \\" , "url" : ';
    expect((await good({ hooks: { a: { ...openai, model } } })).hooks).toMatchObject([{ model }]);
  });

  it.each(["manual", "builtin"])("takes %s as the default", async (name) => {
    expect((await good({ default_summarizer: name })).defaultSummarizer).toBe(name);
  });
});

describe("the fields of a hook", () => {
  it("hold their own limits", () => {
    for (const name of HOOK_FIELD_NAMES) {
      const { type, min = 0, max = 0, default: byDefault, defaultOf = {} } = hookField(name);
      if (type !== "integer" && type !== "number") continue;
      for (const value of [byDefault, ...Object.values(defaultOf)]) {
        expect(value, name).toBeGreaterThanOrEqual(min);
        expect(value, name).toBeLessThanOrEqual(max);
      }
    }
  });

  it("are all in the table, which docs/hooks.md shows", () => {
    const names = hookFieldRows().map(([name]) => name);
    expect(names).toEqual(["kind", ...HOOK_FIELD_NAMES].map((name) => `\`${name}\``));
    const page = readFileSync(join(import.meta.dirname, "../../docs/hooks.md"), "utf8");
    const shown = page.split("<!-- hooks:start -->")[1]?.split("<!-- hooks:end -->")[0];
    expect(shown?.trim()).toBe(hookFieldTable());
  });
});
