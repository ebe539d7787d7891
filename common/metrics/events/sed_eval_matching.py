"""A maximum matching with the choices of sed_eval 0.2.1, which follows mir_eval.

Only for the figures of that tool to the last digit: where several maximum matchings exist, the
events that are left over, and so its substitutions, depend on the choices made here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

#: estimate -> references that it fits, both in the order in which sed_eval meets them
Graph = Mapping[int, Sequence[int]]


def maximum_matching(graph: Graph) -> dict[int, int]:
    """Maximum-cardinality matching after Hopcroft and Karp (1973).

    Estimates first take their lowest free reference, in order. Then, layer by layer, shortest
    paths from free estimates to free references are exchanged, until there is none.

    Args:
        graph: estimate -> references

    Returns:
        reference -> estimate

    >>> maximum_matching({0: [0, 1], 1: [0]})
    {0: 1, 1: 0}
    """
    partner: dict[int, int] = {}
    for estimate, references in graph.items():
        free = next((ref for ref in references if ref not in partner), None)
        if free is not None:
            partner[free] = estimate
    while True:
        layers = _Layers(graph, partner)
        if not layers.ends:
            return partner
        for end in layers.ends:
            layers.exchange(end)


class _Layers:
    """Layers of shortest alternating paths from free estimates to free references."""

    def __init__(self, graph: Graph, partner: dict[int, int]):
        self.partner = partner
        #: reference -> estimates of the layer before that lead to it
        self.back: dict[int, list[int]] = {}
        matched = set(partner.values())
        #: estimate -> its matched reference, from which it was reached; None: it is free
        self.origin: dict[int, int | None] = {e: None for e in graph if e not in matched}
        #: free references of the last layer
        self.ends: list[int] = []
        layer = list(self.origin)
        while layer and not self.ends:
            reached: dict[int, list[int]] = {}
            for estimate in layer:
                for reference in graph[estimate]:
                    if reference not in self.back:
                        reached.setdefault(reference, []).append(estimate)
            layer = []
            for reference, estimates in reached.items():
                self.back[reference] = estimates
                if reference in partner:
                    layer.append(partner[reference])
                    self.origin[partner[reference]] = reference
                else:
                    self.ends.append(reference)

    def exchange(self, end: int) -> None:
        """Exchange the first path from ``end`` back to a free estimate that is still whole.

        A stack instead of recursion: a path may be longer than Python's limit.
        """
        trail: list[tuple[int, int]] = []
        open_ = [(end, iter(self.back.pop(end, ())))]
        while open_:
            reference, estimates = open_[-1]
            estimate = next((e for e in estimates if e in self.origin), None)
            if estimate is None:
                # dead end: back to the reference before, which tries its next estimate
                open_.pop()
                trail = trail[:-1]
                continue
            origin = self.origin.pop(estimate)
            trail.append((reference, estimate))
            if origin is None:
                self.partner.update(trail)
                return
            open_.append((origin, iter(self.back.pop(origin, ()))))
