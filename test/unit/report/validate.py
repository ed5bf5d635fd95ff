#!/usr/bin/env python3
"""Validates JSON reports of warplint against their schema.

    validate.py [--self-test FULL_REPORT] SCHEMA REPORT...

A folder stands for all *.json in it.

--self-test breaks FULL_REPORT, which has every kind of object, in many ways and demands that the schema
rejects each. Exit status: 0 all as it should be, 1 not, 2 could not be checked.
"""
import argparse
import copy
import json
import os
import sys

try:
    import jsonschema
except ImportError:
    print("validate.py: the Python package jsonschema is missing; on Debian: apt-get install python3-jsonschema",
          file=sys.stderr)
    sys.exit(2)


def no_constant(name):
    raise ValueError(f"{name} is no JSON")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_constant=no_constant)


def files_of(path):
    if not os.path.isdir(path):
        return [path]
    files = sorted(os.path.join(path, name) for name in os.listdir(path) if name.endswith(".json"))
    return files or [os.path.join(path, "*.json")]  # an empty folder is no pass


def errors_of(validator, report):
    return [f"{'/'.join(map(str, e.absolute_path)) or 'report'}: {e.message[:300]}" for e in validator.iter_errors(report)]


def walk(value, path=()):
    """Every object of a report with its path."""
    if isinstance(value, dict):
        yield path, value
    for key, child in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from walk(child, path + (key,))


def at(report, path):
    for key in path:
        report = report[key]
    return report


# Keys that may be absent, and objects whose keys are free.
OPTIONAL = {"shard", "baseline"}
FREE = {"arguments"}


def broken(full):
    """Yields (what was broken, the broken report)."""

    def change(what, path, edit):
        report = copy.deepcopy(full)
        edit(at(report, path))
        return what, report

    for path, found in walk(full):
        if path and path[-1] in FREE:
            continue
        name = "/".join(map(str, path)) or "report"
        yield change(f"{name}: a key that is not in the schema", path, lambda o: o.update(surprise=1))
        for key in found:
            if key not in OPTIONAL:
                yield change(f"{name}: without {key}", path, lambda o: o.pop(key))
            yield change(f"{name}: {key} of the wrong type", path, lambda o: o.update({key: [[]]}))
            if isinstance(found[key], (int, float)) and not isinstance(found[key], bool):
                yield change(f"{name}: negative {key}", path, lambda o: o.update({key: -1}))
    accesses = [(path, a) for path, a in walk(full) if len(path) == 4 and path[2] == "accesses"]

    def access(condition):
        return next(path for path, a in accesses if condition(a))

    known = {s: access(lambda a: a["space"] == s and a["confidence"] != "unknown") for s in ("global", "shared", "constant", "local")}
    unknown = access(lambda a: a["confidence"] == "unknown")
    for key in ("space", "operation", "instruction", "confidence"):
        yield change(f"access: {key} without a meaning", known["global"], lambda o: o.update({key: "other"}))
    for space, path in known.items():
        yield change(f"{space}: a reason though it is known", path, lambda o: o.update(reason="none"))
        for owners, key in ((("global",), "lines"), (("global", "local"), "sectors"), (("shared",), "wavefronts"),
                            (("constant",), "distinctAddresses")):
            if space not in owners:
                yield change(f"{space}: with {key}", path, lambda o: o.update({key: 1}))
                yield change(f"{space}: mean with {key}", path, lambda o: o["mean"].update({key: 1}))
    for key, value in (("lines", 1), ("wavefronts", 1), ("mean", {}), ("total", None), ("reason", "")):
        yield change(f"unknown: with {key} {value}", unknown, lambda o: o.update({key: value}))
    for path in known.values():
        yield change("assumed: without an assumption", path, lambda o: o.update(confidence="assumed", assumptions=[]))
    yield change("unknown space: but a known cost", known["local"], lambda o: o.update(space="unknown"))
    yield change("access: more than 32 lanes", known["global"], lambda o: o.update(activeLanes=33))
    yield change("access: efficiency above 1", known["global"], lambda o: o.update(efficiency=1.5))
    yield change("access: half a sector in one request", known["global"], lambda o: o.update(sectors=4.5))

    kernel = ("kernels", 0)
    for what, edit in (("a block of two numbers", dict(block=[32, 8])), ("an empty block", dict(block=[0, 1, 1])),
                       ("a grid of two numbers", dict(grid=[4, 4])), ("blockOrigin", dict(blockOrigin="guess")),
                       ("partial false", dict(partial=False, partialReason="x")), ("partial without why", dict(partial=True)),
                       ("a reason but not partial", dict(partialReason="x")), ("an argument as text", dict(arguments={"n": "4"})),
                       ("an empty roofline", dict(roofline={})), ("an empty eta", dict(eta={}))):
        yield change(f"kernel: {what}", kernel, lambda o: o.update(edit))
    roofline = kernel + ("roofline",)
    yield change("roofline: bound by nothing known", roofline, lambda o: o.update(boundBy="both"))
    yield change("roofline: no amount, but empty text", roofline, lambda o: o.update(flopsPerThread=""))
    yield change("roofline: a tile of one array", roofline, lambda o: o["suggestedTile"].update(arrays=["a"]))
    yield change("occupancy: more than all", kernel + ("occupancy",), lambda o: o.update(fraction=1.5))
    yield change("occupancy: limited by something else", kernel + ("occupancy",), lambda o: o.update(limiters=["luck"]))
    yield change("eta: more than all", kernel + ("eta",), lambda o: o.update(total=1.5))
    finding = ("findings", 0)
    for key in ("severity", "impact", "confidence"):
        yield change(f"finding: {key} without a meaning", finding, lambda o: o.update({key: "fatal"}))
    yield change("finding: a rule's name with a blank", finding, lambda o: o.update(rule="Tile column"))
    fix = finding + ("fixes", 0)
    yield change("fix: safety without a meaning", fix, lambda o: o.update(safety="likely"))
    yield change("fix: before and after of different spaces", fix, lambda o: o.update(after={"distinctAddresses": 1}))
    yield change("another schema", (), lambda o: o.update(schema="warplint-report/2"))


