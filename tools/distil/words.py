"""Split of a text into words of the table: the same as src/recall/embed/static-words.ts.

The server leaves words without a letter a to z, a digit or a Han character out (recipe t2, see
src/recall/embed/static-table.ts). The table was fitted with them, so they still count here.
"""

import re
import unicodedata

import numpy as np
import scipy.sparse as sparse

HAN = "\u3400-\u4dbf\u4e00-\u9fff"
WORDS = re.compile(rf"[{HAN}]|(?:(?![{HAN}])[^\W_])+")
POSSESSIVE = re.compile(r"['\u2019]s(?!\w)")
PIECED_CHARS_MAX = 40

# Words that full-text search leaves out: they stand for nothing that could be near.
STOP_WORDS = set(
    """a an the and or but if then of to in on at by for with from as is are was were be been being
    am do does did done has have had having i you he she it we they me him her us them my your his
    its our their this that these those there here what which who whom whose when where why how not
    no nor so than too very can could will would shall should may might must just about into over
    under again further once all any both each few more most other some such only own same s t d ll
    m re ve don didn doesn isn wasn aren weren""".split()
)


def fold(text):
    text = unicodedata.normalize("NFKD", text.lower())
    return "".join(c for c in text if unicodedata.category(c) != "Mn")


class Tokens:
    """Finds the rows of texts in a vocabulary."""

    def __init__(self, vocabulary):
        self.size = len(vocabulary)
        self.row_of = {word: row for row, word in enumerate(vocabulary)}
        self.known = {}

    def word(self, word):
        if word not in self.known:
            self.known[word] = self._rows(word)
        return self.known[word]

    def _rows(self, word):
        if word in self.row_of:
            return [self.row_of[word]]
        rows, start = [], 0
        while start < len(word) <= PIECED_CHARS_MAX:
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                row = self.row_of.get(prefix + word[start:end])
                if row is not None:
                    rows.append(row)
                    start = end
                    break
            else:
                return []
        return rows

    def rows(self, text):
        text = POSSESSIVE.sub("", fold(text))
        return [row for word in WORDS.findall(text) for row in self.word(word)]

    def matrix(self, texts):
        """One line a text, with how often each row of the vocabulary is in it."""
        starts, rows = [0], []
        for text in texts:
            rows += self.rows(text)
            starts.append(len(rows))
        ones = np.ones(len(rows), np.float32)
        shape = (len(texts), self.size)
        return sparse.csr_matrix((ones, np.array(rows, np.int64), np.array(starts)), shape=shape)
