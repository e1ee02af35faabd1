"""The emulator's dashboard, in one browser: the cases are in the modules that are imported here."""

# The walk is first: it needs functions that have no keys yet.
import dashboard_walk  # noqa: F401
import dashboard_timeline  # noqa: F401
import dashboard_screens  # noqa: F401
import dashboard_safety  # noqa: F401
from judge import run

run()
