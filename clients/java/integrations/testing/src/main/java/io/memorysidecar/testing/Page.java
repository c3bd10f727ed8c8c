package io.memorysidecar.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;

/** The programs of a page of the documents. */
public final class Page {
  private static final Pattern BLOCK =
      Pattern.compile("^```java\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
  private static final Pattern CLASS = Pattern.compile("public final class (\\w+)");

  private Page() {}

  /**
   * Compiles and runs each Java block against a server, with the class path of the test; gives what
   * they print, one text each.
   */
  public static List<String> run(String name, TestServer server) {
    Path page = TestServer.root().resolve("docs/integrations").resolve(name);
    try {
      Path folder = Files.createTempDirectory("memory-sidecar-page-");
      try {
        return run(Files.readString(page), server.address(), folder);
      } finally {
        TestServer.delete(folder);
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private static List<String> run(String page, String address, Path folder) throws IOException {
    List<String> names = new ArrayList<>();
    List<String> arguments =
        new ArrayList<>(List.of("-proc:none", "-d", folder.toString()));
    Matcher blocks = BLOCK.matcher(page);
    while (blocks.find()) {
      String block = blocks.group(1);
      Matcher name = CLASS.matcher(block);
      if (!name.find()) throw new AssertionError("a block of a page is a class");
      Path program = folder.resolve(name.group(1) + ".java");
      Files.writeString(program, block.replace("127.0.0.1:50151", address));
      names.add(name.group(1));
      arguments.add(program.toString());
    }
    var errors = new ByteArrayOutputStream();
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, errors, arguments.toArray(String[]::new));
    if (code != 0) throw new AssertionError(errors.toString(StandardCharsets.UTF_8));
    var ours = Page.class.getClassLoader();
    try (var classes = new URLClassLoader(new URL[] {folder.toUri().toURL()}, ours)) {
      List<String> printed = new ArrayList<>();
      for (String name : names) printed.add(print(classes.loadClass(name)));
      return printed;
    } catch (ReflectiveOperationException error) {
      throw new AssertionError(error);
    }
  }

  /** Runs a program; gives what it prints. */
  private static String print(Class<?> program) throws ReflectiveOperationException {
    var printed = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      program.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    } finally {
      System.setOut(before);
    }
    return printed.toString(StandardCharsets.UTF_8).strip();
  }
}
