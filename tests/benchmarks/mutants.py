"""Deliberate breakages, one at a time, each of which a test must catch: what a refactoring must not let go.

    python -m tests.benchmarks.mutants [NAME …]

Each is made in a copy of the working tree. What it changes and what catches it are found by what they say, not by
where they stand, so files may move. A test that was renamed or a line that was reworded is told before anything runs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.corpora.corpus import DATA_VARIABLE, data_folder

ROOT = Path(__file__).parents[2]
_LEFT_BEHIND = (".git", "__pycache__", ".*_cache", ".hypothesis", ".venv", "venv")
_FAILED = 1  # what pytest returns where tests failed, not where a module could not even be imported
_PYTEST = ("-m", "pytest", "-x", "-q", "--tb=short", "-n0", "-p", "no:cacheprovider", "--timeout=240")


@dataclass(frozen=True)
class Mutant:
    """One breakage."""

    name: str
    snippet: str  # of one place in core/ or pages/
    replacement: str
    tests: str  # names of the tests that must notice, with spaces between; "test_a[parameter]" runs one case


MUTANTS = (
    # The model
    Mutant(
        "pads are looked at",
        "ops.not_equal(ids, 0)[:, None",
        "ops.not_equal(ids, -1)[:, None",
        "test_masks_equal_theory",
    ),
    Mutant(
        "the decoder looks one token ahead",
        "positions[:, None] >= positions[None, :]",
        "positions[:, None] >= positions[None, :] - 1",
        "test_a_future_token_changes_no_earlier_logit",
    ),
    Mutant(
        "scores are divided by d_k, not by its root",
        "queries / math.sqrt(",
        "queries / (",
        "test_equation_1_equals_theory",
    ),
    Mutant(
        "cached values go to the wrong slot",
        "ops.slice_update(self.slots.values, (0, self.first_slot, 0)",
        "ops.slice_update(self.slots.values, (0, 0, 0)",
        "test_a_cached_row_equals_the_same_row_of_the_whole",
    ),
    Mutant(
        "without XLA the cache is written to its first slot",
        "tf.fill([heads], position)",
        "tf.zeros([heads], tf.int32)",
        "test_a_row_of_slots_equals_the_same_row_of_the_whole",
    ),
    Mutant(
        "sentences that go on take over the keys and values of those that ended",
        "tf.gather(by_sentence, sentences)",
        "by_sentence[: tf.size(sentences)]",
        "test_more_sentences_than_xla_computes_together",
    ),
    Mutant(
        "sentences that go on write over the translations of those that ended",
        "tf.tensor_scatter_nd_update(old, sentences[:, None], new)",
        "tf.tensor_scatter_nd_update(old, tf.range(tf.size(sentences))[:, None], new)",
        "test_who_leaves_changes_nobodys_translation",
    ),
    Mutant(
        "what dropout keeps is not scaled up",
        "* (_DRAWS / (_DRAWS - dropped))",
        "* 1.0",
        "test_rate_scale_and_shared_seed_generator",
    ),
    Mutant(
        "a norm divides by the variance",
        "ops.rsqrt(variance + self.epsilon)",
        "ops.reciprocal(variance + self.epsilon)",
        "test_a_norm_is_that_of_keras",
    ),
    Mutant(
        "log P is read in the least likely chunk",
        "tf.argmax(peaks, axis=-1",
        "tf.argmin(peaks, axis=-1",
        "test_the_best_of_all_beams_and_tokens",
    ),
    Mutant(
        "two threads bind weights at once",
        "with _lock, keras.StatelessScope(state_mapping",
        "with keras.StatelessScope(state_mapping",
        "test_a_thread_waits_until_another_has_its_weights_no_longer",
    ),
    Mutant(
        "the residual connection is missing",
        "inputs + self.dropout(outputs",
        "self.dropout(outputs",
        "test_post_norm_is_the_papers",
    ),
    Mutant(
        "embeddings are not scaled",
        "self.tokens(ids) * self.scale +",
        "self.tokens(ids) +",
        "test_sinusoidal_positions_equal_theory_and_tokens_are_scaled",
    ),
    # Training
    Mutant(
        "label smoothing is left out",
        "(1.0 - label_smoothing) * label_logit +",
        "label_logit +",
        "test_the_loss_from_hidden_states_and_its_gradient_equal_the_plain_one",
    ),
    Mutant(
        "Adam's second moment stays biased",
        "second / (1.0 - rates.beta_2**step)",
        "second",
        "test_equals_keras_over_several_steps",
    ),
    Mutant(
        "the linear schedule falls too early",
        "falling = (total_steps + 1 - step)",
        "falling = (total_steps - step)",
        "test_linear_goes_up_then_straight_down_to_nothing",
    ),
    Mutant(
        "a stopped run repeats the epoch's first batches",
        "islice(batches, done, None)",
        "islice(batches, 0, None)",
        "test_stopped_anywhere_and_gone_on_equals_uninterrupted",
    ),
    Mutant(
        "a resumed training mixes up Adam's moments",
        'Moments(tensors["first_moment"], tensors["second_moment"])',
        'Moments(tensors["second_moment"], tensors["first_moment"])',
        "test_a_killed_training_goes_on_to_the_same_numbers",
    ),
    # Pairs in batches
    Mutant(
        "labels are not shifted",
        "labels=target[:, 1:]",
        "labels=target[:, :-1]",
        "test_labels_are_the_decoder_input_shifted_left_once",
    ),
    Mutant(
        "buckets go over the budget of tokens",
        "-(-longer // 4) * 4",
        "longer // 4 * 4 + 1",
        "test_buckets_hold_each_pair_once_within_the_budget",
    ),
    Mutant(
        "pads stand in front",
        "matrix[row, : len(ids)] = ids",
        "matrix[row, length - len(ids) :] = ids",
        "test_pads_stand_at_the_end_alone_and_the_longest_sentence_has_none",
    ),
    # Tokens
    Mutant(
        "unknown words become pads",
        "self._ids.get(token, self.unknown_id)",
        "self._ids.get(token, self.pad_id)",
        "test_words_the_tokenizer_does_not_know_are_unknown",
    ),
    Mutant(
        "words are numbered by the alphabet, not by frequency",
        "in counts.most_common())",
        "in sorted(counts.items()))",
        "test_ids_by_descending_frequency_and_first_seen_among_equals",
    ),
    Mutant(
        "words are cut at the shortest piece",
        "for end in range(len(word), start, -1):",
        "for end in range(start + 1, len(word) + 1):",
        "test_the_graph_gives_the_same_ids",
    ),
    Mutant(
        "an exclamation mark keeps its space",
        '",;:!?%)',
        '",;:?%)',
        "test_known_english",
    ),
    Mutant(
        "the graph leaves pieces apart",
        'f"(^| ){JOINER}([^ ])", r"\\2"',
        'f"(^| ){JOINER}([^ ])", r" \\2"',
        "test_200_validation_sentences_have_the_same_tokens",
    ),
    # Corpora
    Mutant(
        "a toy sentence is missing",
        '    Pair("bonne nuit", "good night"),\n',
        "",
        "test_fifteen_pairs_in_their_order",
    ),
    Mutant(
        "a sentence stands in two splits of Anki",
        "english.casefold().encode()",
        "english.encode()",
        "test_no_english_sentence_stands_in_two_splits",
    ),
    Mutant(
        "commas win over tabs",
        'tab_wins = delimiter == "\\t" and',
        'tab_wins = delimiter == "," and',
        "test_a_tab_wins_over_commas_in_the_sentences",
    ),
    Mutant(
        "every split of TED is the training split",
        "builder.info.splits[split].filepaths",
        'builder.info.splits["train"].filepaths',
        "test_prepared_data_are_read_without_a_network",
    ),
    Mutant(
        "the split of a file that was replaced is kept",
        "found and (found.st_mtime_ns, found.st_size)",
        "None",
        "test_another_file_in_its_place_is_split_anew",
    ),
    # Decoding
    Mutant(
        "greedy search writes on behind the end",
        "chosen = tf.where(done, Vocabulary.pad_id, token)",
        "chosen = token",
        "test_sentences_of_a_batch_do_not_mix",
    ),
    Mutant(
        "all beams begin alike",
        "[tf.zeros((batch_size, 1)), nothing[:, 1:]]",
        "[tf.zeros((batch_size, 1)), 0.0 * nothing[:, 1:]]",
        "test_n_best_are_the_n_likeliest_and_distinct",
    ),
    Mutant(
        "the length penalty divides by 5",
        "tf.cast(length, tf.float32)) / 6.0",
        "tf.cast(length, tf.float32)) / 5.0",
        "test_known_length_penalties",
    ),
    Mutant(
        "a beam does not inherit its parent's past",
        "tf.where(past, inherited,",
        "tf.where(past, self.ancestors,",
        "test_every_beam_sees_its_own_slot_and_those_of_its_ancestors",
    ),
    Mutant(
        "the start token may be written",
        "(token == Vocabulary.pad_id) | (token == start_id)",
        "token == Vocabulary.pad_id",
        "test_pad_and_start_are_never_chosen_and_nothing_is_renormalised",
    ),
    Mutant(
        "an abbreviation ends the sentence",
        "_ABBREVIATION.search(sentence) is not None",
        "False",
        "test_where_sentences_end",
    ),
    Mutant(
        "translations are no longer than their source",
        "source_bucket(source_length, config) + EXTRA_TARGET_TOKENS)",
        "source_bucket(source_length, config))",
        "test_a_translation_is_at_most_fifty_tokens_longer_or_the_models_limit",
    ),
    Mutant(
        "a short sentence may grow as long as the longest of its batch",
        "limits = tf.gather(all_limits, sentences)",
        "limits = tf.repeat(tf.reduce_max(all_limits), tf.size(sentences))",
        "test_each_sentence_ends_at_its_own_limit",
    ),
    Mutant(
        "XLA takes sentences of different limits",
        "(self._limits(source_ids) < target_limit(length, self._config)).any()",
        "length < 0",
        "test_sentences_of_different_limits_need_no_program",
    ),
    # Metrics and evaluation
    Mutant(
        "the normalized BLEU cuts words itself",
        '_score(hypotheses, references, tokenize="none")',
        '_score(hypotheses, references, tokenize="13a")',
        "test_only_the_detokenized_score_cuts_words_itself",
    ),
    Mutant(
        "pads count as hits",
        "tf.where(tf.not_equal(labels, 0))",
        "tf.where(tf.greater_equal(labels, 0))",
        "test_the_loss_from_hidden_states_and_its_gradient_equal_the_plain_one",
    ),
    Mutant(
        "pairs that were left out are not counted",
        "left_out=len(self._pairs) - self.total",
        "left_out=0",
        "test_pairs_the_model_cannot_read_are_left_out",
    ),
    Mutant(
        "an evaluation begins with the short sentences",
        "        random.Random(0).shuffle(together)\n",
        "",
        "test_half_of_it_is_a_fair_sample",
    ),
    # Storage
    Mutant(
        "a failed save loses the older checkpoint",
        "        old.rename(folder)\n        raise",
        "        raise",
        "test_a_write_that_fails_leaves_everything_as_it_was",
    ),
    Mutant(
        "a zip may climb out of its folder",
        'or ".." in path.parts',
        'or "..." in path.parts',
        "test_zips_that_climb_out_are_refused",
    ),
    Mutant(
        "half precision is not stored",
        "np.float16 if half_precision else np.float32",
        "np.float32",
        "test_half_precision_halves_the_file_and_rounds_once",
    ),
    Mutant(
        "an export replaces a folder with other things in it",
        'check_writable(folder, "SavedModel", lambda _: False)',
        'check_writable(folder, "SavedModel", lambda _: True)',
        "test_a_new_process_needs_nothing_of_this_project",
    ),
    # Records, theory, figures
    Mutant(
        "attention need not sum to one",
        "np.allclose(weights.sum(axis=-1), 1.0",
        "np.allclose(weights.sum(axis=-1), weights.sum(axis=-1)",
        "test_each_row_must_sum_to_one",
    ),
    Mutant(
        "the encoding's cosines are sines",
        "encoding[:, 1::2] = np.cos(",
        "encoding[:, 1::2] = np.sin(",
        "test_positions_0_1_and_3_computed_elsewhere",
    ),
    Mutant(
        "feed-forward operations are counted at the wrong width",
        '"outer", length, "F", "D"',
        '"outer", length, "F", "F"',
        "test_operations_of_a_tiny_model",
    ),
    Mutant(
        "a figure shows the future as zeros",
        "np.where(allowed, weights, np.float32(np.nan))",
        "np.where(allowed, weights, np.float32(0.0))",
        "test_info_of_the_decoder_leaves_the_future_blank",
    ),
    # Commands
    Mutant(
        "a failed command says that it worked",
        "file=sys.stderr)\n        return 2",
        "file=sys.stderr)\n        return 0",
        "test_a_folder_that_is_no_checkpoint",
    ),
    Mutant(
        "Ctrl-C replaces a finished model",
        'return same and there.metrics.get("steps", 0)',
        'return True or there.metrics.get("steps", 0)',
        "test_an_interrupted_training_leaves_a_finished_model_alone",
    ),
    # Pages
    Mutant(
        "one more waits than the queue says",
        "max(0, number - self._max_running + 1)",
        "max(0, number - self._max_running)",
        "test_two_run_and_the_third_waits_its_turn",
    ),
    Mutant(
        "Continue remembers the Stop before it",
        "            self._stop = threading.Event()\n        self._status",
        "            self._stop.set()\n        self._status",
        "test_it_goes_on_after_a_stop",
    ),
    Mutant(
        "a live tab's workspace can be taken",
        "and self._is_live(workspace.session_id)",
        "and not self._is_live(workspace.session_id)",
        "test_another_live_tab_keeps_its_workspace",
    ),
    Mutant(
        "choices are lost with a reload",
        "            kept[self.key] = value",
        "            kept[self.key] = self.default",
        "test_a_reloaded_tab_has_its_choices_again",
    ),
    Mutant(
        "numbers in an address are rounded",
        "{number:.10g}",
        "{number:.3g}",
        "test_numbers_in_an_address_come_back",
    ),
    Mutant(
        "a lesson in the address is ignored",
        "if self.in_address and is_news(self.name, text):",
        "if self.in_address and text is not None and self.key in st.session_state:",
        "test_an_address_opens_its_lesson",
    ),
    Mutant(
        "a page is missing from the menu",
        "(DATA, TRAIN, EVALUATE, CHECKPOINTS)",
        "(TRAIN, EVALUATE, CHECKPOINTS)",
        "test_lessons_are_as_long_as_they_say",
    ),
    Mutant(
        "a job knows no time limit between its steps",
        "if spent > self._time_limit:\n                        return",
        "if False:\n                        return",
        "test_it_stops_by_itself_at_its_time_limit_and_can_go_on",
    ),
    Mutant(
        "the second result pushes the first one out",
        "(*self.results[-1:], result)",
        "(result,)",
        "test_an_evaluation_from_start_to_comparison",
    ),
)


def main(names: Sequence[str]) -> int:
    """Break, test and mend, one mutant after the other; 0 where every one was caught."""
    unknown = set(names) - {mutant.name for mutant in MUTANTS}
    if unknown:
        raise SystemExit(f"There is no mutant {min(unknown)!r}. Give none to run all.")
    chosen = [mutant for mutant in MUTANTS if not names or mutant.name in names]
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*_LEFT_BEHIND))
        files, tests = find_all(tree, chosen)
        whole = _run(tree, sorted({test for found in tests for test in found}))
        if whole.returncode != 0:
            raise SystemExit(f"Unbroken, the tests must pass.\n{whole.stdout[-4000:]}")
        survived = [
            mutant
            for mutant, file, found in zip(chosen, files, tests, strict=True)
            if not _is_caught(mutant, tree, file, found)
        ]
    print(f"{len(chosen) - len(survived)} of {len(chosen)} caught")
    return 1 if survived else 0


def find_all(tree: Path, mutants: Sequence[Mutant]) -> tuple[list[Path], list[list[str]]]:
    """The file of each mutant's snippet, and the addresses of its tests for pytest.

    Raises:
        SystemExit: some are not there, or not once; the message names them all.
    """
    code = _texts(tree / "core", tree / "pages")
    tests = _texts(tree / "tests")
    files, addresses, problems = [], [], []
    for mutant in mutants:
        try:
            files.append(_file_with(mutant.snippet, code))
            addresses.append([_address(test, tests) for test in mutant.tests.split()])
        except LookupError as error:
            problems.append(f"{mutant.name}: {error}")
    if problems:
        raise SystemExit("\n".join(problems))
    return files, addresses


def _texts(*folders: Path) -> dict[Path, str]:
    """The Python files below some folders; not this one, which has every snippet in it."""
    files = (file for folder in folders for file in folder.rglob("*.py"))
    return {file: file.read_text(encoding="utf-8") for file in files if file.name != Path(__file__).name}


def _file_with(snippet: str, texts: dict[Path, str]) -> Path:
    found = [file for file, text in texts.items() for _ in range(text.count(snippet))]
    if len(found) != 1:
        raise LookupError(f"{snippet!r} must stand in one place. Received: {len(found)} places.")
    return found[0]


def _address(test: str, texts: dict[Path, str]) -> str:
    name = test.partition("[")[0]
    return f"{_file_with(f'def {name}(', texts)}::{test}"


def _is_caught(mutant: Mutant, tree: Path, file: Path, tests: Sequence[str]) -> bool:
    """Whether the tests fail where the mutant is made; says so."""
    whole = file.read_text(encoding="utf-8")
    file.write_text(whole.replace(mutant.snippet, mutant.replacement), encoding="utf-8")
    started = time.monotonic()
    result = _run(tree, tests)
    file.write_text(whole, encoding="utf-8")
    caught = result.returncode == _FAILED
    seconds = time.monotonic() - started
    print(f"{'caught' if caught else 'SURVIVED':8} {seconds:6.1f} s  {mutant.name}", flush=True)
    if not caught and result.returncode != 0:
        print(result.stdout[-2000:])
    return caught


def _run(tree: Path, tests: Sequence[str]) -> subprocess.CompletedProcess[str]:
    # Without bytecode: a mutant as long as what it replaces, written within a second, would not be compiled anew.
    environment = {**os.environ, DATA_VARIABLE: str(data_folder()), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *_PYTEST, *tests]
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
