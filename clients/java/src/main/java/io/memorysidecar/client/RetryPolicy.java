package io.memorysidecar.client;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The rule for repeats of a failed call: how many, and after how long.
 *
 * @param maxAttempts the number of attempts in all; 1 means no retry
 * @param initialDelay the longest delay before the second attempt; it doubles with every attempt
 * @param maxDelay the longest delay, unless the server asks for a longer one
 */
public record RetryPolicy(int maxAttempts, Duration initialDelay, Duration maxDelay) {
  /** Outlives a restart of the server. */
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(8, Duration.ofMillis(100), Duration.ofSeconds(5));

  /**
   * Gives the pause after so many failures in milliseconds: half of it random, so that many clients
   * do not come back at once, and never shorter than the server asks.
   */
  long delayMillis(int failures, Duration asked) {
    double full = Math.min(maxDelay.toMillis(), initialDelay.toMillis() * Math.pow(2, failures - 1));
    double random = ThreadLocalRandom.current().nextDouble();
    return (long) Math.max(full * (0.5 + 0.5 * random), asked.toMillis() * (1 + 0.25 * random));
  }
}
