"""Answers and edits of the memory tool, as its reference implementation has them, and the pieces of
a file by which it is found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anthropic.lib.tools import ToolError

MAX_LINES = 999_999
NUMBER_WIDTH = 6
DIRECTORY_SIZE = 4_096
PIECE_BYTES = 2_000
MAX_PIECES = 256


def missing(shown: str) -> ToolError:
    return ToolError(f"The path {shown} does not exist. Please provide a valid path.")


def encoded(text: str) -> bytes:
    """Gives the bytes of a text that the model wrote."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ToolError("The text of a file must be valid Unicode.") from error


def decoded(value: bytes, shown: str) -> str:
    """Gives the text of a file."""
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise ToolError(f"The file {shown} is not text in UTF-8.") from error


def file_view(shown: str, text: str, view_range: Sequence[int] | None) -> str:
    """Answers a view of a file."""
    lines = text.split("\n")
    if len(lines) > MAX_LINES:
        raise ToolError(f"File {shown} exceeds maximum line limit of 999,999 lines.")
    first = 0
    if view_range and len(view_range) == 2:
        first = max(1, view_range[0]) - 1
        lines = lines[first : None if view_range[1] == -1 else view_range[1]]
    return f"Here's the content of {shown} with line numbers:\n" + _numbered(lines, first + 1)


def directory_view(shown: str, entries: Iterable[tuple[int, str]]) -> str:
    """Answers a view of a directory with the sizes and names of what is in it."""
    header = f"Here're the files and directories up to 2 levels deep in {shown}, "
    lines = [f"{header}excluding hidden items:", f"{_size(DIRECTORY_SIZE)}\t{shown}"]
    lines += [f"{_size(size)}\t{shown}/{name}" for size, name in entries]
    return "\n".join(lines)


def replaced(shown: str, text: str, old: str, new: str) -> tuple[str, str]:
    """Gives a text in which the only occurrence is replaced, and the answer."""
    none = "No replacement was performed"
    count = text.count(old)
    if count == 0:
        raise ToolError(f"{none}, old_str `{old}` did not appear verbatim in {shown}.")
    if count > 1:
        numbers = ", ".join(map(str, _lines_with(text, old)))
        raise ToolError(
            f"{none}. Multiple occurrences of old_str `{old}` in lines: {numbers}. "
            "Please ensure it is unique"
        )
    changed = text.count("\n", 0, text.find(old))
    result = text.replace(old, new)
    first = max(0, changed - 2)
    snippet = _numbered(result.split("\n")[first : changed + 3], first + 1)
    said = "The memory file has been edited. Here is the snippet showing the change"
    return result, f"{said} (with line numbers):\n{snippet}"


def inserted(shown: str, text: str, line: int, added: str) -> tuple[str, str]:
    """Gives a text with lines inserted after a line, and the answer."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not 0 <= line <= len(lines):
        raise ToolError(
            f"Invalid `insert_line` parameter: {line}. "
            f"It should be within the range [0, {len(lines)}]."
        )
    lines.insert(line, added.rstrip("\n"))
    result = "\n".join(lines)
    if not result.endswith("\n"):
        result += "\n"
    return result, f"The file {shown} has been edited."


def pieces(text: str) -> list[str]:
    """Splits a file into the texts by which searches find it: whole lines of up to 2,000 bytes, the
    first 256 of them."""
    found: list[str] = []
    piece = ""
    size = 0
    for part in (part for line in text.splitlines(keepends=True) for part in _parts(line)):
        length = len(part.encode())
        if size + length > PIECE_BYTES:
            found.append(piece)
            piece, size = "", 0
            if len(found) > MAX_PIECES:
                break
        piece += part
        size += length
    found.append(piece)
    return [piece for piece in found if piece.strip()][:MAX_PIECES]


def _parts(line: str) -> Iterable[str]:
    """Splits a line that is too long for a piece."""
    if len(line.encode()) <= PIECE_BYTES:
        return [line]
    # A character takes at most four bytes.
    step = PIECE_BYTES // 4
    return (line[start : start + step] for start in range(0, len(line), step))


def _numbered(lines: Iterable[str], first: int) -> str:
    return "\n".join(
        f"{number:>{NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines, first)
    )


def _lines_with(text: str, old: str) -> Iterable[int]:
    """Gives the line of each occurrence; occurrences may overlap."""
    number, start = 1, 0
    while (position := text.find(old, start)) != -1:
        number += text.count("\n", max(0, start - 1), position)
        yield number
        start = position + 1


def _size(size: int) -> str:
    """Gives a number of bytes as a listing shows it."""
    if size == 0:
        return "0B"
    step = min((size.bit_length() - 1) // 10, 3)
    amount = size / 1024**step
    unit = "BKMG"[step]
    return f"{int(amount)}{unit}" if amount == int(amount) else f"{amount:.1f}{unit}"
