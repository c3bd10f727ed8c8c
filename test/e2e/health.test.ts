// `memory-sidecar health`, and the other commands that call a server, with TLS and without it.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeCertificate } from "../support/kit/certificate.ts";
import { makeTempDir, type TempDir } from "../support/kit/temp-dir.ts";
import { type RunningServer, startServer } from "../support/process/server.ts";

const MAIN = join(import.meta.dirname, "../../src/main.ts");
const HOST = "memory.test";

let folder: TempDir;
let plain: RunningServer;
let secure: RunningServer;
/** Files of the certificate of the secure server, and of that of another one. */
let own: string;
let other: string;

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  return { status, stdout, stderr };
}

const SERVES = { status: 0, stdout: "", stderr: "" };
const tlsOf = (cert: string, listen: string) => ({
  MEMORY_SIDECAR_LISTEN: listen,
  MEMORY_SIDECAR_TLS_CERT: cert,
  MEMORY_SIDECAR_TLS_KEY: cert.replace(".cert.", ".key."),
});

beforeAll(async () => {
  folder = await makeTempDir();
  [own, other] = [HOST, "localhost"].map((host) => {
    makeCertificate(folder.path, host);
    return join(folder.path, `${host}.cert.pem`);
  }) as [string, string];
  const args = ["--tls-cert", own, "--tls-key", own.replace(".cert.", ".key.")];
  secure = await startServer({ dataDir: join(folder.path, "secure"), args });
  const socket = `unix:${join(folder.path, "plain/memory-sidecar.sock")}`;
  plain = await startServer({
    dataDir: join(folder.path, "plain"),
    listen: `127.0.0.1:0,${socket}`,
  });
});

afterAll(async () => {
  await Promise.all([plain.stop(), secure.stop()]);
  await folder[Symbol.asyncDispose]();
});

describe("health", () => {
  test("uses the certificate of the configuration, whatever name it holds", () => {
    expect(run(["health"], tlsOf(own, secure.address))).toEqual(SERVES);
  });

  test("says that the server has another certificate, or none", () => {
    const { status, stderr } = run(["health"], tlsOf(other, secure.address));
    expect(status).toBe(1);
    expect(stderr).toContain("--tls-cert does not trust the server's certificate");
    const none = run(["health"], tlsOf(own, plain.address));
    expect(none.stderr).toContain("does not speak TLS, and --tls-cert is given");
  });

  test("asks at the socket of the data directory as well", () => {
    const dataDir = join(folder.path, "plain");
    expect(run(["health"], { MEMORY_SIDECAR_DATA_DIR: dataDir })).toEqual(SERVES);
  });

  test("takes --tls-ca, and then looks at the name", () => {
    const port = secure.address.split(":")[1];
    const { status, stderr } = run(["health", "--tls-ca", own, `127.0.0.1:${port}`]);
    expect(status).toBe(1);
    expect(stderr).toContain('certificate is not for "127.0.0.1"');
    expect(run(["health", "a:1", "b:2"]).stderr).toContain("health takes one ADDRESS at most");
  });

  test("is told over TLS at an address with a name that the certificate holds", async () => {
    const args = ["--tls-cert", other, "--tls-key", other.replace(".cert.", ".key.")];
    const server = await startServer({ dataDir: join(folder.path, "named"), args });
    const address = server.address.replace("127.0.0.1", "localhost");
    expect(run(["health", address, "--tls-ca", other])).toEqual(SERVES);
    await server.stop();
  });
});

describe("a command that calls a server", () => {
  test("says that the server speaks TLS", () => {
    const target = join(folder.path, "copy");
    const calls = [["health"], ["compact"], ["backup"]].map(([command = ""]) =>
      run([command, secure.address, ...(command === "backup" ? [target] : [])]),
    );
    for (const { status, stderr } of calls) {
      expect(status).not.toBe(0);
      expect(stderr).toContain(`${secure.address}: the server speaks TLS: give --tls-ca FILE`);
    }
  });

  test("says that it does not, or that its certificate is not trusted", () => {
    const { stderr } = run(["compact", plain.address, "--tls-ca", own]);
    expect(stderr).toContain("the server does not speak TLS, and --tls-ca is given");
    const stranger = run(["compact", secure.address, "--tls-ca", other]);
    expect(stranger.stderr).toContain("--tls-ca does not trust the server's certificate");
  });
});
