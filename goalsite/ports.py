"""Which TCP ports are free."""

import socket


def is_free(host: str, port: int) -> bool:
    """Whether a server could listen there now. Raises `OSError` when the host is none of this machine's."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno in (socket.EAI_ADDRFAMILY, 98, 48):
                return False
            raise
    return True


def next_free(host: str, first: int, tries: int = 100) -> int:
    """The first free port from `first` on."""
    for port in range(first, min(first + tries, 65536)):
        if is_free(host, port):
            return port
    raise OSError(f"no free port from {first} to {first + tries}")
