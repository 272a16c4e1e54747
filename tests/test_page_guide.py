"""pages/README.md, "Add a page": a page made by the letter passes what the guide says to run."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / "pages" / "README.md").read_text(encoding="utf-8").split("## Add a page")[1].split("\n## ")[0]

_FILE = re.compile(r"in `([\w/]+\.\w+)`.*?^```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MENU = re.compile(r'the line `(.+?)` below `(".+?")`')
_CHECKS = re.compile(r"^```bash\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def copy_project(folder: Path) -> None:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


@pytest.mark.long
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="git says which files are the project's")
def test_a_page_made_by_the_guide_passes_its_checks(tmp_path: Path) -> None:
    copy_project(tmp_path)
    files = dict(_FILE.findall(GUIDE))
    assert len(files) == 2
    for name, text in files.items():
        (tmp_path / "pages" / name).write_text(text, encoding="utf-8")
    ((entry, section),) = _MENU.findall(GUIDE)
    menu = tmp_path / "pages" / "content" / "pages.py"
    before = menu.read_text(encoding="utf-8")
    begin = f"    N_({section}): (\n"
    assert begin in before
    menu.write_text(before.replace(begin, f"{begin}        {entry}\n"), encoding="utf-8")
    (checks,) = _CHECKS.findall(GUIDE)
    for check in re.split(r"&&|\n", checks.replace("&& mypy", "").strip()):  # it would check every file again
        command = [sys.executable, "-m", *shlex.split(check)]
        if "pytest" in check:  # other pages are opened by the suite itself
            command += ["-n0", "-k", "temperature or not every_page"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
