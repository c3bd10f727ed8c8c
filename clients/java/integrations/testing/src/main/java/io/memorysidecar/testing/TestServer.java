package io.memorysidecar.testing;

import io.memorysidecar.client.MemorySidecar;
import io.memorysidecar.client.RetryPolicy;
import io.memorysidecar.v1.EraseSubjectRequest;
import io.memorysidecar.v1.Erasure;
import io.memorysidecar.v1.ErasureSubject;
import io.memorysidecar.v1.GetErasureRequest;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server of this checkout as a process, over a directory of its own. */
public final class TestServer implements AutoCloseable {
  private static final Duration START = Duration.ofMinutes(5);
  private static TestServer shared;

  /** The log line of a server that serves. */
  private static final Pattern SERVING =
      Pattern.compile("\"address\":\\[?\"127\\.0\\.0\\.1:(\\d+)\".*\"msg\":\"serving\"");

  private final Path folder;
  private int port;
  private Process process;
  private MemorySidecar client;

  /** Port 0 stands for a free one, which the server then keeps over restarts. */
  TestServer(Path folder, int port) {
    this.folder = folder;
    this.port = port;
  }

  /** Starts a server with an empty store, and waits until it serves. */
  public static TestServer start() {
    try {
      var server = new TestServer(Files.createTempDirectory("memory-sidecar-"), 0);
      server.restart();
      return server;
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  /**
   * A server for all classes of tests in this process, which ends with it: each start takes seconds.
   * A test that kills it starts it again; none expects an empty store.
   */
  public static synchronized TestServer shared() {
    if (shared == null) {
      shared = start();
      Runtime.getRuntime().addShutdownHook(new Thread(shared::close));
    }
    return shared;
  }

  int port() {
    return port;
  }

  /** The root of the checkout. */
  public static Path root() {
    Path at = Path.of("").toAbsolutePath();
    while (!Files.exists(at.resolve("buf.yaml"))) at = at.getParent();
    return at;
  }

  /** The address. */
  public String address() {
    return "127.0.0.1:" + port;
  }

  /** A client that stays open until the server is closed. */
  public synchronized MemorySidecar client() {
    if (client == null) client = patient();
    return client;
  }

  /** A client whose calls wait out a restart, which is slow on a busy machine. */
  private MemorySidecar patient() {
    return MemorySidecar.builder(address())
        .timeout(Duration.ofSeconds(60))
        .retry(new RetryPolicy(100, Duration.ofMillis(100), Duration.ofSeconds(1)))
        .connect();
  }

  /** Starts the server again over the same store and address. */
  public void restart() {
    try {
      Path root = root();
      process =
          new ProcessBuilder(
                  node(root),
                  root.resolve("src/main.ts").toString(),
                  "serve",
                  "--data-dir",
                  folder.resolve("data").toString(),
                  "--listen",
                  address())
              .directory(root.toFile())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("log").toFile())
              .start();
      await();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  /** Ends the server as {@code kill -9} does. */
  public void kill() {
    process.destroyForcibly();
    try {
      process.waitFor(30, TimeUnit.SECONDS);
    } catch (InterruptedException error) {
      throw new IllegalStateException(error);
    }
  }

  /** Kills the server and starts it a moment later, in a thread of its own. */
  public Thread killAndRestart() {
    Thread thread =
        new Thread(
            () -> {
              kill();
              restart();
            });
    thread.start();
    return thread;
  }

  /** Erases a user, and waits until that is done. */
  public void erase(String userId) {
    var request =
        EraseSubjectRequest.newBuilder()
            .setSubject(ErasureSubject.newBuilder().setUserId(userId))
            .build();
    Erasure erasure = client().admin().eraseSubject(request).getErasure();
    while (!erasure.hasEndTime()) {
      var again = GetErasureRequest.newBuilder().setErasureId(erasure.getErasureId()).build();
      erasure = client().admin().getErasure(again).getErasure();
    }
  }

  @Override
  public void close() {
    if (client != null) client.close();
    kill();
    delete(folder);
  }

  /** Deletes a folder with all that is in it. */
  static void delete(Path folder) {
    try (var files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  /** The Node that this checkout has installed, else that of the path. */
  private static String node(Path root) {
    Path installed = root.resolve("node_modules/.bin/node");
    return Files.exists(installed) ? installed.toString() : "node";
  }

  /**
   * Waits until this process says that it serves. An answer at the address would not do: two tests
   * may choose the same port.
   */
  private void await() throws IOException {
    Path log = folder.resolve("log");
    long until = System.nanoTime() + START.toNanos();
    while (true) {
      boolean isOver = !process.isAlive() || System.nanoTime() > until;
      Matcher serving = SERVING.matcher(Files.readString(log));
      if (serving.find()) {
        port = Integer.parseInt(serving.group(1));
        return;
      }
      if (isOver) {
        kill();
        throw new IllegalStateException("the server did not start:\n" + Files.readString(log));
      }
      pause();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(20);
    } catch (InterruptedException error) {
      throw new IllegalStateException(error);
    }
  }
}
