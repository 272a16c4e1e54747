"""This machine's addresses in its own networks. No other machine is asked."""

import ipaddress
import re
import socket
from contextlib import suppress
from pathlib import Path

_BENCHMARKS = ipaddress.ip_network("198.18.0.0/15")  # private too, but VPNs use it within one machine
_ELSEWHERE = ("192.0.2.1", 9)  # reserved for examples; a UDP socket only notes it, and nothing is sent
_ROUTES = Path("/proc/net/fib_trie")  # Linux's, with all addresses of the machine
_LOCAL = re.compile(r"\|-- ([\d.]+)\s+/32 host LOCAL")


def network_addresses() -> tuple[str, ...]:
    """Return this machine's IPv4 addresses in private networks, first the one by which it reaches others."""
    found: list[str] = []
    # There may be no network.
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(_ELSEWHERE)
        found.append(probe.getsockname()[0])
    with suppress(OSError):  # it does not know its own name
        if _ROUTES.exists():
            found += _LOCAL.findall(_ROUTES.read_text())
        else:
            found += socket.gethostbyname_ex(socket.gethostname())[2]
    return tuple(filter(_is_usable, dict.fromkeys(found)))


def _is_usable(address: str) -> bool:
    found = ipaddress.ip_address(address)
    return found.is_private and not found.is_loopback and not found.is_link_local and found not in _BENCHMARKS
