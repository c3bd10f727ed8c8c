package io.memorysidecar.examples.agent;

import com.google.gson.Gson;
import java.util.LinkedHashMap;
import java.util.Map;

/** Writes what the agent does. */
final class Report {
  private static final Gson GSON = new Gson();

  private Report() {}

  static synchronized void line(String step, Map<String, ?> fields) {
    Map<String, Object> line = new LinkedHashMap<>(Map.of("step", step));
    line.putAll(fields);
    System.out.println(GSON.toJson(line));
  }
}
