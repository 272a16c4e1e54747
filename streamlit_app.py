"""The entry point of Transformer Classroom: streamlit run streamlit_app.py.

`streamlit run` finds the `app` below and serves it. A host that runs this file as a plain script gets the same pages.
"""

import os

# Read when NumPy is imported. With more threads on busy cores, a matrix product takes 2 to 4 times the CPU time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.components.shell import app as shell
from pages.components.shell.door import MIDDLEWARE, lifespan
from pages.components.shell.phones import routes

if get_script_run_ctx(suppress_warning=True) is None:
    app = st.App(shell.__file__, lifespan=lifespan, middleware=MIDDLEWARE, routes=routes())
else:
    shell.show_app()
