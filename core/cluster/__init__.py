import os

# Read when Ray is imported. Under `uv run`, it would start each worker by that command again, in a copy of this folder.
os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
