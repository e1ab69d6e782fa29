"""Rules that no test shows, and why."""

#: By what stands in the way.
REASONS: dict[str, tuple[str, ...]] = {}

NOT_SHOWN = {rule: reason for reason, rules in REASONS.items() for rule in rules}

#: Shown as far as it can be here, and what is left.
IN_PART = {
    "T-89": (
        "real cupy needs a GPU (tests/gpu, `make gpu-test`); here a strict array stands in for it, with "
        "which every row of the spec table runs"
    ),
}

#: Files whose every rule must be shown. The others grow with the parts they are about.
COMPLETE = (
    "01-function.md",
    "02-engine.md",
    "03-versions-views.md",
    "04-modes.md",
    "06-tensor-ops.md",
    "07-found-by-use.md",
    "08-sparse.md",
    "09-found-again.md",
)
