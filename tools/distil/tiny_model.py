"""Makes the sentence transformer of the tests: test/support/recall/tiny-model.

Its model looks up a vector for each token and does nothing else, so a test can say what comes out.
See README.md for how to run it.
"""

import json
import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save

WORDS = "[PAD] [UNK] [CLS] [SEP] a the dog cat runs sleeps hello world ##s query passage :".split()
DIMENSIONS = 4


def model():
    rng = np.random.default_rng(7)
    table = rng.normal(size=(len(WORDS), DIMENSIONS)).astype(np.float32)
    ids, mask, out = "input_ids", "attention_mask", "last_hidden_state"
    shape = ["batch", "sequence"]
    nodes = [
        helper.make_node("Gather", ["table", ids], ["vectors"]),
        # The mask is an input like in real models; it makes padding zero.
        helper.make_node("Cast", [mask], ["float_mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["float_mask", "last"], ["wide_mask"]),
        helper.make_node("Mul", ["vectors", "wide_mask"], [out]),
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in (ids, mask)],
        [helper.make_tensor_value_info(out, TensorProto.FLOAT, [*shape, DIMENSIONS])],
        [
            numpy_helper.from_array(table, "table"),
            numpy_helper.from_array(np.array([-1], dtype=np.int64), "last"),
        ],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    checker.check_model(made)
    return made


def tokenizer():
    special = [
        {
            "id": i,
            "content": word,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for i, word in enumerate(WORDS[:4])
    ]
    ends = {
        name: {"id": name, "ids": [WORDS.index(name)], "tokens": [name]}
        for name in ("[CLS]", "[SEP]")
    }
    single = [
        {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
    ]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": special,
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": single,
            "pair": single,
            "special_tokens": ends,
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {word: i for i, word in enumerate(WORDS)},
        },
    }


def write(folder, name, value):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1) + "\n")


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    save(model(), folder / "model.onnx")
    write(folder, "tokenizer.json", tokenizer())
    write(folder, "tokenizer_config.json", {"pad_token": "[PAD]", "model_max_length": 16})
    write(folder, "sentence_bert_config.json", {"max_seq_length": 8})
    write(folder, "1_Pooling/config.json", {"pooling_mode_mean_tokens": True})


main()
