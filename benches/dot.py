#!/usr/bin/env python3
"""Lays the graphs of `benches/graph.rs` out with Graphviz `dot` and with dagre, and counts what crosses.

    benches/dot.py [SIZES]      sizes as 50,500,1000 (the default)

Each engine gets the same cards (as big as here, in cells of 8x18 pixels), the same lines (those that are drawn here, not
the stubs), from left to right; `dot` also with every answer bound to its port, as here. What crosses is counted in what
each of them draws: the pairs of lines that cut each other, lines to the same step left out, as these join here. Where
`dot`, or node with dagre (NODE_PATH names the folder it is in), is missing, that is said and its columns stay empty.
"""

import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

CELL = (8, 18)
LIMIT = 120  # seconds for each layout

DAGRE = r"""
const dagre = require('@dagrejs/dagre');
const it = JSON.parse(require('fs').readFileSync(0));
const g = new dagre.graphlib.Graph({ multigraph: true });
g.setGraph({ rankdir: 'LR', nodesep: 18, ranksep: 64, edgesep: 9 });
g.setDefaultEdgeLabel(() => ({}));
it.cards.forEach(([w, h], i) => g.setNode(String(i), { width: w * 8, height: h * 18 }));
it.edges.forEach(([a, p, b]) => g.setEdge(String(a), String(b), {}, String(p)));
const begun = process.hrtime.bigint();
dagre.layout(g);
const took = Number(process.hrtime.bigint() - begun) / 1e6;
const lines = it.edges.map(([a, p, b]) => g.edge(String(a), String(b), String(p)).points.map(q => [q.x, q.y]));
console.log(JSON.stringify({ took, lines }));
"""


def with_dot(graph, ports):
    """Milliseconds and lines, or None where it takes too long."""
    out = ["digraph g { rankdir=LR; nodesep=0.25; ranksep=0.9; node [shape=box, fixedsize=true, label=\"\"];"]
    for step, ((width, height, _), count) in enumerate(zip(graph["cards"], graph["ports"])):
        size = f"width={width * CELL[0] / 72:.3f}, height={height * CELL[1] / 72:.3f}"
        if ports and count:
            rows = "|".join(f"<p{port}>" for port in range(count))
            out.append(f'n{step} [shape=record, {size}, label="{{<in>|{{{rows}}}}}"];')
        else:
            out.append(f"n{step} [{size}];")
    for at, (a, port, b) in enumerate(graph["edges"]):
        tail = f"n{a}:p{port}:e" if ports else f"n{a}"
        out.append(f"{tail} -> n{b} [id=e{at}, arrowhead=none];")
    out.append("}")
    begun = time.monotonic()
    try:
        done = subprocess.run(["dot", "-Tjson"], input="\n".join(out), capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None
    took = (time.monotonic() - begun) * 1e3
    if done.returncode:
        return None
    lines = [None] * len(graph["edges"])
    for edge in json.loads(done.stdout).get("edges", []):
        points = []
        for op in edge.get("_draw_", []):
            if op["op"] in "bB":
                points += flattened(op["points"])
        lines[int(edge["id"][1:])] = points
    return took, lines


def with_dagre(graph):
    try:
        done = subprocess.run(["node", "-e", DAGRE], input=json.dumps(graph), capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        return None
    answer = json.loads(done.stdout)
    return answer["took"], answer["lines"]


def flattened(points):
    """A Bezier spline as short straight pieces."""
    out = [tuple(points[0])]
    for at in range(0, len(points) - 3, 3):
        a, b, c, d = points[at : at + 4]
        for part in range(1, 9):
            t = part / 8
            u = 1 - t
            out.append(tuple(u**3 * a[i] + 3 * u * u * t * b[i] + 3 * u * t * t * c[i] + t**3 * d[i] for i in (0, 1)))
    return out


def crossings(graph, lines):
    """The pairs of lines that cut each other, as often as they do, if they lead to different steps."""
    pieces = []
    for (a, _, b), points in zip(graph["edges"], lines):
        for p, q in zip(points or [], (points or [])[1:]):
            pieces.append((a, b, tuple(p), tuple(q)))
    # Pieces by the stripes of columns that they reach into.
    stripes, wide = {}, 40
    for at, (_, _, p, q) in enumerate(pieces):
        for stripe in range(math.floor(min(p[0], q[0]) / wide), math.floor(max(p[0], q[0]) / wide) + 1):
            stripes.setdefault(stripe, []).append(at)
    cut = set()
    for members in stripes.values():
        members.sort(key=lambda at: min(pieces[at][2][1], pieces[at][3][1]))
        for nth, one in enumerate(members):
            a1, b1, p1, q1 = pieces[one]
            low = max(p1[1], q1[1])
            for other in members[nth + 1 :]:
                a2, b2, p2, q2 = pieces[other]
                if min(p2[1], q2[1]) > low:
                    break
                if b1 != b2 and cuts(p1, q1, p2, q2):
                    cut.add((min(one, other), max(one, other)))
    return len(cut)


def cuts(p, q, r, s):
    def side(a, b, c):
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    return side(p, q, r) * side(p, q, s) < 0 and side(r, s, p) * side(r, s, q) < 0


def main():
    sizes = sys.argv[1] if len(sys.argv) > 1 else "50,500,1000"
    has_dot = shutil.which("dot") is not None
    has_dagre = subprocess.run(["node", "-e", "require('@dagrejs/dagre')"], capture_output=True).returncode == 0 if shutil.which("node") else False
    for name, there in (("dot (Graphviz)", has_dot), ("dagre (node, @dagrejs/dagre)", has_dagre)):
        if not there:
            print(f"NOT MEASURED: {name} is not installed here", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"CUTAWAY_BENCH_STEPS": sizes, "CUTAWAY_BENCH_DUMP": folder}
        command = os.environ.get("CARGO", "cargo")
        subprocess.run([command, "bench", "--bench", "graph"], env=environment, check=True)
        graphs = [json.loads(path.read_text()) for path in pathlib.Path(folder).glob("*.json")]
    graphs.sort(key=lambda graph: (len(graph["cards"]), graph["name"]))
    print("\nmilliseconds / crossings; of Cutaway as seen (answers to one step are one line), and each answer counted")
    print(f"{'graph':>12} {'lines':>6} | {'Cutaway':>18} {'each':>6} | {'dot, ports':>18} | {'dot':>18} | {'dagre':>18}")
    for graph in graphs:
        row = [f"{graph['milliseconds']:.2f} / {graph['crossings']}", str(graph["crossings_each"])]
        for there, run in (
            (has_dot, lambda: with_dot(graph, True)),
            (has_dot, lambda: with_dot(graph, False)),
            (has_dagre, lambda: with_dagre(graph)),
        ):
            answer = run() if there else ()
            if answer == ():
                row.append("not here")
            elif answer is None:
                row.append(f"over {LIMIT} s or failed")
            else:
                row.append(f"{answer[0]:.0f} / {crossings(graph, answer[1])}")
        print(f"{graph['name']:>12} {len(graph['edges']):>6} | {row[0]:>18} {row[1]:>6} | {row[2]:>18} | {row[3]:>18} | {row[4]:>18}")


if __name__ == "__main__":
    main()
