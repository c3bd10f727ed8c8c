// The example manifest, as far as it can be checked without a cluster: that it is YAML, that it
// asks for what the image offers, and that its commands exist.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { VERSION } from "../../src/version.ts";
import { parseDockerfile } from "../support/process/dockerfile.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

interface Container {
  readonly name: string;
  readonly image: string;
  readonly restartPolicy?: string;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly startupProbe: { readonly exec: { readonly command: readonly string[] } };
  readonly livenessProbe: { readonly exec: { readonly command: readonly string[] } };
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Manifest {
  readonly kind: string;
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: Readonly<Record<string, unknown>>;
        readonly initContainers: readonly Container[];
        readonly containers: readonly Container[];
      };
    };
    readonly volumeClaimTemplates: readonly { readonly metadata: { readonly name: string } }[];
  };
}

const manifest = parse(read("examples/kubernetes/sidecar.yaml"), { strict: true }) as Manifest;
const pod = manifest.spec.template.spec;
const [memory] = pod.initContainers;
const image = parseDockerfile(read("Dockerfile")).at(-1);

describe("examples/kubernetes/sidecar.yaml", () => {
  test("runs the server as a native sidecar of this version", () => {
    expect(memory?.restartPolicy).toBe("Always");
    expect(memory?.image).toBe(`memory-sidecar:${VERSION}`);
    expect(pod.containers).toHaveLength(1);
  });

  test("probes by the health command of the image, not over the network", () => {
    const check = image?.instructions.find(({ name }) => name === "HEALTHCHECK")?.text ?? "";
    const command: unknown = JSON.parse(check.slice(check.indexOf("[")));
    expect(memory?.startupProbe.exec.command).toEqual(command);
    expect(memory?.livenessProbe.exec.command).toEqual(command);
  });

  test("gives no right that the server does not need", () => {
    expect(pod.securityContext["runAsNonRoot"]).toBe(true);
    expect(memory?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });

  test("keeps the store on a volume of the pod's own", () => {
    const [mount] = memory?.volumeMounts ?? [];
    expect(mount?.mountPath).toBe("/data");
    expect(manifest.spec.volumeClaimTemplates.map(({ metadata }) => metadata.name)).toEqual([
      mount?.name,
    ]);
    const data = memory?.env.find(({ name }) => name === "MEMORY_SIDECAR_DATA_DIR");
    expect(data?.value.startsWith("/data/")).toBe(true);
  });

  test("waits longer for the end than the server does for calls under way", () => {
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(10);
  });
});
