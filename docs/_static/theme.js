/* Before anything is drawn: the theme that a reader chose, else that of the system; whether the page begins at its top. */
(() => {
  "use strict";
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const set = () => {
    let choice = "auto";
    try {
      choice = localStorage.getItem("mode") || "auto";
    } catch {
      // a browser may keep nothing
    }
    document.documentElement.dataset.mode = choice;
    document.documentElement.dataset.theme = choice === "auto" ? (dark.matches ? "dark" : "light") : choice;
  };
  window.setTheme = (choice) => {
    try {
      localStorage.setItem("mode", choice);
    } catch {
      document.documentElement.dataset.mode = choice;
    }
    set();
  };
  dark.addEventListener("change", set);
  set();
  const [arrival] = performance.getEntriesByType("navigation");
  document.documentElement.classList.toggle("at-top", arrival?.type === "navigate" && !location.hash);
})();
