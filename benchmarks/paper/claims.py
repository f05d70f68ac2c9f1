"""What the paper says about each figure, and what to know when comparing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """The words beside a figure.

    Attributes
    ----------
    title : str
    paper : str
        What the paper claims; empty for what it has not.
    note : str
        What a reader needs to compare the two; holds whatever the rows are.
    caption : str
        What the figure shows.
    """

    title: str
    paper: str
    caption: str
    note: str = ""


BARS = "Dots are data sets, large marks means with bootstrapped 95 % intervals"
BAND = "Means with bootstrapped 95 % intervals"
TRUE = "dashed: edges of the true graph"
BUSY = (
    "Searches of less than 0.1 s are timed five times, and the fastest counts. Seconds were taken "
    "while the machine did other work, so only ratios between methods mean something, and those "
    "roughly."
)

CLAIMS = {
    "main": Claim(
        "SHD by density",
        "XGES-0 and XGES outperform GES, GES-r and fGES in all scenarios, more so on larger and "
        "denser graphs; GES-r improves on GES; fGES is slightly worse than GES.",
        f"SHD for d = 25 and 50, n = 10,000, α = 2. {BARS}; {TRUE}.",
        "FLOP is not in the paper. It takes no seed, so that its rows are not quite the same when "
        "they are run again; all others are.",
    ),
    "failure": Claim(
        "Why GES fails",
        "ΔS < 0 throughout: GES does not reach the maximum of the score. ζ > 1, especially on "
        "dense graphs: it inserts too many edges.",
        f"ΔS and ζ of GES, with XGES beside it. {BARS}.",
    ),
    "score-shd": Claim(
        "Score against SHD",
        "Scores and SHD are strongly correlated (d = 50, ρ = 3); XGES finds the highest scores and "
        "the lowest SHD.",
        "One mark per data set and method; grey lines connect the methods on one data set. The "
        "vertical axis is linear between -100 and 100, logarithmic beyond.",
    ),
    "runtime": Claim(
        "Run time",
        "XGES-0 is up to 30 times faster than GES, XGES up to 10 times.",
        "Seconds by number of columns, n = 10,000. Medians with bootstrapped 95 % intervals.",
        "The paper compares its own C++ XGES with pcalg's GES and Tetrad's fGES. Here all searches "
        "run on one engine, so that what is compared is the amount of work that each search makes, "
        "not the quality of its program: GES profits from everything that makes XGES fast. Ours "
        f"are timed without counting the moments, FLOP with its own reading of the rows. {BUSY}",
    ),
    "evaluations": Claim(
        "Number of score evaluations",
        "XGES makes about ten times as many score evaluations as XGES-0.",
        f"Gains that a search looked at. {BAND}.",
        "The engine excludes most operators by a bound, many at once, and skips trials of XGES "
        "that are known to fail. It counts the gains that it still looks at, so that neither the "
        "numbers nor the ratios need be those of another program.",
    ),
    "rows": Claim(
        "Number of rows, d = 50",
        "XGES improves with n; GES and its variants get worse beyond n = 10⁴ (d = 50, ρ = 3).",
        f"SHD by number of rows, d = 50, ρ = 3, α = 2. {BAND}; {TRUE}.",
        "Moments are drawn from the Wishart law, so that 10⁸ rows need not be drawn.",
    ),
    "double-descent": Claim(
        "Double descent",
        "GES improves up to n = 10⁴, worsens around it and improves again from 10⁵ or 10⁶ on; "
        "XGES improves monotonically and quickly to an SHD of 0 (d = 15, ρ = 2, up to 10⁸ rows).",
        f"SHD by number of rows, α = 2. {BAND}; {TRUE}.",
        "The denser graphs with d = 20 are not in the paper; they were picked, after a look at six "
        "sizes, because it shows there. A double descent is called one if the "
        "rise and the fall, taken on the same models, both have intervals that exclude 0.",
    ),
    "alpha": Claim(
        "Penalty",
        "A larger α helps GES from 1 to 10, then hurts all methods; no α lets GES catch up with "
        "XGES (d = 50, ρ = 3).",
        f"SHD by α, d = 50, ρ = 3, n = 10,000. {BAND}; {TRUE}.",
    ),
    "edges": Claim(
        "Number of edges",
        "With more rows GES and its variants insert too many edges.",
        f"Edges found, on the data of the two figures before. {BAND}; {TRUE}.",
    ),
    "precision-recall": Claim(
        "Precision, recall and F1",
        "XGES outperforms the other methods in all three.",
        f"On the data of the first figure. {BARS}.",
        "A class contains the ordered pair (i, j) if it has i → j or i - j.",
    ),
    "score-difference": Claim(
        "Score above the true graph's",
        "XGES returns graphs with higher scores than GES.",
        "On the data of the first figure; the axis is linear between -10 and 10, logarithmic "
        f"beyond. {BARS}.",
    ),
    "grid": Claim(
        "More columns and densities",
        "At ρ = 1 all methods do equally well; from ρ = 2 on XGES leads, and the more so the "
        "denser the graph.",
        f"SHD by number of columns, n = 10,000, α = 2. {BAND}; {TRUE}.",
    ),
    "ops": Claim(
        "OPS",
        "OPS performs very similarly to GES: what helps is that deletes come first.",
        f"SHD of OPS, with and without reversals. {BARS}; {TRUE}.",
    ),
    "noise": Claim(
        "Scale of the noise",
        "GES and XGES are almost not affected by ε_max.",
        f"SHD by ε_max, n = 10,000, α = 2. {BAND}; {TRUE}.",
        "Multiplying all ε by one number multiplies all columns by it, and the score does not "
        "depend on units. So nothing but rounding may differ, given the same draws.",
    ),
    "negative": Claim(
        "Negative weights",
        "The conclusions of the first figure hold with weights in [-3, -1] ∪ [1, 3].",
        f"SHD with weights whose sign is drawn, one for all weights of a column. {BARS}; {TRUE}.",
        "One sign for a column's whole vector of weights is what the paper's appendix writes.",
    ),
    "missed-insert": Claim(
        "fGES misses inserts",
        "fGES keeps, for each pair, only the insert that scores highest, valid or not. If that one "
        "is invalid, a valid insert of the same pair is missed, even if it is the best of all.",
        "A case with few columns: the class where fGES stops, and the inserts of one pair.",
    ),
    "peers": Claim(
        "Other programs",
        "",
        "Mean SHD and median seconds, with bootstrapped 95 % intervals; further left is better. At "
        "the right, how many runs have no result and why.",
        "Each peer runs in its own environment, on rows with the moments that ours get, with the "
        "same α and one thread. Seconds of ours are those of the search, of peers those of the "
        f"whole call after a warm-up. {BUSY}",
    ),
}
