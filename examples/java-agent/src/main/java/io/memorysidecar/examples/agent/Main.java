package io.memorysidecar.examples.agent;

import io.grpc.ManagedChannel;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * An agent whose memory is a sidecar: it answers questions with two tools, keeps what it was told,
 * and goes on where it was after the server or the agent itself was killed.
 *
 * <p>It writes one JSON object a line about each step, for people and for the test that runs it.
 */
public final class Main {
  private Main() {}

  /** Runs the agent until it has answered {@code --turns} questions. */
  public static void main(String[] args) throws Exception {
    Map<String, String> options = new HashMap<>(Map.of(
        "--address", "127.0.0.1:50151", "--token", "", "--state", "java-agent.properties",
        "--turns", "12"));
    for (int i = 0; i + 1 < args.length; i += 2) options.put(args[i], args[i + 1]);

    String address = options.get("--address");
    State state = State.load(Path.of(options.get("--state")));
    ManagedChannel channel = Connection.open(address, options.get("--token"));
    ManagedChannel stranger = Connection.open(address, "");
    TrimWatch trims = new TrimWatch(channel, state);
    try {
      trims.start(); // From here on no event is missed.
      Agent agent = new Agent(channel, state);
      agent.work(Integer.parseInt(options.get("--turns")));
      trims.await(agent.lastTrim());
      new Failures(channel, stranger).show();
      Report.line("done", Map.of());
    } finally {
      trims.close();
      channel.shutdownNow();
      stranger.shutdownNow();
    }
  }
}
