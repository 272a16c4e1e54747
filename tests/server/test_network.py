import socket
from pathlib import Path

import pytest

from core.server import network


class Probe(socket.socket):
    """A UDP socket of a machine with an address; "" for one without a network."""

    own = ""

    def connect(self, address: object) -> None:
        if not self.own:
            raise OSError("Network is unreachable")

    def getsockname(self) -> tuple[str, int]:
        return self.own, 50000


@pytest.mark.parametrize(
    ("own", "found"),
    [
        ("192.168.1.20", "192.168.1.20"),
        ("10.0.0.7", "10.0.0.7"),
        ("127.0.0.1", ""),
        ("169.254.3.4", ""),
        ("198.18.0.1", ""),  # a VPN's
        ("8.8.8.8", ""),  # the world's
        ("", ""),
    ],
)
def test_only_an_address_that_others_can_use(monkeypatch: pytest.MonkeyPatch, own: str, found: str) -> None:
    monkeypatch.setattr(network, "_CONTAINER_SIGNS", ())
    monkeypatch.setattr(socket, "socket", Probe)
    monkeypatch.setattr(Probe, "own", own)
    assert network.network_address() == found


def test_a_container_has_an_address_that_nobody_knows(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(network, "_CONTAINER_SIGNS", (tmp_path,))
    monkeypatch.setattr(socket, "socket", Probe)
    monkeypatch.setattr(Probe, "own", "172.17.0.2")
    assert network.network_address() == ""
