"""Architecture: the model's parts, sizes, layers and norms, and a sentence on its way through."""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import cycle
from typing import Any

import pandas as pd
import streamlit as st

from core.config import DecodingConfig, ModelConfig
from core.figures.svg.architecture import (
    LETTERS,
    architecture_svg,
    model_size_figure,
    norm_orders_svg,
    norm_placement_figure,
)
from core.figures.theme import percent
from core.language import N_, _, language, ngettext, number, titled
from core.model.forward import ADDED_POSITIONS, ForwardPass, scaled_dot_product_attention
from core.model.numpy_ops import layer_norm
from core.presets import CLASSROOM, LARGE_PRESETS
from core.server.trained_model import TrainedModel
from core.theory import model_size
from core.theory.model_parts import parts_of_model, weights_of_model
from core.theory.model_size import (
    forward_operations,
    operations_by_part,
    parameters_by_kind,
    parameters_by_part,
)
from core.theory.norms import measure_stack
from core.theory.parts import Part, Side, Sizes, Tensor, axis_sizes, model_sizes
from core.weights import parameter_count, weight_shapes
from pages.components.explaining.figure import ON_ONE_SCREEN, show_figure, show_svg
from pages.components.explaining.view import View, above_figure, show_heading, show_views
from pages.components.frame.presenting import is_presenting
from pages.components.frame.visit import Visit
from pages.components.model.choice import all_models, label_of
from pages.components.model.living import show_living
from pages.components.model.sentence import (
    choose_sentence,
    show_period_added,
    show_sentence_row,
    try_to_translate,
)
from pages.components.widgets.numbers import MAX_CHARACTERS
from pages.components.widgets.settings import title_of
from pages.components.widgets.state import choose, number_input, set_value, slider, toggle
from pages.content.markdown import plain
from pages.content.reader import PART_TEXTS

_KNOWN = {
    "classroom": (N_("Classroom"), CLASSROOM.model),
    "tutorial": (N_("Tutorial, 4 × 128"), LARGE_PRESETS["tutorial"].model),
    "base": (N_("Paper's base"), model_size.BASE),
    "big": (N_("Paper's big"), model_size.BIG),
}
_POSITIONS = {
    "sinusoidal": N_("sinusoidal positions"),
    "learned": N_("learned positions"),
    "rotary": N_("rotary positions"),
    "none": N_("no positions"),
}
_SIDES: dict[Side, str] = {"encoder": N_("Encoder"), "decoder": N_("Decoder")}
_SIDES_IN_TABLE: dict[Side, str] = {"encoder": N_("encoder"), "decoder": N_("decoder")}


def _choose_config(visit: Visit) -> ModelConfig | None:
    """Return the chosen model's config; None, with a message, where the sizes do not fit together."""
    models = _models(visit)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        titles = {name: title for name, (title, config) in models.items()}
        name = choose(_("Model"), titles, "shown_model", look="menu")
        config = models[name][1]
        changes: dict[str, Any] = {}
        if name in _KNOWN:
            with st.popover(_("Change its sizes"), icon=":material/tune:"):
                changes = _choose_changes(config, f"m{list(_KNOWN).index(name)}")
    width = changes.get("d_model", 0)
    heads = changes.get("num_heads", 1)
    if width % heads:
        st.warning(
            _(
                "A width of {width} is not divisible by {count} heads: each would be {quotient} numbers wide. "
                "Change the width or the heads."
            ).format(width=number(width, ","), count=heads, quotient=number(width / heads, ".2f")),
            icon=":material/warning:",
        )
        return None
    config = config.replace(**changes)
    st.caption(_describe(config))
    return config


def _models(visit: Visit) -> dict[str, tuple[str, ModelConfig]]:
    """Return titles and configs: the known models, then those that translate here."""
    models = all_models(visit)
    return {
        **{name: (_(title), config) for name, (title, config) in _KNOWN.items()},
        **{name: (label_of(visit, model), model.checkpoint.config) for name, model in models.items()},
    }


_LARGE_LETTERS = 22.0  # font size of drawings on a projector

