// Builds by Maven: the Java client and its integrations with their tests, programs that work with
// it, Kotlin, and the languages that protoc itself generates.

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ROOT } from "../../tools/process.ts";
import { countJunit } from "../../tools/test/results.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { startServer } from "../support/process/server.ts";
import { pascalCase } from "../support/tidy/reserved-words.ts";
import { NAMES_THAT_STAY } from "../support/tidy/settings.ts";
import { runAgent } from "./agent-run.ts";
import { build, isMissing } from "./build.ts";
import { takeTour } from "./tour.ts";

const MINUTES = 60_000;
const CLIENT = join(import.meta.dirname, "../../clients/java");
const AGENT = join(import.meta.dirname, "../../examples/java-agent/target");
/**
 * Options of each Java: none lives long enough to win back the time of the optimizing compiler and
 * of a collector with threads of its own.
 */
const JAVA = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];
const OTHERS = join(import.meta.dirname, "others/target/generated-sources/protobuf");

/** The classes of the client and those that it needs. */
function classPath(): string {
  const libraries = readFileSync(join(CLIENT, "target/classpath"), "utf8").trim();
  return `${join(CLIENT, "target/classes")}${delimiter}${libraries}`;
}

/** Runs Maven over the project of a file. */
function maven(pom: string, ...args: readonly string[]): Promise<string> {
  const options = JAVA.join(" ");
  const env = { MAVEN_OPTS: `${process.env["MAVEN_OPTS"] ?? ""} ${options}` };
  return build("mvn", ["-B", "-ntp", "-q", `-DargLine=${options}`, "-f", pom, ...args], { env });
}

/** Captures of a pattern in the files of one kind that protoc generated. */
function captures(files: string, pattern: RegExp): string[] {
  const found = globSync(files, { cwd: OTHERS })
    .map((name) => readFileSync(join(OTHERS, name), "utf8"))
    .flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name ?? ""));
  return [...new Set(found)];
}

