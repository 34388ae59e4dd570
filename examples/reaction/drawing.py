# Part of Tenon, under the Apache License v2.0.
"""Reactions with their atoms mapped, as a picture (SVG)."""
import xml.etree.ElementTree as ElementTree

CHARACTER, ROW, MARGIN = 11, 90, 20  # pixels
COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]  # Okabe and Ito, one a molecule of the reactants


def draw_side(svg, tokens, side, first, y, colors):
    """A row of text; the atoms' middles. `first` is the text's number of tokens[0], `colors` of the atoms that have one."""
    atoms, x, middles = {atom.token: i for i, atom in enumerate(side.atoms)}, MARGIN, {}
    for i, token in enumerate(tokens):
        width = CHARACTER * len(token)
        atom = atoms.get(first + i)
        text = ElementTree.SubElement(svg, "text", {"x": f"{x + width / 2:g}", "y": f"{y}", "fill": colors.get(atom, "#777777")})
        text.text = token
        if atom is not None:
            middles[atom] = x + width / 2
        x += width
    return middles


def draw(file, mapped):
    """`mapped`: (reaction, pairs) of each; the products stand below the reactants."""
    width = 2 * MARGIN + CHARACTER * max(sum(map(len, reaction.tokens)) for reaction, _ in mapped)
    svg = ElementTree.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "width": f"{width}", "height": f"{2 * ROW * len(mapped)}",
                                      "font-family": "monospace", "font-size": "16", "text-anchor": "middle", "stroke-width": "1.5"})
    ElementTree.SubElement(svg, "rect", {"width": "100%", "height": "100%", "fill": "white"})
    for number, (reaction, pairs) in enumerate(mapped):
        top = 2 * ROW * number + ROW // 2
        reactants, products, arrow = reaction.reactants, reaction.products, reaction.tokens.index(">>")
        colors = {pair.reactant: COLORS[reactants.atoms[pair.reactant].molecule % len(COLORS)] for pair in pairs}
        above = draw_side(svg, reaction.tokens[:arrow], reactants, 0, top, colors)
        below = draw_side(svg, reaction.tokens[arrow + 1:], products, arrow + 1, top + ROW,
                          {pair.product: colors[pair.reactant] for pair in pairs})
        for pair in pairs:
            ElementTree.SubElement(svg, "line", {
                "x1": f"{above[pair.reactant]:g}", "y1": f"{top + 6}", "x2": f"{below[pair.product]:g}", "y2": f"{top + ROW - 16}",
                "stroke": colors[pair.reactant], "opacity": f"{max(pair.confidence, 0.2):.2f}"})
    ElementTree.ElementTree(svg).write(file, encoding="unicode")
