// The configuration of what models reach: that of `memory-sidecar mcp`, from flags and the
// environment, and the headers of a request over HTTP. All problems are reported at once.

import {
  ConfigError,
  DEFAULT_TCP,
  type Environment,
  exposureOf,
  helpLines,
  optionalPath,
  ownEnvironment,
  shownDefault,
} from "./config.ts";
import {
  envName,
  MCP_PREFIX,
  MCP_SETTINGS,
  type McpSetting,
  type McpSettingName,
  type Setting,
} from "./config-table.ts";
import { type ListenAddress, parseAddress } from "./grpc/address.ts";
import { firstToken } from "./kit/secret-access.ts";
import type { McpReach } from "./mcp/reach.ts";
import type { StdioSettings } from "./mcp/stdio.ts";
import { parseSetting, readFlags, unknown, type Value } from "./settings.ts";

const MCP_NAMES = Object.keys(MCP_SETTINGS) as McpSettingName[];

/** Configuration of `memory-sidecar mcp`. */
export interface McpConfig extends Omit<StdioSettings, "address" | "version"> {
  readonly server: ListenAddress;
}

/**
 * Reads the configuration of `memory-sidecar mcp`. Throws ConfigError with every problem.
 *
 * @param args - The words after the subcommand.
 */
export function readMcpConfig(
  args: readonly string[],
  env: Environment = ownEnvironment(),
): McpConfig {
  const problems: string[] = [];
  const given = readFlags<McpSettingName>(MCP_SETTINGS, args, problems).raw;
  const known = new Map(MCP_NAMES.map((name) => [envName(MCP_SETTINGS[name], MCP_PREFIX), name]));
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith(MCP_PREFIX) || value === undefined) continue;
    const name = known.get(variable);
    if (name === undefined)
      problems.push(unknown(`variable ${variable}`, variable, [...known.keys()]));
    else if (!given.has(name)) given.set(name, value);
  }
  const values = new Map<McpSettingName, Value | undefined>();
  for (const name of MCP_NAMES) {
    const setting: Setting = MCP_SETTINGS[name];
    const text = given.get(name) ?? setting.default;
    values.set(name, text === undefined ? undefined : parseSetting(setting, text, problems));
  }
  const config = {
    server: serverAddress(String(values.get("server")), problems),
    token: tokenOf(optionalPath(values.get("tokenFile")), problems),
    tls: optionalPath(values.get("tlsCa")) ?? values.get("tls") === true,
    timeoutMs: Number(values.get("timeoutMs")),
    importFile: optionalPath(values.get("importMemory")),
    reach: reachOf(values),
  };
  if (config.importFile !== undefined && (!config.reach.isReference || config.reach.isReadOnly)) {
    problems.push("--import-memory needs --reference-memory, without --read-only");
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

function reachOf(values: ReadonlyMap<McpSettingName, Value | undefined>): McpReach {
  return {
    namespace: String(values.get("namespace")),
    userId: String(values.get("user")),
    agentId: String(values.get("agent")),
    sessionId: String(values.get("session")),
    isReadOnly: values.get("readOnly") === true,
    isReference: values.get("referenceMemory") === true,
  };
}

/** Prefix of the headers that say whose memories a request over HTTP reaches. */
const HEADER_PREFIX = "memory-sidecar-";

/**
 * Reads whose memories a request over HTTP reaches: `--user` is the header Memory-Sidecar-User.
 * Values are percent-encoded. Throws an Error with every problem.
 */
export function readMcpReach(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): McpReach {
  const problems: string[] = [];
  const values = new Map<McpSettingName, Value | undefined>();
  const known = new Map<string, McpSettingName>();
  for (const name of MCP_NAMES) {
    const setting: McpSetting = MCP_SETTINGS[name];
    if (setting.isScope !== true) continue;
    known.set(`${HEADER_PREFIX}${setting.flag}`, name);
    values.set(name, setting.default && parseSetting(setting, setting.default, problems));
  }
  for (const [header, value] of Object.entries(headers)) {
    if (!header.startsWith(HEADER_PREFIX) || value === undefined) continue;
    const name = known.get(header);
    if (name === undefined) {
      problems.push(unknown(`header ${header}`, header, [...known.keys()]));
      continue;
    }
    try {
      const text = decodeURIComponent(String(value));
      values.set(name, parseSetting(MCP_SETTINGS[name], text, problems));
    } catch {
      problems.push(`the header ${header} is not percent-encoded`);
    }
  }
  if (problems.length > 0) throw new Error(problems.join("; "));
  return reachOf(values);
}

function serverAddress(text: string, problems: string[]): ListenAddress {
  try {
    return parseAddress(text);
  } catch (error) {
    problems.push(`--server: ${(error as Error).message}`);
    return DEFAULT_TCP;
  }
}

/** The first token of a file. */
function tokenOf(path: string | undefined, problems: string[]): string | undefined {
  if (path === undefined) return undefined;
  try {
    const exposure = exposureOf(path);
    if (exposure !== undefined) throw new Error(exposure);
    return firstToken(path);
  } catch (error) {
    problems.push(`--token-file: ${(error as Error).message}`);
    return undefined;
  }
}

/** The settings of `memory-sidecar mcp` as lines of help text. */
export function mcpHelp(): string {
  return helpLines(MCP_NAMES.map((name) => MCP_SETTINGS[name]));
}

/** The settings of `memory-sidecar mcp` as a Markdown table. */
export function mcpTable(): string {
  const rows = MCP_NAMES.map((name): Setting => MCP_SETTINGS[name]).map((setting) => {
    const flag = `\`--${setting.flag}\``;
    const variable = `\`${envName(setting, MCP_PREFIX)}\``;
    const range =
      setting.min === undefined ? "" : ` In ${setting.unit} (${setting.min} to ${setting.max}).`;
    const cells = [flag, variable, shownDefault(setting), `${setting.description}${range}`];
    return `| ${cells.join(" | ")} |`;
  });
  const head = ["| Flag | Variable | Default | What it does |", "| --- | --- | --- | --- |"];
  return [...head, ...rows].join("\n");
}
