// Connections of the command line to a running server, with or without TLS.

import { once } from "node:events";
import { isIP } from "node:net";
import { checkServerIdentity, connect, createSecureContext, type PeerCertificate } from "node:tls";
import { Client, credentials } from "@grpc/grpc-js";
import { formatAddress, type ListenAddress, type TcpAddress } from "../grpc/address.ts";

/** Certificates that a connection trusts. */
export interface Trust {
  /** In PEM: certificates of servers or of their authorities. */
  readonly certificates: Buffer;
  /** The setting that names their file, for errors. */
  readonly setting: "tls-ca" | "tls-cert";
}

const HANDSHAKE_MS = 2_000;
/** TLS takes no IP address as the name of a server. Ours looks at no name. */
const ANY_NAME = "localhost";

/** Makes a client of a server; with a trust it uses TLS, except on a Unix socket. */
export function dial(address: ListenAddress, trust: Trust | undefined): Client {
  const target = formatAddress(address);
  if (trust === undefined || address.kind === "unix") {
    return new Client(target, credentials.createInsecure());
  }
  const { secureContext, servername, ...verify } = tlsOptions(address, trust);
  const security = credentials.createFromSecureContext(secureContext, verify);
  return new Client(target, security, { "grpc.ssl_target_name_override": servername });
}

function tlsOptions({ host }: TcpAddress, { certificates, setting }: Trust) {
  return {
    secureContext: createSecureContext({ ca: certificates, allowPartialTrustChain: true }),
    servername: isIP(host) === 0 ? host : ANY_NAME,
    // A server's own certificate is known without its name, and probes call 127.0.0.1.
    checkServerIdentity: (_name: string, certificate: PeerCertificate) =>
      setting === "tls-cert" ? undefined : checkServerIdentity(host, certificate),
  };
}

/** Says what is wrong with TLS where a call reached no server; undefined when it is not that. */
export async function tlsProblem(
  address: ListenAddress,
  trust: Trust | undefined,
): Promise<string | undefined> {
  if (address.kind === "unix") return undefined;
  const found = await shakeHands(address, trust);
  if (trust === undefined) {
    const remedy = "give --tls-ca FILE, with its certificate or that of its authority";
    return found.speaksTls ? `the server speaks TLS: ${remedy}` : undefined;
  }
  const { setting } = trust;
  if (!found.speaksTls) {
    return found.answers ? `the server does not speak TLS, and --${setting} is given` : undefined;
  }
  if (found.refused === undefined) return undefined;
  if (found.refused === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return `the server's certificate is not for "${address.host}": use a name that it holds`;
  }
  const once = setting === "tls-cert" ? "; a server reads its own once, at the start" : "";
  return `--${setting} does not trust the server's certificate (${found.refused})${once}`;
}

interface Handshake {
  readonly answers: boolean;
  readonly speaksTls: boolean;
  /** The code of what is wrong with the certificate. */
  readonly refused?: string | undefined;
}

async function shakeHands(address: TcpAddress, trust: Trust | undefined): Promise<Handshake> {
  const { host, port } = address;
  const options = trust === undefined ? {} : tlsOptions(address, trust);
  const socket = connect({ host, port, rejectUnauthorized: false, ...options });
  try {
    await once(socket, "secureConnect", { signal: AbortSignal.timeout(HANDSHAKE_MS) });
    const refused = socket.authorized ? undefined : String(socket.authorizationError);
    return { answers: true, speaksTls: true, refused };
  } catch (error) {
    const { code = "" } = error as { readonly code?: string };
    return { answers: /^(EPROTO|ERR_SSL_)/.test(code), speaksTls: false };
  } finally {
    socket.destroy();
  }
}
