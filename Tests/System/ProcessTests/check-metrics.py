"""Checks the metrics that functions publish.

usage: check-metrics.py openmetrics   reads a text of OpenMetrics, prints its samples as JSON
       check-metrics.py emf           reads log lines, prints those metrics as JSON
       check-metrics.py rules         reads rules of Prometheus, prints the metrics they name
       check-metrics.py dashboard     the same for a dashboard of Grafana
"""

import json
import re
import sys

import jsonschema
import promql_parser
import yaml
from prometheus_client.openmetrics import parser


def openmetrics(text):
    """The samples, by name and labels, and the types of families, as prometheus_client reads them:
    it refuses what is not OpenMetrics."""
    samples = {}
    for family in parser.text_string_to_metric_families(text):
        if not family.documentation:
            raise ValueError(f"{family.name} has no help")
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            samples[f"{sample.name}{{{labels}}}"] = sample.value
        samples[f"# {family.name}"] = family.type
    return samples


# "Specification: Embedded metric format" of the CloudWatch user guide.
EMF = {
    "type": "object",
    "required": ["_aws"],
    "properties": {
        "_aws": {
            "type": "object",
            "required": ["Timestamp", "CloudWatchMetrics"],
            "additionalProperties": False,
            "properties": {
                "Timestamp": {"type": "integer", "minimum": 1_500_000_000_000},
                "CloudWatchMetrics": {
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "type": "object",
                        "required": ["Namespace", "Dimensions", "Metrics"],
                        "additionalProperties": False,
                        "properties": {
                            "Namespace": {"type": "string", "minLength": 1, "maxLength": 1024},
                            "Dimensions": {
                                "type": "array",
                                "minItems": 1,
                                "items": {
                                    "type": "array",
                                    "maxItems": 30,
                                    "items": {
                                        "type": "string",
                                        "minLength": 1,
                                        "maxLength": 250,
                                    },
                                },
                            },
                            "Metrics": {
                                "type": "array",
                                "minItems": 1,
                                "maxItems": 100,
                                "items": {
                                    "type": "object",
                                    "required": ["Name"],
                                    "additionalProperties": False,
                                    "properties": {
                                        "Name": {
                                            "type": "string",
                                            "minLength": 1,
                                            "maxLength": 1024,
                                        },
                                        "Unit": {
                                            "enum": ["Count", "Milliseconds", "Microseconds"]
                                        },
                                        "StorageResolution": {"enum": [1, 60]},
                                    },
                                },
                            },
                        },
                    },
                },
            },
        }
    },
}


def emf(text):
    """The metrics of each line, by name and dimensions: a list of their values."""
    metrics = {}
    for line in text.splitlines():
        record = json.loads(line)
        if "_aws" not in record:
            continue
        jsonschema.validate(record, EMF)
        for directive in record["_aws"]["CloudWatchMetrics"]:
            for names in directive["Dimensions"]:
                for name in names:
                    # The schema cannot express this: a dimension is a member with a text value.
                    if not isinstance(record[name], str) or not 0 < len(record[name]) <= 1024:
                        raise ValueError(f"the dimension {name} is no text: {record}")
                labels = ",".join(f"{name}={record[name]}" for name in names)
                for metric in directive["Metrics"]:
                    values = record[metric["Name"]]
                    values = values if isinstance(values, list) else [values]
                    if not 0 < len(values) <= 100 or not all(
                        isinstance(value, (int, float)) and not isinstance(value, bool)
                        for value in values
                    ):
                        raise ValueError(f"{metric['Name']} is no number: {record}")
                    key = f"{directive['Namespace']} {metric['Name']}{{{labels}}}"
                    metrics.setdefault(key, []).extend(values)
    return metrics


def names(expressions):
    """How often each metric is named. An expression that Prometheus would refuse is an error."""
    found = {}
    for expression in expressions:
        promql_parser.parse(expression)
        for name in re.findall(r"\b[a-z]+_[a-z_]+\b(?=[{\[)\s]|$)", expression):
            found[name] = found.get(name, 0) + 1
    return found


def rules(text):
    expressions = []
    for group in yaml.safe_load(text)["groups"]:
        for rule in group["rules"]:
            if not {"alert", "expr", "annotations"} <= rule.keys():
                raise ValueError(f"the rule is not complete: {rule}")
            expressions.append(rule["expr"])
    return names(expressions)


def dashboard(text):
    return names(
        target["expr"].replace("$__rate_interval", "5m")
        for panel in json.loads(text)["panels"]
        for target in panel["targets"]
    )


READERS = {"openmetrics": openmetrics, "emf": emf, "rules": rules, "dashboard": dashboard}
print(json.dumps(READERS[sys.argv[1]](sys.stdin.read())))
