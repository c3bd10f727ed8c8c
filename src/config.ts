// The configuration: read once, from flags, the environment and a file, in this order of
// precedence. All problems are reported at once, and names that are not known are problems, too: a
// typo must not leave a default in force. The only module that reads the environment.

import { existsSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import {
  ENV_PREFIX,
  envName,
  fileKey,
  MCP_PREFIX,
  SETTINGS,
  type Setting,
  type SettingName,
} from "./config-table.ts";
import {
  exposureProblem,
  formatAddress,
  type ListenAddress,
  parseAddress,
  SOCKET_PATH_BYTES_MAX,
  type TcpAddress,
} from "./grpc/address.ts";
import { readHooksFile } from "./hooks/config.ts";
import { DEFAULT_HOOKS, type HooksConfig } from "./hooks/config-types.ts";
import { secretExposure } from "./kit/secret-access.ts";
import type { LogLevel } from "./log.ts";
import { memoryLimit } from "./memory-limit.ts";
import { parseSetting, type Raw, readFlags, unknown, type Value } from "./settings.ts";
import type { ObjectStore } from "./store/backup/object-store.ts";

/** The address of a server of which nothing else is said. */
export const DEFAULT_TCP: ListenAddress = { kind: "tcp", host: "127.0.0.1", port: 50_151 };
const SOCKET_NAME = "memory-sidecar.sock";
const CONFIG_FLAG = "config";
const TRACE_VARIABLES = ["GRPC_TRACE", "GRPC_NODE_TRACE"] as const;

/** The value of a setting: a number when there is one to fall back to, as of the memory limit. */
type ValueOf<S extends Setting> = {
  readonly integer: number;
  readonly number: number;
  readonly boolean: boolean;
  readonly text: S["default"] extends string ? string : string | undefined;
  readonly list: readonly string[];
}[S["type"]];

/** Settings whose values are more than their texts. */
interface ReadSettings {
  readonly listen: readonly ListenAddress[];
  readonly httpListen: TcpAddress | undefined;
  readonly logLevel: LogLevel;
}

/** The complete configuration. Frozen. The paths are absolute. */
export type Config = ReadSettings & {
  readonly [N in Exclude<SettingName, keyof ReadSettings>]: ValueOf<(typeof SETTINGS)[N]>;
} & {
  /** Content of hooksFile. */
  readonly hooks: HooksConfig;
};

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. */
export function ownEnvironment(): Environment {
  return process.env;
}

/** Everything that is wrong with a configuration; main exits with code 64. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration has ${problems.length} problem(s):\n  ${problems.join("\n  ")}`);
    this.problems = problems;
  }
}

type Given = Raw<SettingName>;

const NAMES = Object.keys(SETTINGS) as SettingName[];

function settingOf(name: SettingName): Setting {
  return SETTINGS[name];
}

function readEnv(env: Environment, problems: string[]): { raw: Given; file: string | undefined } {
  const raw: Given = new Map();
  const known = new Map(NAMES.map((name) => [envName(settingOf(name)), name]));
  const configVariable = `${ENV_PREFIX}CONFIG`;
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith(ENV_PREFIX) || value === undefined) continue;
    // Those of `memory-sidecar mcp` may stand beside those of the server.
    if (variable.startsWith(MCP_PREFIX)) continue;
    const name = known.get(variable);
    if (name !== undefined) raw.set(name, value);
    else if (variable !== configVariable) {
      problems.push(unknown(`variable ${variable}`, variable, [...known.keys(), configVariable]));
    }
  }
  return { raw, file: env[configVariable] };
}

function readFile(path: string, problems: string[]): Given {
  const raw: Given = new Map();
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    problems.push(`the file ${path} cannot be read as JSON: ${(error as Error).message}`);
    return raw;
  }
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    problems.push(`the file ${path} must hold one JSON object`);
    return raw;
  }
  const known = new Map(NAMES.map((name) => [fileKey(settingOf(name)), name]));
  for (const [key, value] of Object.entries(content)) {
    const name = known.get(key);
    const text = Array.isArray(value) ? value.join(",") : String(value);
    if (name === undefined)
      problems.push(unknown(`key "${key}" in ${path}`, key, [...known.keys()]));
    else if (typeof value === "object" && !Array.isArray(value)) {
      problems.push(`key "${key}" in ${path} must be a text, a number, a boolean or a list`);
    } else raw.set(name, text);
  }
  return raw;
}

function listenAddresses(given: readonly string[], dataDir: string, problems: string[]) {
  if (given.length === 0) {
    const path = join(dataDir, SOCKET_NAME);
    const fits = Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX;
    return fits ? [DEFAULT_TCP, { kind: "unix", path } as const] : [DEFAULT_TCP];
  }
  return given.flatMap((text) => {
    try {
      return [parseAddress(text)];
    } catch (error) {
      problems.push(`--listen: ${(error as Error).message}`);
      return [];
    }
  });
}

function httpAddress(text: string, problems: string[]): TcpAddress | undefined {
  if (text === "") return undefined;
  try {
    const address = parseAddress(text);
    if (address.kind === "tcp") return address;
    problems.push("--http-listen must be HOST:PORT or [IPV6]:PORT, not a Unix socket");
  } catch (error) {
    problems.push(`--http-listen: ${(error as Error).message}`);
  }
  return undefined;
}

function hooksOf(
  path: string | undefined,
  allowExposedSecrets: boolean,
  problems: string[],
): HooksConfig {
  if (path === undefined) return DEFAULT_HOOKS;
  const read = readHooksFile(path, allowExposedSecrets);
  problems.push(...read.problems);
  return read.config;
}

/** A path as an absolute one; undefined when there is none. */
export function optionalPath(value: Value | undefined): string | undefined {
  return typeof value !== "string" || value === "" ? undefined : resolve(value);
}

/** The problem of a secret file that others can read. A missing one is reported at its use. */
export function exposureOf(path: string | undefined): string | undefined {
  if (path === undefined || !existsSync(path)) return undefined;
  const exposure = secretExposure(path);
  return exposure === undefined ? undefined : `${path}: ${exposure}`;
}

/** Problems between settings. */
function crossCheck(config: Config, env: Environment, problems: string[]): void {
  if ((config.tlsCert === undefined) !== (config.tlsKey === undefined)) {
    problems.push("--tls-cert and --tls-key go together: set both or none");
  }
  for (const name of ["tokenFile", "tlsKey"] as const) {
    const problem = config.allowExposedSecrets ? undefined : exposureOf(config[name]);
    if (problem !== undefined) problems.push(`--${SETTINGS[name].flag}: ${problem}`);
  }
  const { backupDir, backupEveryMs, dataDir } = config;
  if (backupEveryMs > 0 && backupDir === undefined) {
    problems.push("--backup-every-ms needs --backup-dir");
  }
  if (backupDir !== undefined && !`${relative(dataDir, backupDir)}/`.startsWith("../")) {
    problems.push("--backup-dir must not be in the data directory");
  }
  const exposed = exposureProblem(config);
  if (exposed !== undefined) problems.push(`--listen: ${exposed}`);
  const { httpListen } = config;
  const open = httpListen && exposureProblem({ ...config, listen: [httpListen] });
  if (open !== undefined) problems.push(`--http-listen: ${open}`);
  for (const variable of TRACE_VARIABLES) {
    if ((env[variable] ?? "") !== "" && !config.allowGrpcTrace) {
      problems.push(
        `${variable} is set: it prints the metadata of calls, tokens too. Unset it, or set ` +
          "--allow-grpc-trace for a debugging session",
      );
    }
  }
}

/** The value of a setting that was not given. */
function defaultOf({ ofMemory, min = 0, ...setting }: Setting, memoryBytes: number) {
  if (ofMemory === undefined) return setting.default;
  const share = Math.floor(memoryBytes / ofMemory.parts);
  return String(Math.max(min, Math.min(ofMemory.most, share)));
}

/**
 * Reads the configuration. Throws ConfigError with every problem.
 *
 * @param args - The words after the subcommand.
 * @param env - Default: the environment of this process.
 */
export function readConfig(args: readonly string[], env: Environment = process.env): Config {
  const problems: string[] = [];
  const flags = readFlags<SettingName>(SETTINGS, args, problems, CONFIG_FLAG);
  const variables = readEnv(env, problems);
  const path = flags.file ?? variables.file;
  const file: Given = path === undefined ? new Map() : readFile(path, problems);
  const values = new Map<SettingName, Value | undefined>();
  const read = (name: SettingName, byDefault: string | undefined): Value | undefined => {
    const text = flags.raw.get(name) ?? variables.raw.get(name) ?? file.get(name) ?? byDefault;
    return text === undefined ? undefined : parseSetting(settingOf(name), text, problems);
  };
  const memoryBytes = Number(read("memoryBytes", undefined) ?? memoryLimit().bytes);
  for (const name of NAMES) {
    const own = name === "memoryBytes" ? memoryBytes : undefined;
    values.set(name, own ?? read(name, defaultOf(settingOf(name), memoryBytes)));
  }
  const dataDir = resolve(String(values.get("dataDir") ?? "."));
  const hooksFile = optionalPath(values.get("hooksFile"));
  const given = (values.get("listen") ?? []) as readonly string[];
  const config = Object.freeze({
    ...(Object.fromEntries(values) as unknown as Config),
    dataDir,
    listen: Object.freeze(listenAddresses(given, dataDir, problems)),
    httpListen: httpAddress(String(values.get("httpListen")), problems),
    httpHosts: Object.freeze((values.get("httpHosts") ?? []) as readonly string[]),
    tokenFile: optionalPath(values.get("tokenFile")),
    tlsCert: optionalPath(values.get("tlsCert")),
    tlsKey: optionalPath(values.get("tlsKey")),
    backupDir: optionalPath(values.get("backupDir")),
    hooksFile,
    hooks: hooksOf(hooksFile, values.get("allowExposedSecrets") === true, problems),
  });
  crossCheck(config, env, problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** The configuration as `memory-sidecar config` prints it: file keys and values, as JSON. */
export function printConfig(config: Config): string {
  const shown: Record<string, unknown> = {};
  for (const name of NAMES) {
    const setting = settingOf(name);
    if (setting.hidden === true) continue;
    const value = shownValue(config, name);
    shown[fileKey(setting)] = value ?? null;
  }
  return JSON.stringify(shown, null, 2);
}

function shownValue(config: Config, name: SettingName): unknown {
  if (name === "listen") return config.listen.map(formatAddress);
  if (name !== "httpListen") return config[name];
  return config.httpListen && formatAddress(config.httpListen);
}

/** The default of a setting in Markdown, empty for none. */
export function shownDefault(setting: Setting): string {
  const { ofMemory: share } = setting;
  if (share !== undefined) return `1/${share.parts} of memory-bytes, at most ${share.most}`;
  return setting.default === undefined || setting.default === "" ? "" : `\`${setting.default}\``;
}

/** The settings as a Markdown table, for the README. */
export function configTable(): string {
  const rows = NAMES.map(settingOf)
    .filter((setting) => setting.hidden !== true)
    .map((setting) => {
      const range = setting.min === undefined ? "" : ` (${setting.min} to ${setting.max})`;
      const unit = setting.unit === undefined ? "" : ` ${setting.unit}${range}.`;
      const values = setting.oneOf === undefined ? "" : ` One of ${setting.oneOf.join(", ")}.`;
      const cells = [
        `\`--${setting.flag}\``,
        `\`${envName(setting)}\``,
        `\`${fileKey(setting)}\``,
        shownDefault(setting),
        `${setting.description}${values}${unit === "" ? "" : ` In${unit}`}`,
      ];
      return `| ${cells.join(" | ")} |`;
    });
  return [
    "| Flag | Variable | File key | Default | What it does |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

/** The settings as lines of help text. */
export function configHelp(): string {
  return helpLines(NAMES.map(settingOf));
}

/** Settings as lines of help text. */
export function helpLines(settings: readonly Setting[]): string {
  return settings
    .filter((setting) => setting.hidden !== true)
    .map((setting) => {
      const value = setting.type === "boolean" ? "" : ` ${setting.type.toUpperCase()}`;
      const shown = shownDefault(setting).replaceAll("`", "");
      const byDefault = shown === "" ? "" : ` (default ${shown})`;
      return `  --${setting.flag}${value}${byDefault}\n      ${setting.description}`;
    })
    .join("\n");
}

/**
 * Reads how to reach an object store, from the variables that tools of S3 use. Throws ConfigError
 * when the keys are missing.
 *
 * @param endpoint - The URL of its interface; wins over the variables.
 */
export function readObjectStore(
  endpoint: string | undefined,
  env: Environment = process.env,
): ObjectStore {
  const given = (...names: readonly string[]): string | undefined =>
    names.map((name) => env[name]).find((value) => value !== undefined && value !== "");
  const region = given("AWS_REGION", "AWS_DEFAULT_REGION") ?? "us-east-1";
  const accessKey = given("AWS_ACCESS_KEY_ID");
  const secretKey = given("AWS_SECRET_ACCESS_KEY");
  if (accessKey === undefined || secretKey === undefined) {
    throw new ConfigError(["set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"]);
  }
  const url = endpoint ?? given("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL");
  if (url !== undefined && !/^https?:\/\//.test(url)) {
    throw new ConfigError([`the endpoint ${url} does not begin with https:// or http://`]);
  }
  return {
    endpoint: url ?? `https://s3.${region}.amazonaws.com`,
    ...{ region, accessKey, secretKey },
    sessionToken: given("AWS_SESSION_TOKEN"),
  };
}
