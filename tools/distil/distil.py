"""Makes src/recall/embed/models/static-en.bin. README.md says how to run it."""

import argparse
import hashlib
import json
import struct
from pathlib import Path

import numpy as np
import scipy.sparse as sparse
import snowballstemmer
import sources
from teacher import Teacher, unit
from words import STOP_WORDS, Tokens

NAME = "static-en-1"
# The axes are those of the most variance first. Near words are found in this many of them.
NEAR_AXES = 192
# Weight of the first vector of a row, in texts.
HOLD = 0.3
ROUNDS = 2
STEPS = 25
# Frequent words count less: a / (a + share of the word), for the first vectors.
RARITY = 1e-3
# Rank of words that the list of frequent words lacks.
UNRANKED = 30_000
NEAR_WORDS = 30_000
NEAR_AT_MOST = 16
NEAR_FLOOR = 0.3


def cached(path, make):
    if not path.exists():
        np.save(path, make())
    return np.load(path)


def first_vectors(words, vectors, order, axes):
    rank = np.array([order.get(word.lstrip("#"), UNRANKED) for word in words], float) + 1
    share = 1 / (rank + 2.7)
    share /= share.sum()
    weight = RARITY / (RARITY + share)
    centered = vectors - vectors.mean(0)
    return (centered @ axes * weight[:, None]).astype(np.float32)


def solve(counts, targets, start, hold):
    """Conjugate gradients for min |counts W - targets|^2 + hold |W - start|^2."""
    back = counts.T.tocsr()
    squares = np.asarray(counts.multiply(counts).sum(0)).ravel()
    scale = 1 / (squares + hold)[:, None]
    change = np.zeros_like(start)
    rest = back @ (targets - counts @ start)
    ahead = rest * scale
    way = ahead.copy()
    size = (rest * ahead).sum(0)
    for _ in range(STEPS):
        image = back @ (counts @ way) + hold * way
        step = size / np.maximum((way * image).sum(0), 1e-20)
        change += step * way
        rest -= step * image
        ahead = rest * scale
        next_size = (rest * ahead).sum(0)
        way = ahead + next_size / np.maximum(size, 1e-20) * way
        size = next_size
    return start + change


def fitted(counts, targets, start):
    """Word vectors whose sums point where the teacher's vectors of the texts do."""
    vectors = start
    for _ in range(ROUNDS):
        lengths = np.maximum(np.linalg.norm(counts @ vectors, axis=1), 1e-6)
        scaled = (sparse.diags((1 / lengths).astype(np.float32)) @ counts).tocsr()
        vectors = solve(scaled.astype(np.float32), targets, start, np.float32(HOLD))
        cosine = (unit(counts @ vectors) * targets).sum(1).mean()
        print(f"mean cosine with the teacher: {cosine:.4f}")
    return vectors.astype(np.float32)


def nearest(words, vectors):
    """For the most frequent words, the rows of the nearest words of other stems."""
    stem = snowballstemmer.stemmer("english").stemWord
    plain = [
        row
        for row, word in enumerate(words[:NEAR_WORDS])
        if not word.startswith("##")
        and len(word) > 1
        and not word.isdigit()
        and word not in STOP_WORDS
    ]
    stems = [stem(words[row]) for row in plain]
    points = unit(vectors[plain])
    rows = np.full((NEAR_WORDS, NEAR_AT_MOST), 0xFFFF, np.uint16)
    sims = np.zeros((NEAR_WORDS, NEAR_AT_MOST), np.uint8)
    for start in range(0, len(plain), 1000):
        scores = points[start : start + 1000] @ points.T
        for line, score in enumerate(scores):
            best = np.argpartition(-score, 80)[:80]
            best = best[np.argsort(-score[best], kind="stable")]
            seen, place = {stems[start + line]}, 0
            for other in best:
                if score[other] < NEAR_FLOOR or place == NEAR_AT_MOST:
                    break
                if stems[other] in seen:
                    continue
                seen.add(stems[other])
                rows[plain[start + line], place] = plain[other]
                sims[plain[start + line], place] = min(255, round(float(score[other]) * 255))
                place += 1
    return rows, sims


def write(path, words, vectors, near):
    largest = np.abs(vectors).max(1)
    largest[largest == 0] = 1
    factors = (largest / 127).astype("<f4")
    numbers = np.clip(np.rint(vectors / factors[:, None]), -127, 127).astype(np.int8)
    text = "\n".join(words).encode()
    header = {
        "name": NAME,
        "dimensions": vectors.shape[1],
        "rows": len(words),
        "wordBytes": len(text),
        "nearRows": NEAR_WORDS,
        "nearCount": NEAR_AT_MOST,
    }
    head = json.dumps(header, separators=(",", ":")).encode()
    out = b"MSTABLE1" + struct.pack("<I", len(head)) + head + text
    out += b"\0" * (-len(out) % 4)
    out += factors.tobytes() + near[0].astype("<u2").tobytes() + near[1].tobytes()
    out += numbers.tobytes()
    path.write_bytes(out)
    print(f"{path}: {len(out)} bytes, sha256 {hashlib.sha256(out).hexdigest()}")


def kept(words, order, rows):
    """All pieces, and the most frequent words, those first."""
    pieces = [i for i, word in enumerate(words) if word.startswith("##")]
    plain = [i for i, word in enumerate(words) if not word.startswith("##")]
    plain.sort(key=lambda i: (order.get(words[i], 25_000), words[i]))
    return plain[: rows - len(pieces)] + pieces


def main():
    parser = argparse.ArgumentParser()
    for name in ["model", "tokenizer", "glove", "wordnet", "talk", "cache", "out"]:
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--dimensions", type=int, default=128)
    parser.add_argument("--rows", type=int, default=70_000)
    asked = parser.parse_args()

    teacher = Teacher(asked.model, asked.tokenizer)
    order = sources.frequency_order(asked.glove)
    words, ids = sources.vocabulary(teacher, order)
    vectors = cached(asked.cache / "words.npy", lambda: teacher.embed(ids, 128))
    examples, definitions = sources.wordnet(asked.wordnet, order)
    texts, targets = [], []
    for name, part in [
        ("talk", sources.talk(asked.talk)),
        ("examples", examples),
        ("definitions", definitions),
    ]:
        encode = lambda part=part: teacher.embed(teacher.ids(part), 32).astype(np.float16)
        targets.append(cached(asked.cache / f"{name}.npy", encode).astype(np.float32))
        texts += part
    targets = np.concatenate(targets)
    print(f"{len(words)} entries, {len(texts)} texts")

    tokens = Tokens(words)
    counts = tokens.matrix(texts)
    enough = np.diff(counts.indptr) > 1
    counts, targets = counts[enough], targets[enough]
    centered = targets - targets.mean(0)
    sample = np.random.RandomState(0).permutation(len(centered))[:30_000]
    fits = max(asked.dimensions, NEAR_AXES)
    axes = np.linalg.svd(unit(centered[sample]), full_matrices=False)[2][:fits].T
    start = first_vectors(words, vectors, order, axes)
    table = fitted(counts, unit(centered @ axes), start)

    rows = kept(words, order, asked.rows)
    words, table = [words[row] for row in rows], table[rows]
    write(asked.out, words, table[:, : asked.dimensions], nearest(words, table[:, :NEAR_AXES]))


main()
