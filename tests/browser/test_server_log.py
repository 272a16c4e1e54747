from pathlib import Path

from tests.browser.app import own_traceback

ROOT = Path("/srv/classroom")
STREAMLITS = """
Traceback (most recent call last):
  File "/srv/classroom/.venv/lib/python3.12/site-packages/tornado/websocket.py", line 1128, in wrapper
tornado.websocket.WebSocketClosedError
"""
OURS = STREAMLITS.replace(".venv/lib/python3.12/site-packages/tornado/websocket.py", "pages/train.py")


def test_only_tracebacks_with_a_file_of_ours_count() -> None:
    assert own_traceback(f"/srv/classroom/pages is watched\n{STREAMLITS}", ROOT) == ""
    assert own_traceback(STREAMLITS + OURS + STREAMLITS, ROOT).strip() == OURS.strip()
