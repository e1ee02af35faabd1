"""The contract that is tested, and its OpenAPI document."""

import importlib
import json
import os
import pathlib

NAME = os.environ["CONTRACT"]
FILE = pathlib.Path(__file__).parents[4] / "Functions" / "Templates" / f"{NAME}.openapi.json"


def document():
    return json.loads(FILE.read_text())


CONTRACT = importlib.import_module(f"openapi_{NAME}").Contract()
