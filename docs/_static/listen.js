/* One player per group of sounds: switches between variants at the same position while playing.
   Without this script every sound has the plain player of the browser. */
(() => {
  "use strict";

  const CLOSE_S = 0.02; // two sounds this close are at the same position
  const TRIES = 6;
  let active = null; // the group that was used last: it falls silent when another one plays
  let count = 0;

  const make = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    node.append(...children);
    return node;
  };
  const clock = (seconds) =>
    `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(1).padStart(4, "0")}`;
  const settled = (audio) =>
    new Promise((done) => {
      if (!audio.seeking) return done();
      audio.addEventListener("seeked", done, { once: true });
      setTimeout(done, 500);
    });

  class Group {
    constructor(node) {
      this.node = node;
      this.number = count++;
      this.sounds = [...node.querySelectorAll(".sound:not(.absent)")].map((card) => this.sound(card));
      if (this.sounds.length < (node.classList.contains("solo") ? 1 : 2)) return;
      this.current = this.sounds[0];
      this.heard = this.current; // differs from current during a change-over only
      this.playing = false;
      this.turn = 0;
      this.lag = 0;
      this.build();
      this.level();
      this.show();
    }

    sound(card) {
      const audio = card.querySelector("audio");
      const picture = card.querySelector("img");
      const [left, right, span] = (card.dataset.axis || "0 1 0").split(" ").map(Number);
      const name = card.querySelector(".sound-name").textContent;
      const { lufs, seconds } = card.dataset;
      return { card, audio, picture, left, right, span, name, lufs: Number(lufs), seconds: Number(seconds) };
    }

    // -- what is seen ----------------------------------------------------------------------

    build() {
      this.play = make("button", { type: "button", class: "listen-play", "aria-keyshortcuts": "Space" });
      this.play.append(make("span", { "aria-hidden": "true" }), make("b"));
      this.seek = make("input", { type: "range", min: 0, max: 1, step: 0.01, value: 0, "aria-label": "Position" });
      this.time = make("output", { class: "listen-time", "aria-live": "off" });
      this.same = this.check("Same loudness", true);
      this.repeat = this.check("Repeat", false);
      const choice = make("fieldset", { class: "listen-choice" }, make("legend", {}, "Sound"));
      this.sounds.forEach((sound, place) => {
        sound.radio = make("input", { type: "radio", name: `listen-${this.number}`, value: place });
        sound.radio.addEventListener("change", () => this.choose(place));
        const label = make("label", {}, sound.radio);
        if (place < 9) {
          sound.radio.setAttribute("aria-keyshortcuts", String(place + 1));
          label.append(make("kbd", { "aria-hidden": "true" }, String(place + 1)));
        }
        label.append(make("span", {}, sound.name));
        choice.append(label);
        this.mark(sound, place);
      });
      this.sounds[0].radio.checked = true;
      const last = Math.min(9, this.sounds.length);
      const hint = make("p", { class: "listen-hint" }, `Keys in this player: 1 to ${last} choose, space plays and pauses.`);
      const row = make("div", { class: "listen-row" }, this.play, this.seek, this.time);
      const bar = make("div", { class: "listen-bar" }, row, choice);
      bar.append(make("div", { class: "listen-row listen-options" }, this.same.label, this.repeat.label, hint));
      this.node.prepend(bar);
      this.node.classList.add("ready");
      this.play.addEventListener("click", () => {
        this.play.focus(); // not every browser does
        this.toggle();
      });
      this.seek.addEventListener("input", () => this.jump(Number(this.seek.value)));
      this.same.box.addEventListener("change", () => this.level());
      this.repeat.box.addEventListener("change", () => this.level());
      for (const event of ["pointerenter", "focusin", "touchstart"])
        this.node.addEventListener(event, () => this.load(), { once: true, passive: true });
    }

    check(text, checked) {
      const box = make("input", { type: "checkbox" });
      box.checked = checked;
      return { box, label: make("label", {}, box, make("span", {}, text)) };
    }

    mark(sound, place) {
      const { audio, picture } = sound;
      audio.addEventListener("loadedmetadata", () => sound === this.current && this.show());
      audio.addEventListener("timeupdate", () => sound === this.heard && this.show());
      audio.addEventListener("ended", () => sound === this.heard && this.stop());
      audio.addEventListener("error", () => sound.card.classList.add("broken"));
      if (!picture) return;
      const frame = make("span", { class: "listen-frame" });
      sound.line = make("span", { class: "listen-line", "aria-hidden": "true" });
      picture.replaceWith(frame);
      frame.append(picture, sound.line);
      frame.addEventListener("click", (event) => {
        const box = frame.getBoundingClientRect();
        const share = ((event.clientX - box.left) / box.width - sound.left) / (sound.right - sound.left);
        this.select(place);
        this.jump(Math.max(0, Math.min(1, share)) * sound.span);
        sound.radio.focus({ preventScroll: true });
      });
    }

    show() {
      const { audio } = this.heard;
      const duration = Number.isFinite(audio.duration) ? audio.duration : this.heard.seconds || 0;
      this.seek.max = duration || 1;
      this.seek.value = audio.currentTime;
      this.seek.setAttribute("aria-valuetext", `${audio.currentTime.toFixed(1)} of ${duration.toFixed(1)} seconds`);
      this.time.textContent = `${clock(audio.currentTime)} / ${clock(duration)}`;
      this.play.classList.toggle("on", this.playing);
      this.play.lastChild.textContent = this.playing ? "Pause" : "Play";
      this.node.dispatchEvent(new CustomEvent("listen-moment", { bubbles: true, detail: audio.currentTime }));
      for (const sound of this.sounds) {
        sound.card.classList.toggle("chosen", sound === this.current);
        if (sound.line && sound.span) {
          const share = sound.left + (audio.currentTime / sound.span) * (sound.right - sound.left);
          sound.line.style.left = `${100 * Math.min(share, sound.right)}%`;
        }
      }
    }

    tick() {
      if (!this.playing) return;
      this.show();
      requestAnimationFrame(() => this.tick());
    }

    // -- what is heard ---------------------------------------------------------------------

    load() {
      this.sounds.forEach(({ audio }) => {
        if (audio.preload !== "auto") audio.preload = "auto";
      });
    }

    /** Every sound as loud as the softest one, or as it is. */
    level() {
      const softest = Math.min(...this.sounds.map((sound) => sound.lufs));
      this.sounds.forEach(({ audio, lufs }) => {
        audio.volume = this.same.box.checked ? Math.min(1, 10 ** ((softest - lufs) / 20)) : 1;
        audio.loop = this.repeat.box.checked;
      });
      // some phones leave the level to their keys alone
      const probe = this.sounds.find(({ lufs }) => lufs > softest + 0.2);
      if (this.same.box.checked && probe && probe.audio.volume === 1) {
        this.same.box.checked = false;
        this.same.box.disabled = true;
        this.same.label.title = "This device does not let a page set the level.";
      }
    }

    async toggle() {
      if (this.playing) return this.stop();
      if (active && active !== this) active.stop();
      active = this;
      this.load();
      this.playing = true;
      const sound = this.current;
      this.heard = sound;
      sound.audio.muted = false;
      if (sound.audio.ended) sound.audio.currentTime = 0;
      try {
        await sound.audio.play();
      } catch {
        if (sound === this.heard) this.stop();
      }
      this.tick();
    }

    stop() {
      this.turn++;
      this.playing = false;
      this.sounds.forEach(({ audio }) => {
        audio.pause();
        audio.muted = false;
      });
      if (this.heard !== this.current) {
        this.current.audio.currentTime = this.heard.audio.currentTime;
        this.heard = this.current;
      }
      this.show();
    }

    jump(seconds) {
      active = this;
      this.heard.audio.currentTime = seconds;
      if (this.heard !== this.current) this.handOver(this.current);
      this.show();
    }

    select(place) {
      if (!this.sounds[place]) return;
      this.sounds[place].radio.checked = true;
      this.choose(place);
    }

    choose(place) {
      active = this;
      const next = this.sounds[place];
      if (next === this.current) return;
      this.load();
      this.current = next;
      if (this.playing) {
        this.handOver(next);
      } else {
        next.audio.currentTime = this.heard.audio.currentTime;
        this.heard = next;
      }
      this.show();
    }

    /** Start the next sound unheard, bring it to the position of the one that is heard, swap. */
    async handOver(next) {
      const turn = ++this.turn;
      this.sounds.forEach((sound) => sound !== next && sound !== this.heard && sound.audio.pause());
      if (next === this.heard) return;
      const before = this.heard.audio;
      const after = next.audio;
      const wanted = () => Math.min(before.currentTime + this.lag, (after.duration || Infinity) - 0.01);
      after.muted = true;
      after.currentTime = wanted();
      try {
        await after.play();
        for (let n = 0; n < TRIES && turn === this.turn && this.playing; n++) {
          await settled(after);
          await new Promise(requestAnimationFrame);
          const late = before.currentTime - after.currentTime;
          if (Math.abs(late) < CLOSE_S || before.ended) break;
          this.lag = Math.max(0, Math.min(0.3, this.lag + late));
          after.currentTime = wanted();
        }
      } catch {
        if (turn === this.turn) this.stop();
        return;
      }
      if (turn !== this.turn || !this.playing) return;
      after.muted = false;
      before.pause();
      this.heard = next;
      if (after.ended) this.stop();
      this.show();
    }
  }

  const groups = new Map();
  /** For scripts that put players on a page, or take them away. */
  window.players = {
    add(node) {
      const group = new Group(node);
      if (group.current) groups.set(node, group);
    },
    clear(place) {
      groups.forEach((group, node) => {
        if (!place.contains(node)) return;
        if (group.playing) group.stop();
        groups.delete(node);
      });
    },
  };
  document.querySelectorAll(".listen").forEach(window.players.add);

  // keys belong to the player that has the focus; anywhere else they do what they always do
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    const { target } = event;
    const type = target.tagName === "INPUT" ? target.type : "";
    const group = groups.get(target.closest(".listen"));
    if (!group || /^(TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable) return;
    if (type && !["radio", "checkbox", "range"].includes(type)) return;
    if (/^[1-9]$/.test(event.key)) {
      group.select(Number(event.key) - 1);
    } else if (event.key === " ") {
      // a button, a box or a link does with the space bar what it always does
      if (type === "checkbox" || /^(BUTTON|A|SUMMARY|AUDIO)$/.test(target.tagName)) return;
      group.toggle();
    } else {
      return;
    }
    event.preventDefault();
  });
})();
