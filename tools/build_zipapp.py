"""Build ``sabacc.pyz``: the three packages in one file, which runs as ``sabacc``.

``python tools/build_zipapp.py`` writes ``dist/sabacc.pyz``; another path may be named. NumPy, Numba
and pydantic have compiled parts, which Python cannot load from an archive. So the file holds this
project alone, and runs on any Python that has the project's dependencies.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipapp
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "dist" / "sabacc.pyz"


def build(target: Path) -> None:
    """Write the archive: what the wheel holds, its entry points among it, and a start."""
    with tempfile.TemporaryDirectory() as folder:
        wheel = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
        subprocess.run([*wheel, "--directory", folder], cwd=ROOT, check=True, capture_output=True)
        (path,) = Path(folder).glob("*.whl")
        content = Path(folder) / "content"
        with zipfile.ZipFile(path) as archive:
            archive.extractall(content)
        target.parent.mkdir(parents=True, exist_ok=True)
        zipapp.create_archive(
            content,
            target,
            interpreter="/usr/bin/env python3",
            main="sabacc_training.cli:main",
            compressed=True,
        )


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
