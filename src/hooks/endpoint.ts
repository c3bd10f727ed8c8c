// Endpoint of a hook in the hooks file: a URL, or the target of a gRPC server. Errors do not quote
// the text, which might hold a password.

import { isIP } from "node:net";
import { plainHost } from "./address-guard.ts";
import type { HookWork } from "./fields.ts";
import { workRow } from "./works.ts";

/** A gRPC server: a host and its port, or a socket. */
export type GrpcTarget =
  | { readonly kind: "tcp"; readonly host: string; readonly port: number }
  | { readonly kind: "unix"; readonly path: string };

const PORT_MAX = 65_535;
const SOCKET_PATH_BYTES_MAX = 107;
const TCP = /^(\[[0-9a-fA-F:.]+\]|[^:[\]/@?#\s\\%]+):(\d{1,5})$/;
const VISIBLE = /^[\x21-\x7e]+$/;

/**
 * Parses the base URL of an endpoint and appends the path for its work. Throws an Error that names
 * the problem.
 */
export function parseEndpointUrl(text: string, work: HookWork): URL {
  // The parser silently drops tabs and line breaks.
  if (!VISIBLE.test(text) || !URL.canParse(text)) throw new Error("must be a URL");
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new Error("must begin with http:// or https://");
  }
  if (url.username !== "" || url.password !== "") {
    throw new Error("must not hold a user or a password: use key_file");
  }
  if (url.hash !== "") throw new Error("must not have a part behind #");
  if (plainHost(url.hostname) === "") throw new Error("must name a host");
  const openai = work === "summarize" ? undefined : workRow(work).openai;
  const own = typeof openai === "object" ? openai.path : "/chat/completions";
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path.endsWith(own) ? path : path + own;
  return url;
}

/** Parses the target of a gRPC server. Throws an Error that names the problem. */
export function parseGrpcTarget(text: string): GrpcTarget {
  if (text.startsWith("unix:")) {
    const path = text.slice("unix:".length).replace(/^\/\/(?=\/)/, "");
    if (path === "" || path.includes("\0")) throw new Error("names no socket: give unix:PATH");
    if (Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX) {
      throw new Error(`names a socket path of more than ${SOCKET_PATH_BYTES_MAX} bytes`);
    }
    return { kind: "unix", path };
  }
  const match = TCP.exec(text);
  const port = Number(match?.[2]);
  const written = `http://${match?.[1]}/`;
  if (match === null || port < 1 || port > PORT_MAX || !URL.canParse(written)) {
    throw new Error("must be HOST:PORT, [IPV6]:PORT or unix:PATH");
  }
  // The URL parser knows the other notations of an IPv4 address.
  return { kind: "tcp", host: plainHost(new URL(written).hostname), port };
}

/** A host and a port as one text. */
export function hostPort(host: string, port: number): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}