_SIZES = {  # by field: label, smallest and largest value
    "num_layers": (N_("Layers on each side"), 1, 24),
    "num_heads": (N_("Heads"), 1, 128),
    "d_model": (N_("Width, d_model"), 1, 4096),
    "d_ff": (N_("Inner width, d_ff"), 1, 16_384),
    "target_vocab_size": (N_("Target vocabulary"), 4, 1_000_000),
    "source_vocab_size": (N_("Source vocabulary"), 2, 1_000_000),
}


def _choose_changes(config: ModelConfig, prefix: str) -> dict[str, Any]:
    """Show controls that start at the model's own sizes; the prefix gives each model its own controls."""

    def switch(label: str, field: str, default: bool) -> bool:
        return toggle(label, default, f"{prefix}_{field}")

    shared = switch(_("One embedding for both languages"), "share_embeddings", config.share_embeddings)
    tied = switch(_("Tie the output to the target embedding"), "tie_embeddings", config.tie_embeddings)
    pre = switch(_("Pre-norm"), "norm", config.norm == "pre")
    is_learned = config.positional_encoding == "learned"
    learned = switch(_("Learned positions"), "positional_encoding", is_learned)
    others = "sinusoidal" if is_learned else config.positional_encoding
    sizes = {}
    for column, (field, (label, low, high)) in zip(cycle(st.columns(2)), _SIZES.items(), strict=False):
        with column:
            default, disabled = getattr(config, field), shared and field == "source_vocab_size"
            sizes[field] = number_input(_(label), low, high, default, f"{prefix}_{field}", disabled=disabled)
    if shared:
        sizes["source_vocab_size"] = sizes["target_vocab_size"]
    return {
        **sizes,
        "share_embeddings": shared,
        "tie_embeddings": tied,
        "norm": "pre" if pre else "post",
        "positional_encoding": "learned" if learned else others,
    }


def _describe(config: ModelConfig) -> str:
    # One number where both vocabularies have the same size.
    sizes = {config.source_vocab_size, config.target_vocab_size}
    source, target = number(config.source_vocab_size, ","), number(config.target_vocab_size, ",")
    vocabulary = _("vocabulary {size}") if len(sizes) == 1 else _("vocabulary {source} and {target}")
    heads = ngettext("{count} head of {width}", "{count} heads of {width}", config.num_heads)
    facts = [
        _("**{count} parameters**").format(count=_in_words(parameter_count(config))),
        _("{encoder} + {decoder} layers").format(encoder=config.num_layers, decoder=config.num_layers),
        _("width {width}").format(width=number(config.d_model, ",")),
        heads.format(count=config.num_heads, width=config.head_dim),
        _("feed-forward {width}").format(width=number(config.inner_dim, ",")),
        vocabulary.format(size=source, source=source, target=target),
        _("pre-norm") if config.norm == "pre" else _("post-norm"),
        title_of("norm_kind", config.norm_kind),
        title_of("activation", config.activation),
        _(_POSITIONS[config.positional_encoding]),
    ]
    return " · ".join(facts)


_LARGE_NUMBERS = (
    (1e12, N_("{number} trillion")),
    (1e9, N_("{number} billion")),
    (1e6, N_("{number} million")),
)


def _in_words(value: float) -> str:
    """Return a number like "174,371", "63.1 million" or "1.27 billion"."""
    for size, words in _LARGE_NUMBERS:
        if float(f"{value:.3g}") >= size:
            return _(words).format(number=_three_figures(value / size))
    return number(value, ",.0f")


def _three_figures(value: float) -> str:
    return language().number(f"{value:#.3g}".rstrip("."))


