"""Prints the methods of the Python client with their parameters, by its sources, as JSON::

    python parameters.py FOLDER    # src/memorysidecar of the client

Each parameter has its default, as code, and what its docstring says. Needs nothing but Python.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from pathlib import Path


def last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def classes(folder: Path) -> dict[str, list[ast.ClassDef]]:
    found: dict[str, list[ast.ClassDef]] = {}
    for path in [*folder.glob("*.py"), *folder.glob("_sync/*.py")]:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(node)
    return found


def options(kinds: dict[str, list[ast.ClassDef]], name: str) -> dict[str, dict[str, str]]:
    """The keys of a TypedDict, which a method takes as keyword arguments."""
    (kind,) = kinds[name]
    found: dict[str, dict[str, str]] = {}
    for base in kind.bases:
        if last_name(base) != "TypedDict":
            found |= options(kinds, last_name(base))
    key = ""
    for node in kind.body:
        if isinstance(node, ast.AnnAssign):
            key = node.target.id
            found[key] = {"default": "", "doc": ""}
        elif key and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found[key]["doc"] = str(node.value.value)
    return found


def parameters(
    kinds: dict[str, list[ast.ClassDef]], method: ast.FunctionDef
) -> dict[str, dict[str, str]]:
    arguments = method.args
    doc = ast.get_docstring(method) or ""
    told = dict(re.findall(r":param (\w+): (.*?)(?=:param |\Z)", doc, re.DOTALL))
    named = arguments.args[1:]
    bare = [None] * (len(named) - len(arguments.defaults))
    defaults = [*bare, *arguments.defaults, *arguments.kw_defaults]
    found = {}
    for argument, default in zip([*named, *arguments.kwonlyargs], defaults, strict=True):
        code = "" if default is None else ast.unparse(default)
        found[argument.arg] = {"default": code, "doc": told.get(argument.arg, "")}
    if arguments.kwarg is not None:
        found |= options(kinds, last_name(arguments.kwarg.annotation.slice))
    return found


def main() -> None:
    kinds = classes(Path(sys.argv[1]))
    methods = {}
    for name, found in kinds.items():
        if not name.endswith(("Client", "Methods", "Calls")):
            continue
        for node in (node for kind in found for node in kind.body):
            if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
                continue
            if not any(last_name(one) == "overload" for one in node.decorator_list):
                methods[node.name] = parameters(kinds, node)
    json.dump(methods, sys.stdout)


main()
