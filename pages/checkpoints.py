"""Checkpoints: models to use, to download and to open."""

import re
from pathlib import PurePath

import streamlit as st

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.limits import OPEN_LIMITS, CheckpointError, CheckpointTooLargeError
from core.checkpoints.model_file import SUFFIX
from core.errors import RefusedError
from core.language import _, number
from core.server.memory import free_memory, opening
from core.server.trained_model import TrainedModel, file_name
from core.server.workspace import Workspace
from core.weights import parameter_count
from pages.components.explaining.view import show_heading
from pages.components.frame.uploads import allow_upload, free_upload
from pages.components.frame.visit import Visit
from pages.components.model.choice import current_model, shipped_models
from pages.components.model.facts import facts_of, training_of
from pages.components.one_page.offer import offer_page
from pages.components.widgets.download import show_download
from pages.content.markdown import linkless, plain

_FILE = "checkpoint_file"  # keys of st.session_state
_PROBLEM = "checkpoint_problem"


def _show_entry(visit: Visit, model: TrainedModel) -> None:
    """Show a box with a model's name, size, buttons and folded card."""
    workspace = visit.workspace
    in_use = model is current_model(workspace)
    with st.container(border=True, key=f"checkpoint_{model.id}"):
        used = f" :green-badge[{_('in use')}]" if in_use else ""
        size = _("about {size}").format(size=size_of(model))
        st.markdown(f"**{plain(model.name)}**{used}  \n{facts_of(model)} · {size}")
        if facts := training_of(model):
            st.caption(facts)
        with st.container(horizontal=True):
            st.button(
                _("Use this one"),
                key=f"use_{model.id}",
                icon=":material/check:",
                disabled=in_use,
                on_click=workspace.models.select,
                args=(model,),
                help=_("Translate, Attention maps and Evaluate will use it."),
            )
            show_download(
                _("Download"),
                model.to_bytes,
                f"{file_name(model.name) or 'checkpoint'}{SUFFIX}",
                key=f"download_{model.id}",
                help=_("A file that this app and the command line can open."),
            )
            offer_page(visit, model)
            if not model.shipped:
                st.button(
                    _("Delete"),
                    key=f"delete_{model.id}",
                    icon=":material/delete:",
                    on_click=workspace.models.remove,
                    args=(model,),
                )
        with st.expander(_("Card: where it comes from"), icon=":material/description:"):
            st.markdown(card_of(model))


def size_of(model: TrainedModel) -> str:
    """Return the approximate size of a model's file."""
    checkpoint = model.checkpoint
    size = parameter_count(checkpoint.config) * (2 if checkpoint.half_precision else 4)  # bytes per weight
    if size >= 2**20:
        return _("{size} MB").format(size=number(size / 2**20, ",.1f"))
    return _("{size} kB").format(size=number(size / 2**10, ",.0f"))


def card_of(model: TrainedModel) -> str:
    """Return the card as safe Markdown: pictures and links only for models that ship with the app."""
    card = model.card.strip() if model.shipped else linkless(model.card.strip())
    # Headings as large as the page's own would break up the list.
    return re.sub(r"(?m)^#{1,4} +", "##### ", card)


def _show_upload(workspace: Workspace) -> None:
    """Show the upload of a model, which becomes the current one."""
    allow_upload()
    st.file_uploader(
        _("A model file (.safetensors), from this app or from the command line"),
        key=_FILE,
        on_change=_open,
        args=(workspace,),
        help=_("The file is read as data; nothing in it is executed. It becomes the current model."),
    )
    if problem := st.session_state.get(_PROBLEM):
        st.error(plain(problem), icon=":material/error:")


def _open(workspace: Workspace) -> None:
    file = st.session_state.get(_FILE)
    st.session_state[_PROBLEM] = None
    if file is None:
        return
    try:
        with opening:
            free_memory()
            checkpoint = Checkpoint.read(file, OPEN_LIMITS)
        opened = TrainedModel(checkpoint.name or PurePath(file.name).stem, checkpoint)
        kept = workspace.models.open(opened, taken=[each.name for each in shipped_models()])
        opened_as = _("Opened. It is now the current model: {model}").format(model=plain(kept.name))
        st.toast(opened_as, icon=":material/check:")
    except CheckpointTooLargeError as error:
        reason = str(error).rstrip(".")
        st.session_state[_PROBLEM] = _("{reason}. Use it from the command line: {command}.").format(
            reason=reason, command="python -m core translate"
        )
    except (CheckpointError, RefusedError) as error:
        st.session_state[_PROBLEM] = str(error)
    free_upload(file)


def main(visit: Visit) -> None:
    workspace = visit.workspace
    show_heading(visit)
    st.subheader(_("Shipped with the app"))
    shipped = shipped_models()
    for model in shipped:
        _show_entry(visit, model)
    if not shipped:
        st.caption(_("None: the folder core/pretrained is empty."))
    st.subheader(_("Yours, in this browser tab"))
    for model in reversed(workspace.models.kept):
        _show_entry(visit, model)
    if not workspace.models.kept:
        st.caption(_("None yet. Train a model, or open a checkpoint below."))
    else:
        st.caption(_("The last few models are kept while this tab is open. Download those you want to keep."))
    _show_upload(workspace)