def _show_picture(visit: Visit) -> None:
    drawing, words = st.columns([4, 5], gap="large")
    with words:
        config = _choose_config(visit)
        if config is None:
            return
        parts = {part.key: part for part in parts_of_model(config)}
        titles = {key: _title_of(part) for key, part in parts.items()}
        chosen = choose(_("Part to open"), titles, "opened", default="encoder_self_attention", look="menu")
        left, middle, right = st.columns(3)
        most_source, most_target = min(config.max_source_length, 256), min(config.max_target_length, 256)
        with left:
            pairs = slider(_("B: sentence pairs"), 1, 64, 8, "batch_size")
        with middle:
            source = slider(_("S: source tokens"), 1, most_source, 10, "source_tokens")
        with right:
            target = slider(_("T: target tokens"), 1, most_target, 12, "target_tokens")
    with drawing:
        svg = architecture_svg(config, active=[chosen], clickable=True, letters=_letters())
        show_svg(ON_ONE_SCREEN + svg, "parts", partial(set_value, "opened"))
        st.caption(_("Click a part to open it."))
    with words:
        _show_part(parts[chosen], config, axis_sizes(config, pairs, source, target))


def _title_of(part: Part) -> str:
    return _("{side}: {part}").format(side=_(_SIDES[part.side]), part=part.title)


def _letters() -> float:
    """Return the font size of drawings."""
    return _LARGE_LETTERS if is_presenting() else LETTERS


def _show_part(part: Part, config: ModelConfig, sizes: Sizes) -> None:
    """Show what a part does, its arrays in a batch of the chosen size, and its weights."""
    # A new option's text may come later.
    texts = [PART_TEXTS[name] for name in _texts_of(part, config) if name in PART_TEXTS]
    st.markdown(f"#### {part.title}\n{' '.join(each.does for each in texts)}")
    labels = [_("Input")] * len(part.inputs) + [_("Inside")] * len(part.intermediates) + [_("Output")]
    _show_tensors(labels, (*part.inputs, *part.intermediates, part.output), sizes)
    _show_weights(part, config)
    st.caption("; ".join(each.source for each in texts))


def _texts_of(part: Part, config: ModelConfig) -> list[str]:
    """Return the names of the texts that say what a part of this model does."""
    positions = config.positional_encoding
    match part.kind:
        case "norm":
            return [f"{config.norm} norm" if part.in_layer else "final norm", f"{config.norm_kind} norm"]
        case "feed-forward":
            return [f"{config.activation} feed-forward"]
        case "embedding":
            return ["embedding", *["added positions"] * (positions in ADDED_POSITIONS)]
        case "self-attention":
            return [f"{part.side} self-attention", *["rotary positions"] * (positions == "rotary")]
        case "words":
            return [f"{part.side} words"]
        case _:
            return [part.kind]


def _show_tensors(labels: Sequence[str], tensors: Sequence[Tensor], sizes: Sizes) -> None:
    """Show a table with a row for each array: its axes and their current sizes."""
    rows = [
        f"| {titled(label, f'**{plain(tensor.name)}**')} | {_tuple(tensor.axes)} | {_tuple(tensor.shape(sizes))} |"
        for label, tensor in zip(labels, tensors, strict=True)
    ]
    st.markdown(f"| | {_('axes')} | {_('now')} |\n|---|---|---|\n" + "\n".join(rows))


def _tuple(items: Iterable[object]) -> str:
    """Return a shape like "(8, 4, 10, 16)" that never wraps; numbers have no "," in them."""
    return f"({', '.join(map(str, items))})".replace(" ", "\N{NO-BREAK SPACE}")


