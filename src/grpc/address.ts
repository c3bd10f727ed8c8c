// Reasons why a server cannot start, worded for the operator.

/** Something outside the server is not as its configuration says; main exits with code 64. */
export class StartError extends Error {
  override readonly name = "StartError";
}

// Listen address of a server: `HOST:PORT`, `[IPv6]:PORT` or `unix:PATH`.

/** An address that other machines may reach. */
export interface TcpAddress {
  readonly kind: "tcp";
  readonly host: string;
  readonly port: number;
}

/** An address to listen on. */
export type ListenAddress = TcpAddress | { readonly kind: "unix"; readonly path: string };

/** The longest path of a Unix socket, in bytes. */
export const SOCKET_PATH_BYTES_MAX = 107;

const TCP = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/;
const PORT_MAX = 65_535;

/** Reads an address. Throws an Error that says what is wrong. */
export function parseAddress(text: string): ListenAddress {
  if (text.startsWith("unix:")) {
    const path = text.slice("unix:".length).replace(/^\/\/(?=\/)/, "");
    if (path === "") throw new Error(`"${text}" names no socket: give unix:PATH`);
    if (Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX) {
      throw new Error(`the socket path "${path}" is longer than ${SOCKET_PATH_BYTES_MAX} bytes`);
    }
    return { kind: "unix", path };
  }
  const match = TCP.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > PORT_MAX) {
    throw new Error(`"${text}" is not an address: give HOST:PORT, [IPV6]:PORT or unix:PATH`);
  }
  return { kind: "tcp", host: match[1] ?? match[2] ?? "", port };
}

/** Whether only programs on this machine reach the address. */
export function isLocal(address: ListenAddress): boolean {
  if (address.kind === "unix") return true;
  const { host } = address;
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Writes an address as parseAddress reads it. */
export function formatAddress(address: ListenAddress): string {
  if (address.kind === "unix") return `unix:${address.path}`;
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  return `${host}:${address.port}`;
}

/** Protection of a server from others. */
export interface Exposure {
  readonly listen: readonly ListenAddress[];
  readonly tokenFile: string | undefined;
  readonly tlsCert: string | undefined;
}

/**
 * Refuses addresses that others can reach while nothing keeps them out. Gives what is wrong and how
 * to mend it, or undefined.
 */
export function exposureProblem(exposure: Exposure): string | undefined {
  if (exposure.tokenFile !== undefined || exposure.tlsCert !== undefined) return undefined;
  const open = exposure.listen.filter((address) => !isLocal(address)).map(formatAddress);
  if (open.length === 0) return undefined;
  return (
    `${open.join(", ")} can be reached from other machines, and nothing would keep them out. ` +
    "Set --token-file, or --tls-cert and --tls-key, or listen on 127.0.0.1 or a Unix socket."
  );
}
