// `npm run release`: builds and checks everything that a release publishes, and publishes nothing.
//
//   npm run release                  into release/VERSION
//   npm run release -- check         only the versions, the licenses and the changelog
//   npm run release -- rehearse      as for a release, while the changelog says Unreleased
//   npm run release -- clean-builds  the Go, Java and Rust clients with empty caches

import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { INTEGRATIONS, packIntegration } from "./package/integrations.ts";
import { nodePackages, packClient, packNode, packServer } from "./package/npm.ts";
import {
  PYTHON_INTEGRATIONS,
  packPythonClient,
  packPythonIntegration,
  packPythonServer,
} from "./package/python.ts";
import { PLATFORMS, rootManifest, runtimePackages } from "./package/server-app.ts";
import { ROOT, run } from "./process.ts";
import { changelogProblems, licenseProblems, versionProblems } from "./release/checks.ts";
import { cleanBuildProblems } from "./release/clean-builds.ts";

const MODES = ["release", "check", "rehearse", "clean-builds"];

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** Writes the list of everything that the server contains, in CycloneDX. */
async function writeSbom(folder: string, version: string): Promise<void> {
  const args = ["sbom", "--sbom-format=cyclonedx", "--omit=dev", "--package-lock-only"];
  const { code, output } = await run("npm", args, { quiet: true });
  if (code !== 0) throw new Error(`npm sbom failed:\n${output}`);
  const list = output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1);
  JSON.parse(list);
  writeFileSync(join(folder, `memory-sidecar-${version}.cdx.json`), `${list}\n`);
}

/** Writes the checksum of every file, for `sha256sum --check`. */
function writeChecksums(folder: string): void {
  const lines = readdirSync(folder)
    .sort()
    .map((name) => {
      const digest = createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex");
      return `${digest}  ${name}\n`;
    });
  writeFileSync(join(folder, "SHA256SUMS"), lines.join(""));
}

async function buildAll(folder: string, scratch: string, version: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const stage = join(scratch, "stage");
  console.log(await packServer(folder, stage));
  for (const node of nodePackages()) console.log(await packNode(node, folder, stage));
  console.log(await packClient(folder));
  for (const name of INTEGRATIONS) console.log(await packIntegration(name, folder, stage));
  console.log(await packPythonClient(folder, stage));
  for (const one of PYTHON_INTEGRATIONS)
    console.log(await packPythonIntegration(one, folder, stage));
  for (const platform of PLATFORMS) console.log(await packPythonServer(platform, folder, stage));
  await writeSbom(folder, version);
  writeChecksums(folder);
}

async function release(mode: string): Promise<readonly string[]> {
  const { version } = rootManifest();
  const problems = [...versionProblems(version, read), ...licenseProblems(runtimePackages())];
  if (mode === "release") problems.push(...changelogProblems(version, read("CHANGELOG.md")));
  if (mode === "check" || problems.length > 0) return problems;
  const scratch = mkdtempSync(join(tmpdir(), "memory-sidecar-release-"));
  try {
    if (mode === "clean-builds") return await cleanBuildProblems(scratch);
    await buildAll(join(ROOT, "release", version), scratch, version);
    return [];
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const mode = process.argv[2] ?? "release";
if (!MODES.includes(mode)) {
  console.error(`unknown mode: ${mode}; there are ${MODES.join(", ")}`);
  process.exit(2);
}
const problems = await release(mode);
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? "ready" : `not ready: ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;