def _show_weights(part: Part, config: ModelConfig) -> None:
    if not part.weights:
        st.markdown(_("This part has no parameters."))
        return
    sizes = model_sizes(config)
    rows = [
        f"| `{weight.name}` | {_tuple(weight.shape(sizes))} | {number(weight.size(sizes), ',')} |"
        for weight in part.weights
    ]
    st.markdown(f"| {_('weight')} | {_('shape')} | {_('numbers')} |\n|---|---|--:|\n" + "\n".join(rows))
    layers = part.copies(config)
    count = parameters_by_part(config)[part.key]
    share = count / parameter_count(config)
    says = (
        _("**{of_one}** parameters in one layer, **{count}** in all {layers}: **{share}** of the model's.")
        if layers > 1
        else _("**{count}** parameters: **{share}** of the model's.")
    )
    of_one = number(count // layers, ",")
    st.markdown(says.format(of_one=of_one, count=number(count, ","), layers=layers, share=percent(share)))


_TOKENS = 20  # on each side of the sentence pair whose operations are counted


def _show_size(visit: Visit, config: ModelConfig) -> None:
    count, forward = parameter_count(config), forward_operations(config, _TOKENS, _TOKENS)
    training = model_size.TRAINING_FACTOR * forward
    with above_figure():
        with st.container(horizontal=True, gap="large"):
            st.metric(_("Parameters"), _in_words(count), width="content")
            st.metric(_("As float32"), _megabytes(count * model_size.BYTES_FLOAT32), width="content")
            st.metric(_("As float16"), _megabytes(count * model_size.BYTES_FLOAT16), width="content")
            st.metric(
                _("During training"),
                _megabytes(count * model_size.BYTES_TRAINING),
                width="content",
                help=_(
                    "Each parameter, its gradient and Adam's two moments, 4 bytes each. The activations of a batch are "
                    "extra."
                ),
            )
        st.markdown(
            _(
                "A pair of {tokens} and {tokens} tokens costs **{forward}** operations forward and **{training}** in "
                "training; each target token **{token_forward}** and **{token_training}**."
            ).format(
                tokens=_TOKENS,
                forward=_in_words(forward),
                training=_in_words(training),
                token_forward=_in_words(forward / _TOKENS),
                token_training=_in_words(training / _TOKENS),
            )
        )
    bars = {name: parameters_by_kind(model) for name, model in _models_to_compare(visit, config).items()}
    totals = [_in_words(sum(counts.values())) for counts in bars.values()]
    named = "; ".join(
        _("{model}, {count} parameters").format(model=name, count=total)
        for name, total in zip(bars, totals, strict=True)
    )
    alt = _("Shares of the parts of {models}").format(models=named)
    show_figure(model_size_figure(bars, totals), alt=alt, key="model_size")
    _show_parts_table(config)


def _megabytes(count: float) -> str:
    """Return a size like "0.697 MB", "252 MB" or "1.71 GB"; a megabyte is a million bytes."""
    size, text = (1e9, _("{size} GB")) if float(f"{count:.3g}") >= 1e9 else (1e6, _("{size} MB"))
    return text.format(size=_three_figures(count / size))


def _models_to_compare(visit: Visit, chosen: ModelConfig) -> dict[str, ModelConfig]:
    """Return each model once, under its first name; a chosen model that is none of them comes first."""
    models = _models(visit).values()
    names = {} if chosen in [config for title, config in models] else {chosen: _("This model")}
    for title, config in models:
        shown = _("{model} (this model)").format(model=title)
        names.setdefault(config, shown if config == chosen else title)
    return {name: config for config, name in names.items()}


def _show_parts_table(config: ModelConfig) -> None:
    count = parameters_by_part(config)
    operations = operations_by_part(config, _TOKENS, _TOKENS)
    rows = [
        (_title_of(part), count.get(part.key, 0), operations.get(part.key, 0))
        for part in parts_of_model(config)
        if part.key in count or part.key in operations
    ]
    frame = pd.DataFrame(rows, columns=["part", "parameters", "operations"])
    frame.insert(2, "share", frame["parameters"] / frame["parameters"].sum())
    frame["operations share"] = frame["operations"] / frame["operations"].sum()
    percentage = st.column_config.NumberColumn(_("of total"), format="percent")
    st.dataframe(
        frame,
        hide_index=True,
        height="content",
        column_config={
            "part": st.column_config.TextColumn(_("Part, all its layers"), width=220),
            "parameters": st.column_config.NumberColumn(_("Parameters"), format="localized"),
            "share": percentage,
            "operations": st.column_config.NumberColumn(
                _("Operations for the pair, forward"), format="compact"
            ),
            "operations share": percentage,
        },
        alt=_("Parameters and operations of every part"),
    )


def _show_layers(config: ModelConfig) -> None:
    sizes = model_sizes(config)
    total = parameter_count(config)
    rows = []
    for name, part, weight in weights_of_model(config):
        shape = ", ".join(map(str, weight.shape(sizes)))
        count = weight.size(sizes)
        rows.append((name, f"({shape})", count, count / total, part.title, _(_SIDES_IN_TABLE[part.side])))
    st.markdown(
        _("**{count}** weights with **{parameters}** parameters.").format(
            count=number(len(rows), ","), parameters=number(total, ",")
        )
    )
    st.dataframe(
        pd.DataFrame(rows, columns=["weight", "shape", "parameters", "share", "part", "side"]),
        hide_index=True,
        height=490,
        column_config={
            "weight": st.column_config.TextColumn(_("Weight"), width=365),
            "shape": st.column_config.TextColumn(_("Shape"), width=110),
            "parameters": st.column_config.NumberColumn(_("Parameters"), format="localized"),
            "share": st.column_config.NumberColumn(_("Of all"), format="percent"),
            "part": _("Part"),
            "side": _("Side"),
        },
        alt=_("Every weight with its part, shape and parameters"),
    )


def _choose_depth() -> int:
    return slider(_("Layers"), 1, 24, 12, "depth")


def _show_norms(layers: int) -> None:
    left, right = st.columns([4, 5], gap="large")
    with left:
        show_svg(norm_orders_svg(_letters()), "norm_orders")
        st.caption(_("One encoder layer. ⊕ adds the residual connection."))
    with right:
        post, pre = measure_stack("post", layers), measure_stack("pre", layers)
        of_post, of_pre = (number(each.cosine_similarity[-1], "z.2f") for each in (post, pre))
        with above_figure():
            st.markdown(
                ngettext(
                    "After {count} untrained layer, a vector has the root mean square **{post_size}** with post-norm "
                    "and **{pre_size}** with pre-norm. Its cosine similarity to the input is **{post}** and **{pre}**.",
                    "After {count} untrained layers, a vector has the root mean square **{post_size}** with post-norm "
                    "and **{pre_size}** with pre-norm. Its cosine similarity to the input is **{post}** and **{pre}**.",
                    layers,
                ).format(
                    count=layers,
                    post_size=number(post.size[-1], ".2f"),
                    pre_size=number(pre.size[-1], ".2f"),
                    post=of_post,
                    pre=of_pre,
                )
            )
        show_figure(
            norm_placement_figure(post, pre),
            alt=_(
                "Root mean square and cosine similarity of vectors after each of {count} layers, with post-norm and with "
                "pre-norm"
            ).format(count=layers),
            key="norm_placement",
        )
        st.caption(
            _("Random vectors of width 64; feed-forward sublayers with random weights, always the same.")
        )


def _choose_sentence(visit: Visit) -> tuple[TrainedModel, str] | None:
    row = show_sentence_row(visit)
    return row[:2] if row is not None else None


def _show_run(visit: Visit, asked: tuple[TrainedModel, str]) -> None:
    model, text = asked
    result = try_to_translate(visit.workspace, model, text, DecodingConfig(), MAX_CHARACTERS)
    chosen = choose_sentence(result) if result is not None else None
    if chosen is None:
        return
    show_period_added(chosen.sentence)
    try:
        show_living(model, chosen.pair)
    except ValueError as error:
        st.info(plain(str(error)), icon=":material/info:")


def main(visit: Visit) -> None:
    show_heading(visit)
    choose_config = partial(_choose_config, visit)
    show_views(
        visit,
        {
            "run": View(
                partial(_choose_sentence, visit),
                partial(_show_run, visit),
                (ForwardPass.stack, ForwardPass.residual, scaled_dot_product_attention),
            ),
            "picture": View(lambda: visit, _show_picture, (ForwardPass.stack, ForwardPass.feed_forward)),
            "size": View(choose_config, partial(_show_size, visit), (operations_by_part, forward_operations)),
            "layers": View(choose_config, _show_layers, (weight_shapes, parameter_count)),
            "norms": View(_choose_depth, _show_norms, (ForwardPass.residual, layer_norm)),
        },
        "run",
    )
