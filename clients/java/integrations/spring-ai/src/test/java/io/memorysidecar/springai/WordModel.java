package io.memorysidecar.springai;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.springframework.ai.document.Document;
import org.springframework.ai.embedding.Embedding;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.embedding.EmbeddingRequest;
import org.springframework.ai.embedding.EmbeddingResponse;

/** An embedding model for tests: texts with the same letters are near each other. */
final class WordModel implements EmbeddingModel {
  static final WordModel INSTANCE = new WordModel();

  private WordModel() {}

  @Override
  public EmbeddingResponse call(EmbeddingRequest request) {
    List<Embedding> embeddings = new ArrayList<>();
    for (String text : request.getInstructions()) {
      embeddings.add(new Embedding(vector(text), embeddings.size()));
    }
    return new EmbeddingResponse(embeddings);
  }

  @Override
  public float[] embed(Document document) {
    return vector(document.getText());
  }

  private static float[] vector(String text) {
    float[] vector = new float[27];
    vector[26] = 0.5f;
    for (char letter : text.toLowerCase(Locale.ROOT).toCharArray()) {
      if (letter >= 'a' && letter <= 'z') vector[letter - 'a']++;
    }
    return vector;
  }
}
