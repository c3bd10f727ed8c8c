// An npm registry on this machine, with packages that nobody has published yet. It sends npm to the
// configured registry for every other package.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

interface Packed {
  readonly name: string;
  readonly version: string;
}

/** A running registry. */
export interface Registry extends AsyncDisposable {
  readonly url: string;
}

function manifestOf(archive: string): Packed {
  const text = execFileSync("tar", ["-xzOf", archive, "package/package.json"]);
  return JSON.parse(text.toString()) as Packed;
}

/** Serves the packages of archives that `npm pack` made, each as its latest version. */
export async function serveRegistry(archives: readonly string[]): Promise<Registry> {
  const packages = new Map(
    archives.map((archive) => {
      const manifest = manifestOf(archive);
      return [manifest.name, { manifest, content: readFileSync(archive) }] as const;
    }),
  );
  const upstream = execFileSync("npm", ["config", "get", "registry"]).toString().trim();
  let url = "";
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "").slice(1);
    const archive = packages.get(path.replace(/\/archive\.tgz$/, ""));
    if (archive === undefined) {
      response.writeHead(307, { location: new URL(request.url ?? "", upstream).href }).end();
    } else if (path.endsWith(".tgz")) {
      response.end(archive.content);
    } else {
      const { manifest, content } = archive;
      const integrity = `sha512-${createHash("sha512").update(content).digest("base64")}`;
      const dist = { tarball: `${url}${manifest.name}/archive.tgz`, integrity };
      const { name, version } = manifest;
      const versions = { [version]: { ...manifest, dist } };
      response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