describe.skipIf(isMissing("Java and Kotlin", "java", "mvn"))("Maven", () => {
  // One build of all: Kotlin compiles against the classes of Java. The client and its
  // integrations have tests.
  beforeAll(async () => {
    await maven("test/languages/pom.xml", "clean", "test");
  }, 15 * MINUTES);

  test.each([
    ["Java", "../../clients/java"],
    ["Kotlin", "kotlin"],
  ])("compiles the generated %s classes", (_language, folder) => {
    const classes = join(import.meta.dirname, folder, "target/classes/io/memorysidecar");
    expect(globSync("**/*.class", { cwd: classes }).length).toBeGreaterThan(500);
  });

  test.each([
    ["C#", "**/*.cs"],
    ["C++", "**/*.pb.h"],
    ["Objective-C", "**/*.pbobjc.h"],
    ["PHP", "**/*.php"],
    ["Ruby", "**/*_pb.rb"],
  ])("generates %s", (_language, files) => {
    expect(globSync(files, { cwd: OTHERS }).length).toBeGreaterThan(10);
  });

  test("generates C# and C++ without a renamed accessor", () => {
    const staying = NAMES_THAT_STAY.map(({ name }) => name.slice(name.lastIndexOf(".") + 1));
    const csharp = captures("**/*.cs", /^ +public \S+ (\w+)_ \{$/gm);
    expect(csharp.filter((name) => !staying.map(pascalCase).includes(name))).toEqual([]);
    // C++ has the word, and an underscore after it; see test/support/tidy/reserved-words.ts.
    const cpp = captures("**/*.pb.h", /\b([a-z]\w*)_\(\) const\b/g);
    expect(cpp.filter((name) => !staying.includes(name))).toEqual(["namespace"]);
  });

  test.each([
    ["langchain4j", "LangChain4j (Java) | embedding stores", "surefire-reports"],
    ["langchain4j", "LangChain4j (Java) | embedding stores", "surefire-reports-lowest"],
    ["spring-ai", "Spring AI (Java) | vector stores", "surefire-reports"],
    ["spring-ai", "Spring AI (Java) | vector stores", "surefire-reports-lowest"],
  ])("passes the tests of the framework for stores: %s, %s, %s", (name, judged, folder) => {
    const reports = globSync(`integrations/${name}/target/${folder}/TEST-*IT*.xml`, {
      cwd: CLIENT,
    });
    const cases = reports.map((path) => countJunit(readFileSync(join(CLIENT, path), "utf8")));
    const passed = cases.reduce((sum, one) => sum + one.passed, 0);
    expect(cases.map(({ failed }) => failed).filter((count) => count > 0)).toEqual([]);
    const table = readFileSync(join(ROOT, "docs/integrations/README.md"), "utf8");
    expect(table).toContain(`| ${judged} | ${passed} of ${passed} |`);
  });

  test("packs integrations with POMs that name what they need", async () => {
    const packed = {
      langchain4j: {
        type: "langchain4j/MemorySidecarEmbeddingStore",
        needs: ["memory-sidecar-client", "langchain4j-core", "jackson-databind"],
      },
      "spring-ai": {
        type: "springai/MemorySidecarVectorStore",
        needs: [
          ...["memory-sidecar-client", "spring-ai-model", "spring-ai-vector-store"],
          "jackson-databind",
        ],
      },
      "spring-boot-starter": {
        type: "springai/boot/MemorySidecarAutoConfiguration",
        needs: ["memory-sidecar-spring-ai", "spring-boot-autoconfigure"],
      },
    };
    const modules = ["..", ...Object.keys(packed)].join();
    await maven("clients/java/integrations/pom.xml", "-pl", modules, "jar:jar");
    for (const [name, { type, needs }] of Object.entries(packed)) {
      const artifact = `memory-sidecar-${name}`;
      const jar = join(CLIENT, `integrations/${name}/target/${artifact}-0.1.0.jar`);
      const names = await build("unzip", ["-Z1", jar]);
      expect(names).toContain(`io/memorysidecar/${type}.class`);
      const manifest = `META-INF/maven/io.memorysidecar/${artifact}/pom.xml`;
      expect(names).toContain(manifest);
      expect(names).not.toContain("Test");
      const text = await build("unzip", ["-p", jar, manifest]);
      const named = [...text.matchAll(/<dependency>(.*?)<\/dependency>/gs)]
        .map(([, one = ""]) => one)
        .filter((one) => !one.includes("<scope>test</scope>"))
        .map((one) => /<artifactId>(.*?)</.exec(one)?.[1]);
      expect(named).toEqual(needs);
    }
  });

  test(
    "has a Java client whose README runs from its first block to its last",
    async () => {
      await using folder = await makeTempDir();
      const server = await startServer({ dataDir: join(folder.path, "data") });
      onTestFinished(async () => {
        await server.kill();
      });
      const readme = readFileSync(join(CLIENT, "README.md"), "utf8");
      const blocks = [...readme.matchAll(/^```java\n(.*?)^```$/gms)].map(([, block]) => block);
      const program = join(folder.path, "Readme.java");
      writeFileSync(program, blocks.join("\n").replace("127.0.0.1:50151", server.address));
      await build("java", [...JAVA, "-cp", classPath(), program]);
    },
    5 * MINUTES,
  );

  test(
    "has a Java client whose tour prints what the tours of all languages print",
    async () => {
      const args = [...JAVA, "-cp", classPath(), join(CLIENT, "examples/Tour.java")];
      await takeTour({ program: "java", args });
    },
    5 * MINUTES,
  );

  test(
    "has a Java agent that loses nothing when the server or the agent is killed",
    async () => {
      const libraries = readFileSync(join(AGENT, "classpath"), "utf8").trim();
      const classes = `${join(AGENT, "classes")}${delimiter}${libraries}`;
      const main = "io.memorysidecar.examples.agent.Main";
      await runAgent({ program: "java", args: [...JAVA, "-cp", classes, main] });
    },
    5 * MINUTES,
  );
});
