"""Sources of the table: the vocabulary and the texts. Everything is read from packages."""

import glob
import json
import random
import re

import yaml
from words import WORDS, fold

VOCABULARY_WORDS = 70_000
DEFINED_RANK = 60_000


def frequency_order(glove):
    """Words by falling frequency, as GloVe's vocabulary is ordered."""
    order = {}
    for word in json.load(open(glove))["vectors"]:
        folded = fold(word)
        if WORDS.fullmatch(folded):
            order.setdefault(folded, len(order))
    return order


def vocabulary(teacher, order):
    """The teacher's own words, the most frequent words, and the teacher's pieces of words."""
    entries = sorted(teacher.tokenizer.get_vocab().items(), key=lambda entry: entry[1])
    own = [word for word, _ in entries if word[0] != "[" and not word.startswith("##")]
    own = [word for word in own if WORDS.fullmatch(word)]
    pieces = [(w, i) for w, i in entries if w.startswith("##") and WORDS.fullmatch(w[2:])]
    known = set(own)
    words = own + [word for word in list(order)[:VOCABULARY_WORDS] if word not in known]
    # Each piece alone, between the tokens that begin and end a text.
    ids = teacher.ids(words) + [[101, number, 102] for _, number in pieces]
    return words + [piece for piece, _ in pieces], ids


def wordnet(folder, order):
    """Example sentences, and definitions of words that are not rare."""
    examples, definitions = [], []
    for part in ["noun", "verb", "adj", "adv"]:
        for line in open(f"{folder}/data.{part}", encoding="latin1"):
            if line.startswith("  "):
                continue
            head, _, gloss = line.partition(" | ")
            fields = head.split()
            count = int(fields[3], 16)
            words = [re.sub(r"\(\w+\)$", "", fields[4 + 2 * i]) for i in range(count)]
            words = [word.replace("_", " ") for word in words]
            text = re.split(r';\s*"', gloss)[0].strip().strip("; ")
            if len(text) > 200:
                text = re.sub(r"\([^)]*\)\s*", "", text)
            quotes = re.findall(r'"([^"]+)"', gloss)
            examples += [quote for quote in quotes if len(quote.split()) >= 3]
            rarest = [max(order.get(w, 10**6) for w in fold(word).split()) for word in words]
            definitions.append((min(rarest), f"{', '.join(words[:4])}: {text}"))
    definitions.sort(key=lambda entry: entry[0])
    examples = list(dict.fromkeys(examples))
    random.seed(1)
    random.shuffle(examples)
    frequent = (text for rank, text in definitions if rank < DEFINED_RANK)
    return examples, list(dict.fromkeys(frequent))


def talk(folder):
    """Short questions and answers."""
    lines = []
    for path in sorted(glob.glob(f"{folder}/*.yml")):
        for conversation in yaml.safe_load(open(path))["conversations"]:
            lines += [str(line) for line in conversation]
    return [line for line in dict.fromkeys(lines) if len(line.split()) >= 3]
