package io.memorysidecar.testing;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Compares a class of ours with the one that a framework keeps in memory: both get the same random
 * operations and must give the same answers.
 *
 * @param framework as the table of docs/integrations/README.md names it
 * @param what the class, as in the table
 * @param operations the number of operations, as in the table; TEST_DEPTH multiplies it
 * @param draw draws the next operation
 * @param pair makes a new pair without any state
 * @param <O> an operation
 */
public record Comparison<O>(
    String framework,
    String what,
    int operations,
    Function<Random, O> draw,
    Supplier<Pair<O>> pair) {
  private static final int PER_RUN = 50;

  /** Runs at the same time; the server writes their changes together. */
  private static final int AT_ONCE = 10;

  /** Both sides: each does an operation and gives its answer. */
  public record Pair<O>(Function<O, Object> theirs, Function<O, Object> ours) {}

  private record Difference(int index, Object theirs, Object ours) {}

  /** An error as the answer of a side: its class and its text, which the framework defines. */
  private record Failed(String type, String text, RuntimeException error) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Failed same && type.equals(same.type) && text.equals(same.text);
    }

    @Override
    public int hashCode() {
      return Objects.hash(type, text);
    }

    @Override
    public String toString() {
      var trace = new StringWriter();
      error.printStackTrace(new PrintWriter(trace));
      return trace.toString();
    }
  }

  /**
   * Compares; throws with the seed and the fewest operations that show a difference, or when the
   * table lacks the comparison.
   */
  public void run() {
    String given = System.getenv("TEST_SEED");
    long seed = given == null ? System.nanoTime() : Long.parseLong(given);
    System.out.printf("%s %s: TEST_SEED=%d%n", framework, what, seed);
    Random random = new Random(seed);
    String depth = System.getenv().getOrDefault("TEST_DEPTH", "1");
    int runs = operations * Integer.parseInt(depth) / PER_RUN;
    ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
    try {
      List<Future<?>> played = new ArrayList<>();
      for (int run = 0; run < runs; run++) {
        List<O> drawn = new ArrayList<>();
        for (int at = 0; at < PER_RUN; at++) drawn.add(draw.apply(random));
        played.add(threads.submit(() -> compare(drawn, seed)));
      }
      for (Future<?> one : played) one.get();
    } catch (ExecutionException error) {
      throw new AssertionError(error.getCause());
    } catch (InterruptedException error) {
      throw new IllegalStateException(error);
    } finally {
      threads.shutdownNow();
    }
    checkTable();
  }

  private void compare(List<O> drawn, long seed) {
    Difference found = play(drawn);
    if (found == null) return;
    List<O> few = shrink(drawn.subList(0, found.index + 1));
    Difference shown = Objects.requireNonNullElse(play(few), found);
    throw new AssertionError(
        "%s %s differs, TEST_SEED=%d: %s\ntheirs: %s\nours:   %s"
            .formatted(framework, what, seed, few, shown.theirs, shown.ours));
  }

  private void checkTable() {
    String row = "| %s | %s | %d |".formatted(framework, what, operations);
    Path page = TestServer.root().resolve("docs/integrations/README.md");
    try {
      if (!Files.readString(page).contains(row)) throw new AssertionError(page + " needs " + row);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private Difference play(List<O> played) {
    Pair<O> sides = pair.get();
    for (int at = 0; at < played.size(); at++) {
      Object theirs = answer(sides.theirs, played.get(at));
      Object ours = answer(sides.ours, played.get(at));
      if (!Objects.equals(theirs, ours)) return new Difference(at, theirs, ours);
    }
    return null;
  }

  private static <O> Object answer(Function<O, Object> side, O operation) {
    try {
      return side.apply(operation);
    } catch (RuntimeException error) {
      return new Failed(error.getClass().getName(), String.valueOf(error.getMessage()), error);
    }
  }

  /** Leaves out operations, halves first, while the rest still shows a difference. */
  private List<O> shrink(List<O> failing) {
    List<O> kept = new ArrayList<>(failing);
    for (int size = (kept.size() + 1) / 2; size >= 1; size /= 2) {
      for (int at = 0; at < kept.size(); ) {
        List<O> fewer = new ArrayList<>(kept.subList(0, at));
        fewer.addAll(kept.subList(Math.min(at + size, kept.size()), kept.size()));
        if (play(fewer) == null) at += size;
        else kept = fewer;
      }
    }
    return kept;
  }
}
