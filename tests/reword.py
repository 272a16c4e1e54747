"""Run the tests with every text reworded: python -m tests.reword sentences|labels [pytest's arguments ...].

No promise is a wording: what people read may change, and no test may turn red for it. So each English text is replaced
by another one while the tests run, in all their processes. By hand, before a release.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from pages.languages.__main__ import english_texts
from pages.languages.catalogs import entries_of

ROOT = Path(__file__).parent.parent
# Python runs this in each process before anything else.
_CUSTOMIZED = """
import json
from pathlib import Path
from core.language import ENGLISH
texts = json.loads(Path(__file__).with_name("texts.json").read_text(encoding="utf-8"))
ENGLISH.texts.update({one: many[0] for one, many in texts.items() if len(many) == 1})
ENGLISH.plurals.update({one: tuple(many) for one, many in texts.items() if len(many) > 1})
"""


def is_sentence(text: str) -> bool:
    """Return whether a text is a sentence, not the label of something."""
    return text.rstrip("*_)”").endswith((".", "?", "!", ":"))


def reworded(text: str) -> str:
    """Return a text in other words, with its marks and placeholders; formulas and icons alone stay."""
    if not re.search(r"[a-zA-Z]{2}", re.sub(r":material/\w+:|\{[^}]*\}|\$.*?\$", "", text)):
        return text
    return f"Anew {text}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["sentences", "labels"])
    options, arguments = parser.parse_known_args()
    texts = {}
    for entry in entries_of(english_texts()):
        forms = [entry.id] if isinstance(entry.id, str) else [*entry.id]
        if is_sentence(forms[0]) == (options.what == "sentences"):
            texts[forms[0]] = [reworded(form) for form in forms]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
        (Path(folder) / "sitecustomize.py").write_text(_CUSTOMIZED, encoding="utf-8")
        variables = {**os.environ, "PYTHONPATH": os.pathsep.join([folder, str(ROOT)])}
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *arguments], cwd=ROOT, env=variables, check=False
        )
    print(f"{len(texts)} {options.what} were reworded.")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
