"""Make a page of a model: python -m pages.components.one_page MODEL OUT.html [--language fr]."""

import argparse
import sys
from pathlib import Path

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.limits import CheckpointError
from core.language import reading
from core.server.trained_model import TrainedModel
from pages.components.one_page.model import why_no_page
from pages.components.one_page.page import model_page
from pages.languages.catalogs import known_languages


def main() -> str | None:
    """Write the page; return what went wrong, None for nothing."""
    languages = known_languages()
    parser = argparse.ArgumentParser(prog="python -m pages.components.one_page", description=__doc__)
    parser.add_argument(
        "model", type=Path, help="a model file that `python -m core train` or the app has written"
    )
    parser.add_argument("out", type=Path, help="the page, NAME.html")
    parser.add_argument("--language", choices=sorted(languages), default="en", help="of the page's texts")
    asked = parser.parse_args()
    try:
        checkpoint = Checkpoint.load(asked.model)
        model = TrainedModel(checkpoint.name or asked.model.stem, checkpoint)
        with reading(languages[asked.language]):
            if problem := why_no_page(model):
                return problem
            asked.out.write_text(model_page(model), encoding="ascii")
    except (CheckpointError, OSError) as error:
        return str(error)
    return None


if __name__ == "__main__":
    sys.exit(main())