def accepted(full):
    """Yields (what was added, a report that is still good)."""
    report = copy.deepcopy(full)
    kernel = report["kernels"][0]
    kernel["roofline"].update({key: None for key, value in kernel["roofline"].items()
                               if not isinstance(value, (bool, dict, list)) or key == "suggestedTile"})
    kernel["occupancy"].update(registers=32, registersOrigin="--registers", registerLimit=None, leastBlocksPerSm=None,
                               leastFraction=None)
    kernel["eta"].update(coalesce=None, cache=0.8, occupancy=1, total=0.4)
    yield "another roofline, occupancy and eta", report


def self_test(validator, full):
    failures, count = errors_of(validator, full), 0
    for what, report in accepted(full):
        failures += [f"rejected: {what}: {e}" for e in errors_of(validator, report)]
    for what, report in broken(full):
        count += 1
        if validator.is_valid(report):
            failures.append(f"accepted: {what}")
    print(f"self-test: {count} broken reports, {len(failures)} failures")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--self-test", metavar="FULL_REPORT")
    parser.add_argument("schema")
    parser.add_argument("reports", nargs="*")
    arguments = parser.parse_args()
    if not arguments.reports and not arguments.self_test:
        parser.error("no report")
    try:
        schema = load(arguments.schema)
        jsonschema.Draft7Validator.check_schema(schema)
    except (OSError, ValueError, jsonschema.SchemaError) as error:
        print(f"{arguments.schema}: {error}", file=sys.stderr)
        return 2
    validator = jsonschema.Draft7Validator(schema)
    failures = []
    for path in (file for report in arguments.reports for file in files_of(report)):
        try:
            failures += [f"{path}: {e}" for e in errors_of(validator, load(path))]
        except (OSError, ValueError) as error:
            failures.append(f"{path}: {error}")
    if arguments.self_test:
        failures += self_test(validator, load(arguments.self_test))
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
