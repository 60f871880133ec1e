"""The first screen of a report as ``docs/img/report.png``; takes Chromium."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from betaroc.cli import main

ROOT = Path(__file__).resolve().parents[1]
SCORES = ROOT / "examples" / "data" / "asvspoof19_asv"
PICTURE = ROOT / "docs" / "img" / "report.png"
SIZE = "1200,770"


def draw() -> None:
    """Write the picture anew."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("Chromium is not installed")
    dev, test = (str(SCORES / f"{role}.csv.gz") for role in ("dev", "eval"))
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        main(["report", "--dev", dev, "--test", test, "--target", "far=0.01", "-o", str(page)])
        subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             f"--window-size={SIZE}", f"--screenshot={PICTURE}",
             page.as_uri()],
            check=True, capture_output=True,
        )  # fmt: skip


if __name__ == "__main__":
    draw()
