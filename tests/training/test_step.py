import math
from collections.abc import Iterator

import numpy as np
import pytest

from core.arrays import Floats
from core.config import ModelConfig, TrainingConfig
from core.corpora.toy import PAIRS
from core.inference.search import log_softmax
from core.presets import CLASSROOM
from core.training.recipe import PreparedTraining, prepare_training
from core.weights import flatten, unflatten
from tests.conftest import TINY, random_weights

SOURCE = np.array([[4, 5, 6, 0], [8, 2, 10, 3], [0, 0, 0, 0]], np.int32)
TARGET = np.array([[2, 5, 6, 3, 0], [2, 8, 7, 4, 3], [0, 0, 0, 0, 0]], np.int32)
STILL = TINY.replace(dropout_rate=0.0, num_layers=1)
TIED = STILL.replace(tie_embeddings=True, norm="pre")
SHARED = TIED.replace(share_embeddings=True, target_vocab_size=11)


ONE_SHAPE, ANY_SHAPE = (3, 4, 4), (None, None, None)


def test_a_step_has_the_settings_of_its_training() -> None:
    from core.training.optimizer import OptimizerSettings
    from core.training.step import StepSettings

    adam_of = {"learning_rate": 0.5, "beta_1": 0.7, "beta_2": 0.6, "epsilon": 1e-3}
    config = TrainingConfig(**adam_of, label_smoothing=0.2, r_drop=2.0, clip_norm=3.0)  # type: ignore[arg-type]
    found = StepSettings.of(config, d_model=8, step=2, total_steps=10)
    assert found[:4] == (OptimizerSettings(**adam_of), 0.2, 2.0, 3.0)
    assert StepSettings.of(config.replace(clip_norm=None), 8, 2, 10).clip_norm == math.inf


def test_another_step_is_compiled_for_r_drop_and_for_no_number() -> None:
    from core.training.optimizer import traced_settings
    from core.training.step import compiled_step

    first = TrainingConfig()
    others = TrainingConfig(
        schedule="linear", learning_rate=0.5, beta_1=0.1, label_smoothing=0.2, clip_norm=3.0, seed=1
    )
    step, same = (compiled_step(STILL, traced_settings(each), *ANY_SHAPE) for each in (first, others))
    assert step is same
    weak, strong = (first.replace(r_drop=alpha) for alpha in (0.5, 5.0))
    assert traced_settings(weak) == traced_settings(strong) != traced_settings(first)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("config", "shape", "clip_norm"),
    [
        pytest.param(STILL, ONE_SHAPE, math.inf, id="untied-one shape"),
        pytest.param(TIED, ANY_SHAPE, 0.05, id="tied-any shape-clipped"),
        pytest.param(SHARED, ONE_SHAPE, 0.05, id="shared-one shape-clipped"),
    ],
)
def test_loss_and_gradient_equal_keras_own(
    config: ModelConfig, shape: tuple[int | None, ...], clip_norm: float
) -> None:
    """An eager model with Keras's variables and smoothed loss, and TensorFlow's clipping."""
    import keras
    import tensorflow as tf

    from core.model.transformer import Transformer
    from core.training.optimizer import OptimizerSettings, initial_state, traced_settings, update
    from core.training.step import StepSettings, compiled_step, dropout_seed

    weights = random_weights(config)
    model = Transformer(config, weights)
    loss_of = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1)
    with tf.GradientTape() as tape:
        logits = model(SOURCE[:2], TARGET[:2, :-1])
        real = TARGET[:2, 1:] != 0
        loss = loss_of(tf.one_hot(TARGET[:2, 1:][real], config.target_vocab_size), logits[real])
    names, variables = zip(*model.variables_by_name.items(), strict=True)
    gradients = [tf.convert_to_tensor(gradient) for gradient in tape.gradient(loss, variables)]
    expected = dict(zip(names, tf.clip_by_global_norm(gradients, min(clip_norm, 1e6))[0], strict=True))
    assert float(tf.linalg.global_norm(gradients)) > 0.05

    parameters = tf.constant(flatten(weights))
    usual = traced_settings(TrainingConfig())
    optimizer = initial_state(parameters, usual)
    settings = StepSettings(OptimizerSettings(0.01, 0.5, 0.98, 1e-9), 0.1, 0.0, clip_norm, dropout_seed(1, 1))
    step = compiled_step(config, usual, *shape)
    result = step(parameters, optimizer, 1.0, settings, SOURCE, TARGET[:, :-1], TARGET[:, 1:])
    assert float(result.loss) == pytest.approx(float(loss), rel=1e-5)
    received = unflatten(
        2 * result.optimizer["first_moment"].numpy(), config
    )  # beta_1 is a half, the moment was 0
    for name in names:
        assert np.allclose(received[name], expected[name], atol=1e-5), name
    again, _ = update(
        parameters, 2 * result.optimizer["first_moment"], optimizer, 1.0, settings.optimizer, usual
    )
    assert np.allclose(result.parameters, again, atol=1e-6)


