"""Compares embedders on conversation sets, alone and beside the full-text ranking.

  python compare.py SET.json.gz... --table FILE | --glove FILE | --wordllama FOLDER
                                   | --model FILE --tokenizer FILE

The sets have the format of bench:recall. The full-text ranking is a short form of the server's, so
that embedders can be compared without a server; `npm run bench:recall` measures the real one. With
`--plain` the dates are left out of what is embedded.
Figures are the share of the evidence among the first five and ten, and nDCG at ten.
"""

import argparse
import gzip
import json
import math
import re
import struct
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import snowballstemmer
from teacher import Teacher, unit
from words import POSSESSIVE, STOP_WORDS, WORDS, Tokens, fold

PASSAGE_WORDS = 60
ROLES = {"user", "assistant", "push", "note", "sms", "call", "calendar", "photo", "agent_chat"}
MONTHS = """January February March April May June July August September October November
    December""".split()
DENSE_WEIGHT = 0.5
POOL = 50
GLOVE_WORDS = 100_000
stem = snowballstemmer.stemmer("english").stemWord


def passages(text):
    words, out, start = text.split(), [], 0
    while start < len(words):
        end = min(len(words), start + PASSAGE_WORDS)
        if end < len(words):
            ends = range(end, start + PASSAGE_WORDS // 2, -1)
            at_sentence = (i for i in ends if re.search(r"[.!?;:][\"')]*$", words[i - 1]))
            end = next(at_sentence, end)
        out.append(" ".join(words[start:end]))
        start = end
    return out or [""]


def date_of(text):
    """Year, month and day of the forms that the sets have, or nothing."""
    found = re.search(r"(\d{4})-(\d\d)-(\d\d)", text)
    if found:
        return int(found[1]), int(found[2]), int(found[3])
    for number, month in enumerate(MONTHS, 1):
        found = re.search(rf"(\d{{1,2}}) {month},? (\d{{4}})", text)
        if found:
            return int(found[2]), number, int(found[1])
        found = re.search(rf"{month}[- ](\d{{1,2}}),?[- ](\d{{4}})", text)
        if found:
            return int(found[2]), number, int(found[1])
    return None


def days_in(query):
    days = set()
    for number, month in enumerate(MONTHS, 1):
        form = rf"{month} (\d{{1,2}})|(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {month}"
        days |= {(number, int(a or b)) for a, b in re.findall(form, query, re.IGNORECASE)}
    return days


def ordinal(day):
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{day}{'th' if 10 < day < 20 else ends.get(day % 10, 'th')}"


def terms(text):
    words = WORDS.findall(POSSESSIVE.sub("", fold(text)))
    return [stem(word) for word in words if word not in STOP_WORDS]


class Conversation:
    """A conversation as rows: one for each passage."""

    def __init__(self, raw, is_plain):
        self.turns = raw["turns"]
        for turn in self.turns:
            text = re.sub(r"\s*->->\s*[\d,\s-]*$", "", turn["text"])
            turn["text"] = f"{text} [{turn['cap']}]" if turn.get("cap") else text
        self.qa = [qa for qa in raw["qa"] if qa["ev"] and qa["cat"] != 5]
        self.sessions = np.array([turn["sess"] for turn in self.turns])
        self.dates = [date_of(turn["date"]) for turn in self.turns]
        self.texts, owners, lists = [], [], []
        for number, turn in enumerate(self.turns):
            speaker, date = turn["speaker"], self.dates[number]
            name = "" if speaker in ROLES else f"{speaker}: "
            day = ""
            if date:
                day = f"{MONTHS[date[1] - 1]} {date[2]} {ordinal(date[2])} {date[0]} "
            for passage in passages(turn["text"]):
                self.texts.append(f"{name}{'' if is_plain else day}{passage}")
                owners.append(number)
                lists.append(Counter(terms(f"{speaker} {day}{passage}")))
        self.owners = np.array(owners)
        self.lengths = np.array([sum(one.values()) for one in lists], float)
        self.postings = defaultdict(list)
        for row, one in enumerate(lists):
            for term, count in one.items():
                self.postings[term].append((row, count))

    def beside(self, values, step):
        """The value of the turn `step` further on in the same session."""
        out = np.zeros(len(values))
        here = slice(-step, None) if step < 0 else slice(None, -step)
        there = slice(None, step) if step < 0 else slice(step, None)
        out[here] = values[there] * (self.sessions[here] == self.sessions[there])
        return out

    def lexical(self, query):
        """BM25 of each turn, and the score of the ranking without vectors."""
        rows, turns = len(self.lengths), len(self.turns)
        scores, covered, total = np.zeros(rows), np.zeros(turns), 0
        for term in dict.fromkeys(terms(query)):
            if term not in self.postings:
                continue
            at, counts = (np.array(x, float) for x in zip(*self.postings[term], strict=True))
            at = at.astype(int)
            idf = math.log(1 + (rows - len(at) + 0.5) / (len(at) + 0.5))
            size = 0.9 * (0.6 + 0.4 * self.lengths[at] / self.lengths.mean())
            scores[at] += idf * counts * 1.9 / (counts + size)
            total += idf
            covered[np.unique(self.owners[at])] += idf
        bm25 = np.zeros(turns)
        np.maximum.at(bm25, self.owners, scores)
        share = bm25 / (bm25.max() or 1)
        score = share + 0.4 * covered / (total or 1) + self.priors(query)
        for step, weight in [(-1, 0.3), (1, 0.15), (-2, 0.15), (2, 0.05)]:
            score += weight * self.beside(share, step)
        return bm25, score

    def priors(self, query):
        asked = set(re.findall(r"\w+", query.lower()))
        days = days_in(query)
        is_chat = {turn["speaker"] for turn in self.turns} <= {"user", "assistant"}
        out = np.zeros(len(self.turns))
        for number, turn in enumerate(self.turns):
            words = max(1, len(turn["text"].split()))
            out[number] -= 0.15 * max(0, math.log(words / 60))
            out[number] -= 0.2 * turn["text"].rstrip().endswith("?")
            speaker = turn["speaker"]
            if speaker not in ROLES:
                names = speaker.lower().split()
                out[number] += 0.6 * any(len(n) > 2 and n in asked for n in names)
            out[number] += 0.5 * (is_chat and speaker == "user")
            date = self.dates[number]
            out[number] += 0.5 * (date is not None and date[1:] in days)
        return out

    def hybrid(self, bm25, score, cosines):
        turns = len(self.turns)
        pool = {*np.argsort(-bm25)[:POOL], *np.argsort(-cosines)[:POOL]}
        pool |= {turn + step for turn in pool for step in (-1, 1)}
        inside = np.array(sorted(turn for turn in pool if 0 <= turn < turns))
        low, high = cosines[inside].min(), cosines[inside].max()
        dense = np.clip((cosines - low) / ((high - low) or 1), 0, 1)
        out = np.full(turns, -np.inf)
        out[inside] = (score + DENSE_WEIGHT * (dense + 0.2 * self.beside(dense, 1)))[inside]
        return out


def figures(scores, evidence):
    best = np.argsort(-scores, kind="stable")[:10]
    hits = [place for place, turn in enumerate(best) if turn in set(evidence)]
    ideal = sum(1 / math.log2(2 + place) for place in range(min(10, len(evidence))))
    gain = sum(1 / math.log2(2 + place) for place in hits)
    early = sum(place < 5 for place in hits)
    return early / len(evidence), len(hits) / len(evidence), gain / ideal


def measure(path, embed, is_plain):
    found = defaultdict(list)
    for raw in json.load(gzip.open(path)):
        talk = Conversation(raw, is_plain)
        rows = embed(talk.texts)
        queries = embed([qa["q"] for qa in talk.qa])
        for qa, query in zip(talk.qa, queries, strict=True):
            cosines = np.full(len(talk.turns), -1.0)
            np.maximum.at(cosines, talk.owners, rows @ query)
            bm25, score = talk.lexical(qa["q"])
            hybrid = talk.hybrid(bm25, score, cosines)
            for name, one in [("lexical", score), ("dense", cosines), ("hybrid", hybrid)]:
                found[name].append(figures(one, qa["ev"]))
    return {name: np.mean(values, 0) * 100 for name, values in found.items()}


def of_table(path):
    data = path.read_bytes()
    at = 12 + struct.unpack("<I", data[8:12])[0]
    head = json.loads(data[12:at])
    words = data[at : at + head["wordBytes"]].decode().split("\n")
    at += head["wordBytes"]
    at += -at % 4
    rows, size = head["rows"], head["dimensions"]
    factors = np.frombuffer(data, "<f4", rows, at)
    at += 4 * rows + 3 * head["nearRows"] * head["nearCount"]
    numbers = np.frombuffer(data, np.int8, rows * size, at).reshape(rows, size)
    return of_words(words, numbers * factors[:, None])


def of_glove(path):
    entries = list(json.load(open(path))["vectors"].items())[:GLOVE_WORDS]
    vectors = np.array([values[:100] for _, values in entries], np.float32)
    share = 1 / (np.arange(len(entries)) + 3.7)
    weight = 1e-3 / (1e-3 + share / share.sum())
    centered = (vectors - vectors.mean(0)) * weight[:, None]
    return of_words([word for word, _ in entries], centered.astype(np.float32))


def of_words(words, vectors):
    tokens = Tokens(words)
    return lambda texts: unit(tokens.matrix(texts) @ vectors)


def of_wordllama(folder):
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    vectors = next(iter(load_file(next(folder.glob("weights/*.safetensors"))).values()))
    tokenizer = Tokenizer.from_file(str(next(folder.glob("tokenizers/*.json"))))
    tokenizer.no_padding()
    tokenizer.no_truncation()

    def embed(texts):
        encoded = tokenizer.encode_batch(texts, add_special_tokens=False)
        return unit(np.stack([vectors[one.ids].sum(0).astype(np.float32) for one in encoded]))

    return embed


def of_teacher(model, tokenizer):
    teacher = Teacher(model, tokenizer)
    return lambda texts: teacher.embed(teacher.ids(texts), 32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sets", nargs="+", type=Path)
    for name in ["table", "glove", "wordllama", "model", "tokenizer"]:
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--plain", action="store_true")
    asked = parser.parse_args()
    if asked.table:
        embed = of_table(asked.table)
    elif asked.glove:
        embed = of_glove(asked.glove)
    elif asked.wordllama:
        embed = of_wordllama(asked.wordllama)
    else:
        embed = of_teacher(asked.model, asked.tokenizer)
    measured = {path.name: measure(path, embed, asked.plain) for path in asked.sets}
    kinds = ["lexical", "dense", "hybrid"]
    measured["mean"] = {k: np.mean([m[k] for m in measured.values()], 0) for k in kinds}
    for name, one in measured.items():
        shown = (f"{kind} {' / '.join(f'{x:.1f}' for x in one[kind])}" for kind in kinds)
        print(name, *shown, sep="  ")


main()
