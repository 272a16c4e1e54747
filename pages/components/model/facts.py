"""What is said of a model: its languages, its size, and how it was trained."""

from core.config import TrainingConfig
from core.durations import duration
from core.language import _, ngettext, number
from core.server.trained_model import TrainedModel
from core.theory.schedule import peak_rate
from core.weights import parameter_count


def languages_of(model: TrainedModel) -> str:
    """Return "Portuguese → English"; an empty text where the checkpoint names no languages."""
    if not model.source_language or not model.target_language:
        return ""
    return f"{_(model.source_language)} → {_(model.target_language)}"


def facts_of(model: TrainedModel) -> str:
    """Return a model's languages and size, in Markdown."""
    config = model.checkpoint.config
    parameters = parameter_count(config)
    facts = [
        languages_of(model),
        ngettext("{count} parameter", "{count} parameters", parameters).format(count=number(parameters, ",")),
        ngettext("{count} layer", "{count} layers", config.num_layers).format(count=config.num_layers),
        ngettext("{count} head", "{count} heads", config.num_heads).format(count=config.num_heads),
    ]
    return " · ".join(filter(None, facts))


def training_of(model: TrainedModel) -> str:
    """Return how a model was trained, for how long, and its loss, in Markdown; empty if unknown."""
    metrics = model.checkpoint.metrics
    training = model.checkpoint.training
    facts = []
    if "epochs" in metrics and "seconds" in metrics:
        took = duration(metrics["seconds"])
        text = _("{count} epochs in {duration}")
        facts.append(text.format(count=number(metrics["epochs"], ",.0f"), duration=took))
    if training is not None:
        # The settings are those of the last training; the epochs of a shipped model are those of several.
        rate = _rate_of(training, model.checkpoint.config.d_model)
        is_last = metrics.get("epochs", 0) > training.epochs
        facts.append(_("last stage: {rate}").format(rate=rate) if is_last else rate)
    facts.append(_("dropout {rate}").format(rate=number(model.checkpoint.config.dropout_rate, "g")))
    if "best_epoch" in metrics and "best_epoch_loss" in metrics:
        loss, epoch = number(metrics["best_epoch_loss"], ".2f"), number(metrics["best_epoch"], ",.0f")
        facts.append(_("loss {loss} (epoch {epoch})").format(loss=loss, epoch=epoch))
    return " · ".join(facts) if metrics else ""


def _rate_of(training: TrainingConfig, d_model: int) -> str:
    """Return the learning rate, or its peak and its schedule where it changes."""
    if training.schedule == "constant":
        return _("learning rate {rate}").format(rate=number(training.learning_rate, "g"))
    text = _("peak learning rate {rate} (linear, {count} warmup steps)")
    peak = training.learning_rate
    if training.schedule == "warmup":
        text = _("peak learning rate {rate} (the paper's schedule, {count} warmup steps)")
        peak = peak_rate(d_model, training.warmup_steps)
    return text.format(rate=number(peak, ".3g"), count=number(training.warmup_steps, ","))
