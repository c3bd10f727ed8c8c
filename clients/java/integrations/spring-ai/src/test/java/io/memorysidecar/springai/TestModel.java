package io.memorysidecar.springai;

import io.memorysidecar.testing.Vectors;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.springframework.ai.document.Document;
import org.springframework.ai.embedding.Embedding;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.embedding.EmbeddingRequest;
import org.springframework.ai.embedding.EmbeddingResponse;

/** An embedding model for tests, whose vectors a function makes of texts. */
record TestModel(Function<String, float[]> vectors) implements EmbeddingModel {
  /** Texts with the same letters are near each other. */
  static final TestModel OF_LETTERS = new TestModel(Vectors::ofLetters);

  @Override
  public EmbeddingResponse call(EmbeddingRequest request) {
    List<Embedding> embeddings = new ArrayList<>();
    for (String text : request.getInstructions()) {
      embeddings.add(new Embedding(vectors.apply(text), embeddings.size()));
    }
    return new EmbeddingResponse(embeddings);
  }

  @Override
  public float[] embed(Document document) {
    return vectors.apply(document.getText());
  }
}
