"""The contract-specific parts of the test of an OpenAPI document."""

from judge import APP


class People:
    """Users of a contract. A subclass supplies the values that cannot be generated."""

    #: How many requests are generated for a route.
    EXAMPLES = 8
    FURTHER_CHECKS = ["negative_data_rejection", "ignored_auth"]
    #: Routes that cannot succeed here.
    REFUSING = set()
    SERVER = APP
    #: A schemathesis.toml.
    SETTINGS = ""

    def tested(self, document):
        """The document without the requests that are not to be generated."""
        return document

    def credentials(self, path):
        """The headers of a signed-in user."""
        return {}

    #: Signs a request that requests has prepared.
    signed = None

    def body(self, path):
        """Members of a body that is accepted."""

    def path(self, path):
        """Parameters of a path that exists."""


def bearer(token):
    return {"Authorization": f"Bearer {token}"}
