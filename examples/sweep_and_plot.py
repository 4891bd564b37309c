"""Sweep hazards and gaps, and plot what was measured on the theory's curves: ceiling.svg."""

import altair as alt
import numpy as np

from sim import sweep
from sim.ceiling_cell import ceiling_cell, ceiling_cells

if __name__ == "__main__":
    cells = ceiling_cells(hazard=[0.002, 0.01, 0.05], gap=np.linspace(4, 240, 30), freshness=6)
    frame = sweep(cells, ceiling_cell, out="ceiling.parquet", seed=1)

    base = alt.Chart(frame).encode(x=alt.X("gap", title="execution gap, h"), color="hazard:N")
    chart = alt.layer(
        base.mark_line().encode(y=alt.Y("predicted", title="P(no change)")),
        base.mark_line(strokeDash=[2, 2]).encode(y="ceiling"),
        base.mark_rule().encode(y="low", y2="high"),
        base.mark_point(filled=True).encode(y="share"),
    )
    chart.save("ceiling.svg")
    missed = frame.filter(~frame["predicted"].is_between(frame["low"], frame["high"])).height
    print(f"ceiling.svg: {missed} of {frame.height} limits miss the theory")
