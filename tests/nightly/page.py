"""docs/nightly.md, from the figures that are kept."""
from parts import CORES, GOALS, HOURS, PARTS, PATIENCE, ROOT

FILE = ROOT / "docs/nightly.md"
HEAD = f"""# The long sets: figures
`./dev nightly` wrote this page from `tests/nightly/figures.json`; a test holds the two equal. Each part has the commit that
it ran on; its figures are of the tree as long as nothing that it tests has changed since, which `./dev nightly --status`
says. *Processor* are minutes of one core. The shares come to at most {HOURS} hours on {CORES} cores; a part is ended behind
{PATIENCE} times its own, so that a slow machine gets to the end, too.
"""


def together(minutes):
    """How long parts take on the cores there are, one by one in the list's order, by their minutes: those of one core take turns at the
    first that is free."""
    lanes = [0] * CORES
    for part in (part for part in PARTS if part.cores == 1):
        lanes[lanes.index(min(lanes))] += minutes(part)
    return max(lanes) + sum(minutes(part) for part in PARTS if part.cores == CORES)


def number(value):
    return "none" if value is None else f"{value:.3f}" if isinstance(value, float) else f"{value:,}"


def text(kept):
    lines = [HEAD, "| part | commit | date | seed | minutes | processor | share | ended |", "|---|---|---|---:|---:|---:|---:|---|"]
    for part in PARTS:
        entry = kept.get(part.name)
        if not entry:
            lines.append(f"| {part.name} | never run whole | | | | | {part.share} | |")
            continue
        changes = ", with changes" * entry["dirty"]
        lines.append(f"| {part.name} | {entry['commit']}{changes} | {entry['date']} | {entry['seed'] if part.seeded else '-'} | "
                     f"{entry['seconds'] / 60:.1f} | {entry['processor_seconds'] / 60:.1f} | {part.share} | {entry['ended']} |")
    if all(part.name in kept for part in PARTS):
        lines += ["", f"Together, parts of one core two at a time: {together(lambda part: kept[part.name]['seconds'] / 60):.0f} minutes."]
    lines += ["", "| part | figure | value | goal | |", "|---|---|---:|---:|---|"]
    for goal in GOALS:
        entry = kept.get(goal.part)
        if entry:
            value = entry["goals"].get(goal.name)
            holds = value is not None and goal.met(value)
            lines.append(f"| {goal.part} | {goal.name} | {number(value)} | {goal.sign} {number(goal.limit)} | "
                         f"{'' if holds else 'DOES NOT HOLD'} |")
    lines += ["", "| part | what | amount |", "|---|---|---|"]
    lines += [f"| {part.name} | {part.what} | `{part.amount}` |" for part in PARTS]
    return "\n".join(lines) + "\n"


def write(kept):
    FILE.write_text(text(kept))
