"""This machine's address in its own network, found without sending anything."""

import ipaddress
import platform
import socket
from pathlib import Path

# Of a container's network, as of WSL's, others know nothing.
_CONTAINER_SIGNS = (Path("/.dockerenv"), Path("/run/.containerenv"))
_BENCHMARKS = ipaddress.ip_network("198.18.0.0/15")  # private too, but VPNs use it within one machine
_ELSEWHERE = ("192.0.2.1", 9)  # reserved for examples; a UDP socket only notes it, and nothing is sent


def network_address() -> str:
    """Return this machine's IPv4 address in a private network; "" where there is none that others could use."""
    if any(sign.exists() for sign in _CONTAINER_SIGNS) or "microsoft" in platform.release().lower():
        return ""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(_ELSEWHERE)
            found = ipaddress.ip_address(probe.getsockname()[0])
    except OSError:  # there is no network
        return ""
    is_usable = (
        found.is_private and not found.is_loopback and not found.is_link_local and found not in _BENCHMARKS
    )
    return str(found) if is_usable else ""
