"""Ports for servers that cannot choose one themselves, or that start later."""

import random
import socket

_found = set()


def free_port():
    """A port below those that Linux chooses (`ip_local_port_range`, from 32768), which other tests
    get for their servers and connections in the meantime. oidc-agent accepts it."""
    while True:
        port = random.randrange(20_000, 32_000)
        if port in _found:
            continue
        _found.add(port)
        with socket.socket() as free:
            try:
                free.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
