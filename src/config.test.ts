import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ConfigError, configHelp, configTable, printConfig, readConfig } from "./config.ts";
import { envName, fileKey, SETTINGS, type Setting } from "./config-table.ts";
import { DEFAULT_HOOKS } from "./hooks/config-types.ts";
import { memoryLimit } from "./memory-limit.ts";

const directory = mkdtempSync(join(tmpdir(), "memory-sidecar-config-"));
afterAll(() => rmSync(directory, { recursive: true }));

function fileWith(content: unknown): string {
  const path = join(directory, "config.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

function problemsOf(args: readonly string[], env: Record<string, string> = {}): readonly string[] {
  try {
    readConfig(args, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe("readConfig", () => {
  test("has a default for everything, and cannot be changed afterwards", () => {
    const config = readConfig(["--data-dir", "/var/data"], {});
    expect(config.listen).toEqual([
      { kind: "tcp", host: "127.0.0.1", port: 50_151 },
      { kind: "unix", path: "/var/data/memory-sidecar.sock" },
    ]);
    expect(config).toMatchObject({
      dataDir: "/var/data",
      tokenFile: undefined,
      logLevel: "info",
      maxHandlers: 512,
      maxConnections: 256,
      watchStreams: 1_000,
      idempotencyWindowMs: 86_400_000,
      eventRetentionAgeMs: 604_800_000,
      eventRetentionCount: 1_000_000,
      memoryDecayFactor: 1,
      memoryDecayPeriodMs: 604_800_000,
      memoryDecayFloor: 0,
      checkpointIntervalMs: 10_000,
      allowNetworkFilesystem: false,
      disableReflection: false,
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  test("takes the defaults of what uses memory from the memory of the process", () => {
    const sizes = (...args: readonly string[]) => {
      const config = readConfig(args, {});
      const { maxBufferedBytes, maxConnectionBufferedBytes, cacheBytes, recallMemoryBytes } =
        config;
      const all = [maxBufferedBytes, maxConnectionBufferedBytes, cacheBytes, recallMemoryBytes];
      return all.map((bytes) => bytes / 2 ** 20);
    };
    const gib = (count: number) => `--memory-bytes=${count * 2 ** 30}`;
    expect(sizes(gib(0.5))).toEqual([32, 8, 32, 64]);
    expect(sizes(gib(2))).toEqual([128, 32, 64, 256]);
    expect(sizes(gib(64))).toEqual([256, 64, 64, 256]);
    expect(sizes(gib(0.5), "--cache-bytes=1048576")).toEqual([32, 8, 1, 64]);
    expect(readConfig([], {}).memoryBytes).toBe(memoryLimit().bytes);
  });

  test("leaves the default socket out when its path is too long", () => {
    const config = readConfig([`--data-dir=/${"d".repeat(100)}`], {});
    expect(config.listen).toHaveLength(1);
  });

  test("lets flags win over variables, variables over the file, the file over defaults", () => {
    const file = fileWith({
      max_handlers: 1,
      max_connections: 1,
      max_streams: 1,
      listen: ["[::1]:1"],
    });
    const env = {
      MEMORY_SIDECAR_CONFIG: file,
      MEMORY_SIDECAR_MAX_HANDLERS: "2",
      MEMORY_SIDECAR_MAX_CONNECTIONS: "2",
    };
    const config = readConfig(["--max-handlers", "3"], env);
    expect(config).toMatchObject({
      maxHandlers: 3,
      maxConnections: 2,
      maxStreams: 1,
      watchStreams: 1_000,
      listen: [{ kind: "tcp", host: "::1", port: 1 }],
    });
  });

  test("takes numbers with a fraction, within their bounds", () => {
    expect(readConfig(["--memory-decay-factor", "0.95"], {}).memoryDecayFactor).toBe(0.95);
    for (const text of ["1.5", "-1", ".5", "1e-1", "much"]) {
      expect(problemsOf(["--memory-decay-floor", text])).toEqual([
        `--memory-decay-floor must be a number of 0 to 1, not "${text}"`,
      ]);
    }
  });

  test("takes lists with commas and repeated flags, and booleans alone", () => {
    const config = readConfig(
      ["--listen", "127.0.0.1:1,localhost:2", "--listen=unix:/s", "--allow-network-filesystem"],
      {},
    );
    expect(config.listen).toEqual([
      { kind: "tcp", host: "127.0.0.1", port: 1 },
      { kind: "tcp", host: "localhost", port: 2 },
      { kind: "unix", path: "/s" },
    ]);
    expect(config.allowNetworkFilesystem).toBe(true);
  });

  test("reports all problems at once, with what was probably meant", () => {
    const file = fileWith({ data_dri: "x", log_level: { a: 1 } });
    const problems = problemsOf(
      ["--config", file, "--max-handlres", "3", "stray", "--tls-cert", "c", "--max-streams", "0"],
      { MEMORY_SIDECAR_LOG_LEVL: "info", MEMORY_SIDECAR_CACHE_BYTES: "many" },
    );
    expect(problems).toEqual([
      "unknown flag --max-handlres: did you mean --max-handlers?",
      '"stray" is not a flag: flags begin with --',
      "unknown variable MEMORY_SIDECAR_LOG_LEVL: did you mean MEMORY_SIDECAR_LOG_LEVEL?",
      `unknown key "data_dri" in ${file}: did you mean data_dir?`,
      `key "log_level" in ${file} must be a text, a number, a boolean or a list`,
      '--max-streams must be a whole number of 1 to 65536, not "0"',
      '--cache-bytes must be a whole number of 1048576 to 1099511627776, not "many"',
      "--tls-cert and --tls-key go together: set both or none",
    ]);
  });

  test.each([
    ["a flag without its value", ["--data-dir"], "--data-dir needs a value"],
    ["an address that is none", ["--listen", "nowhere"], "is not an address"],
    ["a port that is none", ["--listen", "localhost:70000"], "is not an address"],
    ["a socket without a path", ["--listen", "unix:"], "names no socket"],
    ["a level that is none", ["--log-level", "loud"], "must be one of silent, error"],
    ["a boolean that is none", ["--allow-grpc-trace=maybe"], "must be true or false"],
    ["a file that is missing", ["--config", "/nowhere.json"], "cannot be read as JSON"],
    ["an open address", ["--listen", "0.0.0.0:1"], "can be reached from other machines"],
    ["an open address beside a local one", ["--listen", "127.0.0.1:1,[::]:1"], "[::]:1 can be"],
  ])("refuses %s", (_, args, text) => {
    expect(problemsOf(args).join("\n")).toContain(text);
  });

  test("takes an open address with a token file or a certificate", () => {
    expect(problemsOf(["--listen", "0.0.0.0:1", "--token-file", "t"])).toEqual([]);
    const tls = ["--listen", "0.0.0.0:1", "--tls-cert", "c", "--tls-key", "k"];
    expect(problemsOf(tls)).toEqual([]);
  });

  test("refuses the tracing of grpc, which prints tokens, unless it is allowed", () => {
    const env = { GRPC_TRACE: "all" };
    expect(problemsOf([], env).join()).toContain("GRPC_TRACE is set");
    expect(problemsOf(["--allow-grpc-trace"], env)).toEqual([]);
  });

  test.each([
    ["d", ["--backup-dir must not be in the data directory"]],
    ["d/inside", ["--backup-dir must not be in the data directory"]],
    ["d/..inside", ["--backup-dir must not be in the data directory"]],
    ["beside", []],
    ["d-beside", []],
    [".", []],
  ])("takes back-ups into %s: %j", (directory, problems) => {
    expect(problemsOf(["--data-dir", "d", "--backup-dir", directory])).toEqual(problems);
  });

  test("reads the hooks file, and tells of its problems with all others", () => {
    expect(readConfig([], {}).hooks).toEqual(DEFAULT_HOOKS);
    const file = fileWith({ hooks: { agents: { kind: "poll" } }, default_summarizer: "agents" });
    const config = readConfig(["--hooks-file", file], {});
    expect(config.hooksFile).toBe(file);
    expect(config.hooks.defaultSummarizer).toBe("agents");
    const bad = fileWith({ hooks: { agents: { kind: "pol" } } });
    expect(problemsOf(["--hooks-file", bad, "--max-streams", "0"])).toEqual([
      '--max-streams must be a whole number of 1 to 65536, not "0"',
      `the hooks file ${bad}: hooks.agents.kind must be one of builtin, openai, grpc, poll, onnx`,
    ]);
  });

  test("refuses a file that is not an object", () => {
    expect(problemsOf(["--config", fileWith("[1]")]).join()).toContain("one JSON object");
    expect(problemsOf(["--config", fileWith("{")]).join()).toContain("cannot be read as JSON");
  });
});

describe("the settings", () => {
  const shown = (Object.values(SETTINGS) as Setting[]).filter((setting) => setting.hidden !== true);

  test("are all in the table, the help and what is printed", () => {
    const printed = JSON.parse(printConfig(readConfig([], {}))) as Record<string, unknown>;
    expect(Object.keys(printed)).toEqual(shown.map(fileKey));
    for (const setting of shown) {
      expect(configTable()).toContain(`| \`--${setting.flag}\` | \`${envName(setting)}\` |`);
      expect(configHelp()).toContain(`--${setting.flag}`);
    }
  });

  test("can be printed and read again", () => {
    const args = ["--listen", "127.0.0.1:9", "--max-handlers", "7", "--token-file", "/t"];
    const config = readConfig(args, {});
    const kept = Object.fromEntries(
      Object.entries(JSON.parse(printConfig(config)) as object).filter(
        ([, value]) => value !== null,
      ),
    );
    expect(readConfig(["--config", fileWith(kept)], {})).toEqual(config);
  });
});

test("leaves the variables of `memory-sidecar mcp` alone", () => {
  expect(problemsOf([], { MEMORY_SIDECAR_MCP_USER: "ana" })).toEqual([]);
});
