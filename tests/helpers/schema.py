"""The JSON schema of all documents, from the classes. ``python tests/helpers/schema.py`` writes
``schema.json`` after a change of the fields of a result."""

import json
from pathlib import Path

from betaroc.core.value import Value
from betaroc.data.scores import Scores
from betaroc.rendering import document
from betaroc.rendering.document import FORMAT, REAL, document_parts, needed_of
from betaroc.report import documents
from betaroc.report.documents import kinds

TARGET = Path(documents.__file__).with_name("schema.json")

SIMPLE = {document.NULL: {"type": "null"}, document.WHOLE: {"type": "integer"},
    document.FLAG: {"type": "boolean"}, document.TEXT: {"type": "string"},
    REAL: {"$ref": "#/$defs/number"}, document.ANYTHING: {"$ref": "#/$defs/anything"}}  # fmt: skip
SCALAR = {"type": ["number", "string", "boolean", "null"]}
#: By kind of array what its entries are called, and one of them.
ENTRIES = {"f": ("numbers", SIMPLE[REAL]), "i": ("whole numbers", SIMPLE[document.WHOLE]),
    "b": ("flags", SIMPLE[document.FLAG]), "U": ("texts", SIMPLE[document.TEXT]),
    "": ("entries", SCALAR)}  # fmt: skip


def schema():
    """JSON schema of every document."""
    values = [name for name, kind in kinds().items() if issubclass(kind, Value)]
    held = [{"properties": {"kind": {"const": name}, "content": {"$ref": f"#/$defs/{name}"}}}
        for name in values]  # fmt: skip
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Results of betaroc",
        "type": "object",
        "properties": {"betaroc": {"type": "string"}, "format": {"const": FORMAT}},
        "required": ["betaroc", "format", "kind"],
        "if": {"required": ["content"]},
        "then": {"oneOf": held},
        "else": {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in values]},
        "$defs": shared() | {name: of_class(kind) for name, kind in kinds().items()},
    }


def of_class(kind):
    library = {"library": {"$ref": "#/$defs/library"}}  # of many kinds
    properties = {name: library.get(name) or of_codec(codec)
        for name, codec in document_parts(kind).items()}  # fmt: skip
    needed = list(needed_of(kind))
    if issubclass(kind, Value):
        envelope = {"betaroc": {"type": "string"}, "format": {"const": FORMAT}}
        envelope |= {"derived": {"type": "object"}}
        properties = {"kind": {"const": kind.__name__}} | properties | envelope
        needed = ["kind", *needed]
    return {"type": "object", "properties": properties,
        "required": needed, "additionalProperties": False}  # fmt: skip


def of_codec(codec):
    """What a plain form of this codec is."""
    if codec in SIMPLE:
        return SIMPLE[codec]
    parts = [of_codec(part) for part in codec.parts]
    match codec.form:
        case "text":
            return {"type": "string"}
        case "choice":
            return {"enum": list(codec.members)}
        case "array":
            return {"$ref": f"#/$defs/{ENTRIES[codec.kind][0]}"}
        case "record":
            names = [codec.python[0].__name__]
            if codec.named:
                names = document.names_below(codec.python, kinds())
            refs = [{"$ref": f"#/$defs/{name}"} for name in names]
            return refs[0] if len(refs) == 1 else {"anyOf": refs}
        case "mapping":
            return {"type": "object", "additionalProperties": parts[0]}
        case "many":
            return {"type": "array", "items": parts[0]}
        case "each":
            n = len(parts)
            return {"type": "array", "prefixItems": parts, "minItems": n, "maxItems": n}
    assert codec.form == "either"
    if codec.optional and REAL in codec.parts:
        parts.append({"const": {"float": "nan"}})
    return {"anyOf": parts}


def of_array(one):
    """An array: lists within each other, its values with their shape, or where it stands."""
    whole = {"values": {"type": "array", "items": one}, "dtype": {"enum": list(document._LETTERS)},
        "shape": {"type": "array", "items": {"type": "integer", "minimum": 0}}}  # fmt: skip
    rows = {"type": "array", "items": one}
    for _ in range(2):  # up to three dimensions
        rows = {"type": "array", "items": {"anyOf": [one, rows]}}
    same = {"type": "object", "properties": {"same as": {"type": "string"}}}
    return {"anyOf": [rows, {"type": "object", "properties": whole,
        "required": list(whole)} | {"additionalProperties": False},
        same | {"required": ["same as"], "additionalProperties": False}]}  # fmt: skip


def shared():
    """What many documents hold."""
    return {
        "number": {"anyOf": [{"type": ["number", "null"]}, {"enum": ["inf", "-inf"]}]},
        "library": of_codec(document_parts(Scores)["library"]),
        **{name: of_array(one) for name, one in ENTRIES.values()},
        "anything": {"anyOf": [SCALAR, {"type": "object", "properties": {"float": {"enum": ["nan",
            "inf", "-inf"]}}} | {"required": ["float"], "additionalProperties": False},
            {"type": "array", "items": {"$ref": "#/$defs/anything"}}]},
    }  # fmt: skip


def lines(found):
    """A definition a line."""
    return [f"{json.dumps(key)}:{json.dumps(value, separators=(',', ':'))}"
        for key, value in found.items()]  # fmt: skip


if __name__ == "__main__":
    found = schema()
    definitions = ",\n".join(lines(found.pop("$defs")))
    TARGET.write_text("{\n" + ",\n".join(lines(found)) + ',\n"$defs": {\n' + definitions
        + "\n}\n}\n", "utf-8")  # fmt: skip
