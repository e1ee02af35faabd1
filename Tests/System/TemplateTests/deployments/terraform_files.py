"""The Terraform files, as python-hcl2 reads them."""

import pathlib
import re

import hcl2

ROOT = pathlib.Path(__file__).resolve().parents[4]
FOLDER = ROOT / "Deployments/terraform"

# Attributes that Terraform itself gives to every resource.
META = {"for_each", "count", "depends_on", "provider", "lifecycle"}


def unquoted(text):
    return text.strip('"')


def is_block(value):
    return isinstance(value, list) and value and isinstance(value[0], dict) and (
        "__is_block__" in value[0] or any(
            isinstance(inner, dict) and "__is_block__" in inner for inner in value[0].values()))


def documents():
    return {path.name: hcl2.loads(path.read_text()) for path in sorted(FOLDER.glob("*.tf"))}


def blocks(kind):
    """Type, name and body of each resource, data source or the like."""
    for document in documents().values():
        for block in document.get(kind, []):
            for type_, named in block.items():
                if type_.startswith("__"):
                    continue
                for name, body in named.items():
                    if not name.startswith("__"):
                        yield unquoted(type_), unquoted(name), body


def parts(body):
    """Arguments, and nested blocks as lists of (label of a dynamic block or None, body)."""
    arguments, nested = {}, {}
    for name, value in body.items():
        if name.startswith("__"):
            continue
        if name == "dynamic":
            for dynamic in value:
                for label, inner in dynamic.items():
                    if not label.startswith("__"):
                        nested.setdefault(unquoted(label), []).append((inner, inner["content"][0]))
        elif is_block(value):
            nested[name] = [(None, inner) for inner in value]
        else:
            arguments[name] = value
    return arguments, nested


def expression(value):
    """A value of python-hcl2 as an HCL expression."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        whole = re.fullmatch(r"\$\{(.*)\}", value, re.DOTALL)
        return whole[1] if whole else value
    if isinstance(value, list):
        return "[" + ", ".join(expression(item) for item in value) + "]"
    return str(value)