@pytest.mark.long
def test_r_drop_compares_two_passes_that_dropout_alone_sets_apart() -> None:
    """Without dropout a step is the usual one; with an alpha of 0 too, which reads each pair once."""
    import tensorflow as tf

    from core.training.optimizer import initial_state, traced_settings
    from core.training.step import StepSettings, compiled_step

    def gradient(dropout_rate: float, r_drop: float) -> tuple[float, Floats]:
        config = TIED.replace(dropout_rate=dropout_rate)
        parameters = tf.constant(flatten(random_weights(config)))
        training = TrainingConfig(r_drop=r_drop, beta_1=0.0)
        optimizer = initial_state(parameters, training)
        step = compiled_step(config, traced_settings(training), *ANY_SHAPE)
        settings = StepSettings.of(training, config.d_model, 1, 1)
        result = step(parameters, optimizer, 1.0, settings, SOURCE, TARGET[:, :-1], TARGET[:, 1:])
        return float(result.loss), result.optimizer["first_moment"].numpy()

    loss, usual = gradient(0.0, 0.0)
    loss_of_both, of_both = gradient(0.0, 5.0)
    assert loss_of_both == pytest.approx(loss, rel=1e-6)
    np.testing.assert_allclose(of_both, usual, atol=1e-6)
    assert gradient(0.3, 5.0)[0] > gradient(0.3, 0.5)[0] + 0.01


@pytest.mark.long
def test_without_r_drop_a_step_reads_each_pair_once(toy: PreparedTraining) -> None:
    """With exactly the dropout of one pass."""
    import tensorflow as tf

    from core.model.transformer import Transformer
    from core.training.dropout import dropout
    from core.training.step import dropout_seed

    run = toy.new_run()
    batch = next(toy.encoded.batches(toy.training, epoch=1))
    hook = dropout(toy.model, tf.constant(dropout_seed(toy.training.seed, 1)))
    model = Transformer(toy.model, run.last_weights())
    logits = np.asarray(model(batch.source, batch.decoder_input, hook=hook))
    log_p = log_softmax(logits)[np.arange(len(logits))[:, None], np.arange(logits.shape[1]), batch.labels]
    assert toy.training.label_smoothing == 0
    assert next(run.steps()).loss == pytest.approx(-log_p[batch.labels != 0].mean(), rel=1e-5)


@pytest.fixture
def in_16_bits() -> Iterator[None]:
    import keras

    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_bfloat16")
    yield
    keras.config.set_dtype_policy(before)


@pytest.mark.slow
def test_layers_may_compute_in_16_bits(in_16_bits: None) -> None:
    """By Keras's own policy, as `--mixed-precision` sets it for a GPU; weights and loss stay in 32."""
    # Which no other test has: steps are kept by their config.
    model = CLASSROOM.model.replace(num_layers=1, d_ff=48)
    training = TrainingConfig(epochs=20, batch_size=15)
    run = prepare_training(PAIRS, model, training, held_out=PAIRS[:2]).new_run()
    losses = [report.loss for report in run.steps()]
    assert losses[-1] < losses[0] - 1
    assert run.state.parameters.dtype == "float32"
