"""Finds and runs cases.

A folder is a service, a module in it is a category, which its first line names, and a function in
that module is a case. Functions and modules whose name begins with `_` are helpers.
"""

import dataclasses
import importlib
import inspect
import time
import traceback


@dataclasses.dataclass
class Case:
    service: str
    category: str
    function: object

    @property
    def name(self):
        return self.function.__name__.replace("_", " ").strip()

    @property
    def difference(self):
        """Why the emulator differs here from the service; None for all other cases."""
        return getattr(self.function, "difference", None)

    def matches(self, words):
        texts = (self.service, self.category.lower(), self.function.__name__, self.name)
        return not words or any(word.lower() in text for word in words for text in texts)

    def run(self):
        began = time.monotonic()
        failure = None
        try:
            self.function()
        except Exception:
            failure = traceback.format_exc()
        return Result(self, failure, time.monotonic() - began)


@dataclasses.dataclass
class Result:
    case: Case
    failure: str | None
    seconds: float

    @property
    def passed(self):
        return self.failure is None

    @property
    def is_surprise(self):
        """Whether the case fails without a stated reason, or passes in spite of one."""
        return self.passed == (self.case.difference is not None)


def differs(reason):
    """Marks a case that the emulator does not pass, and says why."""

    def mark(function):
        function.difference = reason
        return function

    return mark


def find(folder):
    found = []
    for service in sorted(path for path in folder.iterdir() if path.is_dir()):
        if service.name == "harness" or service.name.startswith(("_", ".")):
            continue
        for path in sorted(service.glob("[!_]*.py")):
            module = importlib.import_module(f"{service.name}.{path.stem}")
            category = module.__doc__.splitlines()[0].rstrip(".")
            found += [Case(service.name, category, function) for function in _functions(module)]
    return found


def _functions(module):
    own = [
        value for value in vars(module).values()
        if inspect.isfunction(value) and value.__module__ == module.__name__
        and not value.__name__.startswith("_")
    ]
    return sorted(own, key=lambda function: function.__code__.co_firstlineno)
