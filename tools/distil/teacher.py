"""The teacher: all-MiniLM-L6-v2 as an int8 ONNX file, on one thread and in a fixed order."""

import sys

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

TOKENS_MAX = 128


def unit(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


class Teacher:
    def __init__(self, model, tokenizer):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(model), options)
        self.tokenizer = Tokenizer.from_file(str(tokenizer))
        self.tokenizer.enable_truncation(TOKENS_MAX)
        self.tokenizer.no_padding()

    def ids(self, texts):
        return [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]

    def embed(self, ids, batch_size):
        """Unit vectors: the mean over the tokens. The batches are part of the result (int8)."""
        order = sorted(range(len(ids)), key=lambda i: (len(ids[i]), i))
        out = np.zeros((len(ids), 384), np.float32)
        for start in range(0, len(order), batch_size):
            part = order[start : start + batch_size]
            out[part] = self._run([ids[i] for i in part])
            if start // batch_size % 200 == 0:
                print(f"  {start} of {len(ids)}", file=sys.stderr, flush=True)
        return out

    def _run(self, ids):
        width = max(map(len, ids))
        tokens = np.zeros((len(ids), width), np.int64)
        mask = np.zeros_like(tokens)
        for line, one in enumerate(ids):
            tokens[line, : len(one)] = one
            mask[line, : len(one)] = 1
        feed = {
            "input_ids": tokens,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(tokens),
        }
        states = self.session.run(None, feed)[0]
        wide = mask[:, :, None].astype(np.float32)
        return unit((states * wide).sum(1) / wide.sum(1))
