"""The service behind Ray Serve. Skipped where Ray is not installed (requirements-cluster.txt)."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.checkpoints.checkpoint import Checkpoint
from tests.pages.conftest import ROOT

pytest.importorskip("ray", reason="pip install -r requirements-cluster.txt")
pytestmark = pytest.mark.slow


def ask(address: str, model: str, text: str) -> str:
    """Send a text and return its translation."""
    body = json.dumps({"model": model, "text": text}).encode()
    with urllib.request.urlopen(f"{address}/translate", body, timeout=120) as answer:
        translation: str = json.loads(answer.read())["translation"]
    return translation


def test_the_command_serves_many_at_once_until_it_is_interrupted(
    tmp_path: Path, checkpoint: Checkpoint
) -> None:
    checkpoint.save(tmp_path / "mine.safetensors")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "core", "serve", str(tmp_path / "mine"), "--port", str(port)]
    with subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            address = f"http://127.0.0.1:{port}"
            assert address in server.stdout.readline()
            sources = [pair.source for pair in checkpoint.examples]
            with ThreadPoolExecutor(8) as pool:
                found = list(pool.map(lambda source: ask(address, "mine", source), sources))
            assert found == [each.text for each in checkpoint.translator().translate(sources, typed=True)]
            with pytest.raises(urllib.error.HTTPError, match="404"):
                ask(address, "other", sources[0])
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(120) == 0
