package io.memorysidecar.testing;

import io.memorysidecar.client.MemorySidecar;
import io.memorysidecar.client.RetryPolicy;
import io.memorysidecar.v1.EraseSubjectRequest;
import io.memorysidecar.v1.Erasure;
import io.memorysidecar.v1.ErasureSubject;
import io.memorysidecar.v1.GetErasureRequest;
import io.memorysidecar.v1.GetServerInfoRequest;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;

/** A server of this checkout as a process, over a directory of its own. */
public final class TestServer implements AutoCloseable {
  private static final int TRIES = 600;

  private final Path folder;
  private final int port;
  private Process process;
  private MemorySidecar client;

  private TestServer(Path folder, int port) {
    this.folder = folder;
    this.port = port;
  }

  /** Starts a server with an empty store, and waits until it serves. */
  public static TestServer start() {
    try {
      var server = new TestServer(Files.createTempDirectory("memory-sidecar-"), freePort());
      server.restart();
      return server;
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0)) {
      return free.getLocalPort();
    }
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

  private void await() throws IOException {
    try (MemorySidecar probe = MemorySidecar.connect(address())) {
      for (int attempt = 1; ; attempt++) {
        try {
          probe.admin().getServerInfo(GetServerInfoRequest.getDefaultInstance());
          return;
        } catch (RuntimeException error) {
          if (attempt < TRIES && process.isAlive()) continue;
          String log = Files.readString(folder.resolve("log"));
          throw new IllegalStateException("the server did not start:\n" + log, error);
        }
      }
    }
  }
}
