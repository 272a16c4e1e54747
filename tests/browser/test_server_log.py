from pathlib import Path

from tests.browser.app import own_traceback

ROOT = Path("/srv/classroom")
STREAMLITS = """
Traceback (most recent call last):
  File "/srv/classroom/.venv/lib/python3.12/site-packages/tornado/websocket.py", line 1128, in wrapper
    raise WebSocketClosedError()
tornado.websocket.WebSocketClosedError
"""
OURS = """
Traceback (most recent call last):
  File "/srv/classroom/.venv/lib/python3.12/site-packages/streamlit/runtime/exec_code.py", line 129, in exec
    exec(code, module.__dict__)
  File "/srv/classroom/pages/train.py", line 12, in <module>
    1 / 0
ZeroDivisionError: division by zero
"""


def test_only_tracebacks_with_a_file_of_ours_count() -> None:
    assert own_traceback("You can now view your Streamlit app in your browser.", ROOT) == ""
    assert own_traceback(f"/srv/classroom/pages is watched\n{STREAMLITS}", ROOT) == ""
    assert own_traceback(STREAMLITS + OURS + STREAMLITS, ROOT).strip() == OURS.strip()


def test_of_a_long_traceback_the_end_is_kept() -> None:
    error = "ZeroDivisionError: division by zero"
    frames = '  File "/srv/classroom/pages/train.py", line 12, in <module>\n' * 300
    assert error in own_traceback(OURS.replace(error, frames + error), ROOT)
