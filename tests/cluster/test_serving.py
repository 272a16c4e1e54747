"""The endpoint behind Ray Serve. Skipped where Ray is not installed (requirements-cluster.txt)."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from core.classroom.endpoint.client import Endpoint, EndpointError, EndpointTranslator
from tests.pages.conftest import ROOT

if TYPE_CHECKING:
    from core.storage.checkpoint import Checkpoint

pytest.importorskip("ray", reason="pip install -r requirements-cluster.txt")
pytestmark = pytest.mark.slow


def test_the_command_serves_many_at_once_until_it_is_interrupted(
    tmp_path: Path, checkpoint: Checkpoint
) -> None:
    checkpoint.save(tmp_path / "mine")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "core", "serve", str(tmp_path / "mine"), "--port", str(port)]
    with subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            assert f"Serving mine at http://127.0.0.1:{port}" in server.stdout.readline()
            endpoint = Endpoint(f"http://127.0.0.1:{port}", 120.0)
            remote, local = EndpointTranslator(endpoint, "mine", checkpoint), checkpoint.translator()
            sources = [pair.source for pair in checkpoint.examples]
            with ThreadPoolExecutor(8) as pool:
                found = list(pool.map(lambda _: remote.translate_typed(sources), range(8)))
            expected = [each.text for each in local.translate_typed(sources)]
            assert [[each.text for each in texts] for texts in found] == [expected] * 8
            assert remote.explain(found[0][0]).attention is not None
            with pytest.raises(EndpointError, match="There is no model 'other' here, but: mine"):
                EndpointTranslator(endpoint, "other", checkpoint).translate_typed(sources[:1])
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(120) == 0
