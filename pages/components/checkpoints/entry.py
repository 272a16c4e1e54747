"""One checkpoint in the list: what it is, and what can be done with it."""

from __future__ import annotations

import re

import streamlit as st

from core.classroom.jobs import duration
from core.classroom.models import TrainedModel, file_name
from core.classroom.workspace import Workspace
from core.weights import parameter_count
from pages.components.widgets.model.current_model import current_model, facts_of
from pages.components.widgets.words import linkless, plain

_BYTES_A_WEIGHT = {True: 2, False: 4}  # by whether the file has half precision


def show_entry(workspace: Workspace, model: TrainedModel) -> None:
    """A box with the model's name, size and buttons; its card is folded."""
    in_use = model is current_model(workspace)
    with st.container(border=True, key=f"checkpoint_{model.id}"):
        used = " :green-badge[in use]" if in_use else ""
        st.markdown(f"**{plain(model.name)}**{used}  \n{facts_of(model)} · about {size_of(model)}")
        if told := training_of(model):
            st.caption(told)
        with st.container(horizontal=True):
            st.button(
                "Use this one",
                key=f"use_{model.id}",
                icon=":material/check:",
                disabled=in_use,
                on_click=_use,
                args=(workspace, model),
                help="Translate, Attention maps and Evaluate will use it.",
            )
            st.download_button(
                "Download",
                key=f"download_{model.id}",
                data=model.to_zip,  # made when somebody wants it
                file_name=f"{file_name(model.name) or 'checkpoint'}.zip",
                mime="application/zip",
                icon=":material/download:",
                on_click="ignore",
                help="A zip file that this app and the command line can open.",
            )
            if not model.shipped:
                st.button(
                    "Delete",
                    key=f"delete_{model.id}",
                    icon=":material/delete:",
                    on_click=workspace.remove,
                    args=(model,),
                )
        with st.expander("Card: where it comes from", icon=":material/description:"):
            st.markdown(card_of(model))


def size_of(model: TrainedModel) -> str:
    """How large its file is, about."""
    checkpoint = model.checkpoint
    size = parameter_count(checkpoint.config) * _BYTES_A_WEIGHT[checkpoint.half_precision]
    return f"{size / 2**20:,.1f} MB" if size >= 2**20 else f"{size / 2**10:,.0f} kB"


def training_of(model: TrainedModel) -> str:
    """What tells it from others of the same shape: how long it was trained and how, and its loss; empty if unknown."""
    checkpoint = model.checkpoint
    metrics, training = checkpoint.metrics, checkpoint.training
    facts = []
    if "epochs" in metrics and "seconds" in metrics:
        facts.append(f"{metrics['epochs']:,.0f} epochs in {duration(metrics['seconds'])}")
    if training is not None:
        facts.append(
            f"learning rate {training.learning_rate:g}" if training.schedule == "constant" else "warmup"
        )
    facts.append(f"dropout {checkpoint.config.dropout_rate:g}")
    if "best_epoch_loss" in metrics:
        facts.append(f"loss {metrics['best_epoch_loss']:.3f} (epoch {metrics['best_epoch']:,.0f})")
    return " · ".join(facts) if metrics else ""


def card_of(model: TrainedModel) -> str:
    """The card as Markdown that the page may show: pictures and links only in what ships with the app."""
    card = model.card.strip() if model.shipped else linkless(model.card.strip())
    # Headings as large as the page's own would break the list up.
    return re.sub(r"(?m)^#{1,4} +", "##### ", card)


def _use(workspace: Workspace, model: TrainedModel) -> None:
    workspace.model = model
