// Certificates for tests, created with openssl.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A key and a self-signed certificate, both in PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Creates a certificate for a host name, valid for two days. */
export function makeCertificate(folder: string, host: string): Certificate {
  const [key, cert] = [join(folder, `${host}.key.pem`), join(folder, `${host}.cert.pem`)];
  const algorithm = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const subject = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`];
  const files = ["-keyout", key, "-out", cert];
  execFileSync("openssl", ["req", "-x509", ...algorithm, ...files, "-days", "2", ...subject], {
    stdio: "ignore",
  });
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
}
