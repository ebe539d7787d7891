/* Figures of a test, the chosen models side by side. compare_table.js loads it; figures of a test have equal axes. */
(() => {
  "use strict";

  const { make, set, script } = window.scoring;

  function figure(media, test, name, { model }, [alt, width, height]) {
    const src = `${media}/${encodeURIComponent(model.id)}/${test}/${encodeURIComponent(name)}`;
    const image = make("img", { loading: "lazy", alt: alt || `${name}, ${model.label}` });
    if (width) set(image, { width, height });
    image.src = src;
    return make("figure", {}, make("a", { href: src }, image), make("figcaption", { textContent: model.label }));
  }

  /** A folded part with the figures of a test that at least two of the chosen models have; none without them. */
  function part({ id, figures }, test, sides) {
    const own = sides.filter((side) => side.board.origin !== "published");
    if (!figures || !figures.tests[test.id] || own.length < 2) return [];
    const node = make("details", { className: "folded side-figures" }, make("summary", { textContent: "Figures side by side" }));
    node.addEventListener("toggle", async () => {
      if (!node.open || node.children.length > 1) return;
      const box = make("div");
      node.append(box);
      try {
        await script(figures.tests[test.id]);
      } catch (error) {
        box.append(make("p", { className: "note", textContent: error.message }));
        return;
      }
      window.figuresOfTest[`${id}/${test.id}`].forEach(([title, name, models]) => {
        const there = own.filter((side) => models[side.model.id]);
        if (there.length < 2) return;
        const group = make("div", { className: "figures" }, make("p", { className: "figure-title", textContent: title }),
          ...there.map((side) => figure(figures.media, test.id, name, side, models[side.model.id])));
        box.append(set(group, { role: "group", "aria-label": title }));
      });
      if (!box.children.length) box.append(make("p", { textContent: "No two of these models have the same figure." }));
    });
    return [node];
  }

  window.sideFigures = { part };
})();
