"""What `./dev bench --cpu` is held to, of its rows: [{network, kind, who, threads, median_ms, right, ...} or {..., failed}].

A peer counts where what it computes is right (runs.py).
"""
import collections
import dataclasses
import math

OURS = "Tenon"
LONG = 5  # ms from which threads have to help
# A quantised network beside the fastest peer on its float form.
OF_FLOAT = {"mobilenetv2_1.0_224_int8": 0.35}
PRODUCT = "product "


@dataclasses.dataclass(frozen=True)
class Goal:
    name: str
    value: float
    sign: str  # <= or >=
    limit: float
    where: str = ""  # the network that is worst

    @property
    def met(self):
        return self.value <= self.limit if self.sign == "<=" else self.value >= self.limit


def counts(row):
    return "failed" not in row and row["right"]


class Rows:
    """Rows by network and threads."""

    def __init__(self, rows):
        self.rows, self.of = rows, collections.defaultdict(dict)
        for row in rows:
            self.of[row["network"], row["threads"]][row["who"]] = row
        self.kind = {row["network"]: row["kind"] for row in rows}
        self.threads = sorted({row["threads"] for row in rows})

    def ours(self, network, threads):
        """Where it computed anything: what is not right is a goal of its own."""
        row = self.of.get((network, threads), {}).get(OURS)
        return row if row and "failed" not in row else None

    def best(self, network, threads):
        """The fastest peer that is right, or None; of a quantised network, in whichever form of it."""
        peers = [row for form in self.forms(network) for who, row in self.of.get((form, threads), {}).items() if who != OURS and counts(row)]
        return min(peers, key=lambda row: row["median_ms"], default=None)

    def forms(self, network):
        """Quantised networks stand beside each other as operators on integers and between conversions: what a runtime is
        slow at in one form it may be fast at in the other."""
        if self.kind.get(network) != "int8" or network.startswith(PRODUCT):
            return [network]
        return [name for name in self.networks("int8") if name.rpartition("/")[0] == network.rpartition("/")[0]]

    def ratio(self, network, threads):
        ours, best = self.ours(network, threads), self.best(network, threads)
        return ours["median_ms"] / best["median_ms"] if ours and best else None

    def networks(self, *kinds):
        return [name for name, kind in self.kind.items() if kind in kinds and not name.startswith(PRODUCT)]

    def ratios(self, threads, *kinds):
        """{network: ours over the best peer}, of those that both compute right."""
        found = {name: self.ratio(name, threads) for name in self.networks(*kinds)}
        return {name: ratio for name, ratio in found.items() if ratio is not None}

    def float_form(self, network):
        form = f"{network.rpartition('/')[0]}/fp32"
        return form if form in self.kind and form != network else None


def geomean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def worst(name, values, sign, limit):
    """A goal that the worst of {network: value} is held to; none where there are none."""
    if not values:
        return []
    where = (max if sign == "<=" else min)(values, key=values.get)
    return [Goal(name, values[where], sign, limit, where)]


def mean(name, values, limit):
    return [Goal(name, geomean(values.values()), "<=", limit, f"of {len(values)}")] if values else []


def of_networks(rows):
    every = rows.networks("float", "half", "int8")
    wrong = [n for n in every for t in rows.threads if not (rows.ours(n, t) and counts(rows.ours(n, t)))]
    goals = [Goal("networks not computed right", len(wrong), "<=", 0, ", ".join(dict.fromkeys(wrong)))]
    for t in rows.threads:
        at = f", {t} thread{'s' * (t > 1)}"
        goals += mean(f"of the best peer, float{at}", rows.ratios(t, "float"), 0.9)
        goals += mean(f"of the best peer, int8{at}", rows.ratios(t, "int8"), 0.5)
        goals += worst(f"of the best peer, worst{at}", rows.ratios(t, "float", "half", "int8"), "<=", 1.1)
        beside = {(kind, n): rows.ours(n, t)["median_ms"] / rows.ours(form, t)["median_ms"] for kind in ("half", "int8")
                  for n in rows.networks(kind) if (form := rows.float_form(n)) and rows.ours(n, t) and rows.ours(form, t)}
        for kind, name in (("half", "fp16 of fp32, worst"), ("int8", "int8 of float, worst")):
            goals += worst(name + at, {n: ratio for (k, n), ratio in beside.items() if k == kind}, "<=", 1)
    return goals


def of_quantised(rows):
    """On one thread, beside the fastest peer on the float form."""
    goals = []
    for folder, limit in OF_FLOAT.items():
        best = rows.best(f"{folder}/fp32", 1)
        if best:
            goals += worst(f"{folder} int8 of the best float peer", {
                n: rows.ours(n, 1)["median_ms"] / best["median_ms"] for n in rows.networks("int8")
                if n.startswith(f"{folder}/") and rows.ours(n, 1)}, "<=", limit)
    return goals


def of_threads(rows):
    """Two threads beside one, of what takes long on one."""
    both = {n: (rows.ours(n, 1), rows.ours(n, 2)) for n in rows.networks("float", "half", "int8")}
    return worst(f"two threads, over {LONG} ms", {n: one["median_ms"] / two["median_ms"] for n, (one, two) in both.items()
                                                 if one and two and one["median_ms"] > LONG}, ">=", 1.7)


def of_loading(rows):
    ours = {n: rows.ours(n, rows.threads[0]) for n in rows.networks("float", "half", "int8")}
    return worst("loading less reading the file, ms", {n: r["load_ms"] - r["read_ms"] for n, r in ours.items() if r}, "<=", 30) + \
        worst("first run of the median", {n: r["first_ms"] / r["median_ms"] for n, r in ours.items() if r}, "<=", 1.5)


def of_products(rows):
    """As speeds: of floats beside every peer; of bytes beside onnxruntime's of u8 x s8, which it is fastest at."""
    goals = []
    for network in (n for n in rows.kind if n.startswith(PRODUCT)):
        ours = rows.ours(network, 1)
        if not ours:
            continue
        of_floats = rows.kind[network] == "float"
        peer = rows.best(network, 1) if of_floats else rows.of.get((f"{PRODUCT}u8 x s8", 1), {}).get("onnxruntime")
        if peer and counts(peer):
            goals.append(Goal(f"{network}, of {'the best peer' if of_floats else 'u8 x s8 of onnxruntime'}",
                              peer["median_ms"] / ours["median_ms"], ">=", 1.7 if "amx" in ours["host"] and not of_floats else 1, peer["who"]))
        peak = ours["peaks"]["float_operations_per_s" if of_floats else "byte_operations_per_s"]
        goals.append(Goal(f"{network}, of this machine's peak", ours["operations"] / (1e-3 * ours["median_ms"] * peak), ">=", 0.9))
    return goals


def goals_of(rows):
    rows = Rows(rows)
    return [goal for part in (of_networks, of_quantised, of_threads, of_loading, of_products) for goal in part(rows)]
