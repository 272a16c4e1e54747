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


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the file in which this machine has its addresses; there is none yet."""
    monkeypatch.setattr(socket, "socket", Probe)
    monkeypatch.setattr(socket, "gethostbyname_ex", lambda name: (name, [], []))
    monkeypatch.setattr(network, "_ROUTES", tmp_path / "routes")
    return tmp_path / "routes"


@pytest.mark.parametrize(
    ("address", "is_usable"),
    [
        ("192.168.1.20", True),
        ("10.0.0.7", True),
        ("127.0.0.1", False),
        ("169.254.3.4", False),
        ("198.18.0.1", False),  # a VPN's
        ("8.8.8.8", False),  # the world's
        ("", False),
    ],
)
def test_only_an_address_that_others_can_use(
    monkeypatch: pytest.MonkeyPatch, own: Path, address: str, is_usable: bool
) -> None:
    monkeypatch.setattr(Probe, "own", address)
    assert network.network_addresses() == ((address,) if is_usable else ())


@pytest.mark.parametrize("is_linux", [True, False])
def test_the_address_by_which_it_reaches_others_is_the_first_of_several(
    monkeypatch: pytest.MonkeyPatch, own: Path, is_linux: bool
) -> None:
    monkeypatch.setattr(Probe, "own", "192.168.1.20")
    several = ["10.8.0.3", "127.0.0.1", "192.168.1.20"]
    if is_linux:
        lines = (f"  |-- {each}\n     /32 host LOCAL\n" for each in several)
        own.write_text("  |-- 10.8.0.0\n     /24 link UNICAST\n" + "".join(lines))
    else:
        monkeypatch.setattr(socket, "gethostbyname_ex", lambda name: (name, [], several))
    assert network.network_addresses() == ("192.168.1.20", "10.8.0.3")
