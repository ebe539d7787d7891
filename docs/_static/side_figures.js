/* Figures of a test, the chosen models side by side. compare.js loads it when such a part is opened; figures of a
   test have equal axes. */
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

  /** Fills a part with the figures of a test that at least two of the chosen models have. */
  async function fill(node, { id, figures }, test, own) {
    await script(figures.tests[test.id]);
    const groups = window.figuresOfTest[`${id}/${test.id}`].flatMap(([title, name, models]) => {
      const there = own.filter((side) => models[side.model.id]);
      if (there.length < 2) return [];
      const group = make("div", { className: "figures" }, make("p", { className: "figure-title", textContent: title }),
        ...there.map((side) => figure(figures.media, test.id, name, side, models[side.model.id])));
      return [set(group, { role: "group", "aria-label": title })];
    });
    node.append(make("div", {}, ...(groups.length ? groups : [make("p", { textContent: "No two of these models have the same figure." })])));
  }

  window.sideFigures = { fill };
})();
