"""The imports between the rooms of the package: ``python docs/house_picture.py``."""

import sys
from collections import Counter
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))
from helpers import house  # noqa: E402


def draw(path):
    """One row per room, the upper ones first: how many of its imports lead to each other room."""
    files = Counter(house.room(module) for module in house.MODULES if module.count(".") > 1)
    rooms = [name for name in reversed(house.ROOMS) if files[name]]
    pairs = {(found.module, found.target) for found in house.imports()}
    counts = Counter((house.room(module), house.room(target)) for module, target in pairs)
    shades = mpl.colormaps["Blues"]
    most = max(n for (above, below), n in counts.items() if above != below)
    with mpl.rc_context({"svg.hashsalt": "house", "svg.fonttype": "none"}):
        figure = Figure(figsize=(9.0, 6.0))
        axes = figure.add_axes((0.22, 0.02, 0.76, 0.82))
        axes.set(xlim=(-0.5, len(rooms) - 0.5), ylim=(len(rooms) - 0.5, -0.5))
        axes.xaxis.tick_top()
        axes.set_xticks(range(len(rooms)), rooms, rotation=40, ha="left")
        axes.set_yticks(range(len(rooms)), [f"{name} ({files[name]} files)" for name in rooms])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        for row, above in enumerate(rooms):
            for column, below in enumerate(rooms):
                count = counts[above, below]
                share, wrong = count / most, count and column < row
                colour = "0.85" if row == column else "tab:red" if wrong else shades(0.7 * share)
                shown = {"facecolor": colour if count else "none", "edgecolor": "0.9"}
                axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, **shown))
                if count:
                    axes.text(column, row, str(count), ha="center", va="center", fontsize=9)
        figure.savefig(path, metadata=None if path.suffix == ".png" else {"Date": None})


if __name__ == "__main__":
    draw(ROOT / "docs" / "img" / "house.svg")
