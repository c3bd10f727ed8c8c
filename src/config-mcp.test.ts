import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ConfigError } from "./config.ts";
import { mcpHelp, mcpTable, readMcpConfig } from "./config-mcp.ts";
import { envName, MCP_PREFIX, MCP_SETTINGS } from "./config-table.ts";

const directory = mkdtempSync(join(tmpdir(), "memory-sidecar-config-"));
afterAll(() => rmSync(directory, { recursive: true }));

describe("readMcpConfig", () => {
  function problemsOfMcp(args: readonly string[], env: Record<string, string> = {}) {
    try {
      readMcpConfig(args, env);
    } catch (error) {
      if (error instanceof ConfigError) return error.problems;
      throw error;
    }
    return [];
  }

  test("has a default for everything", () => {
    expect(readMcpConfig([], { MEMORY_SIDECAR_LISTEN: "not read here" })).toEqual({
      ...{ server: { kind: "tcp", host: "127.0.0.1", port: 50_151 }, token: undefined },
      ...{ tls: false, timeoutMs: 30_000, importFile: undefined },
      reach: {
        namespace: "default",
        userId: "",
        agentId: "",
        sessionId: "",
        isReadOnly: false,
        isReference: false,
      },
    });
  });

  test("takes flags before variables", () => {
    const path = join(directory, "mcp-token");
    writeFileSync(path, `# a note\n${"t".repeat(40)}\n`, { mode: 0o600 });
    const env = { MEMORY_SIDECAR_MCP_USER: "bob", MEMORY_SIDECAR_MCP_AGENT: "tutor" };
    const args = ["--user", "ana", "--token-file", path, "--server=unix:/run/s", "--read-only"];
    expect(readMcpConfig([...args, "--tls-ca", "/ca.pem", "--session=s"], env)).toMatchObject({
      ...{ server: { kind: "unix", path: "/run/s" }, token: "t".repeat(40), tls: "/ca.pem" },
      reach: { userId: "ana", agentId: "tutor", sessionId: "s", isReadOnly: true },
    });
  });

  test("names everything that is wrong", () => {
    const path = join(directory, "mcp-open-token");
    writeFileSync(path, "t".repeat(40));
    const args = ["--usr", "ana", "--timeout-ms", "1", "--server", "nowhere", "--token-file", path];
    const problems = problemsOfMcp(args, { MEMORY_SIDECAR_MCP_USERS: "x" });
    for (const part of [
      "unknown flag --usr: did you mean --user?",
      "--timeout-ms must be a whole number of 100 to 600000",
      '--server: "nowhere" is not an address',
      "--token-file: ",
      "unknown variable MEMORY_SIDECAR_MCP_USERS: did you mean MEMORY_SIDECAR_MCP_USER?",
    ]) {
      expect(problems.join("\n")).toContain(part);
    }
    expect(problems.length).toBe(5);
  });

  test("help and page name every setting", () => {
    for (const setting of Object.values(MCP_SETTINGS)) {
      expect(mcpHelp()).toContain(`--${setting.flag}`);
      expect(mcpTable()).toContain(`\`${envName(setting, MCP_PREFIX)}\``);
    }
  });
});
