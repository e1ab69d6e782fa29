"""Rules that no test shows, and why."""

#: By what stands in the way.
REASONS: dict[str, tuple[str, ...]] = {
    "needs two devices, and the machines that run the tests have one": ("F-66", "E-94"),
    "comes with forward mode": ("F-81", "F-82", "F-83", "M-11", "M-30"),
    "comes with batching (vmap)": ("E-34",),
}

NOT_SHOWN = {rule: reason for reason, rules in REASONS.items() for rule in rules}

#: Files whose every rule must be shown. The others grow with the parts they are about.
COMPLETE = ("01-function.md", "02-engine.md", "03-versions-views.md", "04-modes.md")
