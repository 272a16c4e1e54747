from __future__ import annotations

from core.checkpoints.card import with_origin, write_card
from core.weights import parameter_count
from tests.conftest import TINY


def test_a_card_says_what_is_known() -> None:
    card = write_card("Mine", TINY, {"epochs": 200.0, "best_epoch_loss": 0.0035123456})
    assert card.startswith("# Mine\n\n")
    assert f"with {parameter_count(TINY):,} parameters" in card
    assert all(f"| {field} | {value} |" in card for field, value in TINY.to_dict().items())
    assert "| epochs | 200 |\n| best_epoch_loss | 0.00351235 |\n" in card


def test_without_a_name_or_a_training_there_is_one_all_the_same() -> None:
    card = write_card("", TINY, {})
    assert card.startswith("# A Transformer Classroom checkpoint\n") and "| training |" not in card


def test_the_older_card_stands_below_one_step_down() -> None:
    card = with_origin("# New\n", "# Old\n\n## Data\n\nCC BY 2.0\n")
    assert card == "# New\n\n## It goes on from: Old\n\n### Data\n\nCC BY 2.0\n"
