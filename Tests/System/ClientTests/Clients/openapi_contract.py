"""The contract that is tested, and its OpenAPI document."""

import importlib.util
import json
import os
import pathlib

from openapi_people import People

NAME = os.environ["CONTRACT"]
FILE = pathlib.Path(__file__).parents[4] / "Functions" / "Templates" / f"{NAME}.openapi.json"


def document():
    return json.loads(FILE.read_text())


def people():
    """The contract's users; without a file of its own, no user is signed in."""
    if importlib.util.find_spec(f"openapi_{NAME}") is None:
        return People()
    return importlib.import_module(f"openapi_{NAME}").Contract()


CONTRACT = people()
