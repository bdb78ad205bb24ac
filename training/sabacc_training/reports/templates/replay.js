"use strict";

const read = (id) => JSON.parse(document.getElementById(id).textContent);

// Replays. A picture is a data address, drawn from nodes that the pictures share.

const { nodes, replays } = read("drawings");

function drawing(number) {
  const node = nodes[number];
  return typeof node === "string" ? node : node.map(drawing).join("");
}

class Replay {
  constructor(element) {
    this.views = replays[Number(element.dataset.replay)];
    this.picture = element.querySelector("img");
    this.slider = element.querySelector("input");
    this.view = element.querySelector("select");
    this.now = element.querySelector(".now");
    this.steps = [...element.querySelectorAll("[data-step]")];
    this.step = 0;
    const moves = {
      first: () => 0,
      back: () => this.step - 1,
      forward: () => this.step + 1,
      last: () => this.steps.length - 1,
    };
    this.buttons = [...element.querySelectorAll("[data-go]")];
    for (const button of this.buttons) {
      button.addEventListener("click", () => this.show(moves[button.dataset.go]()));
    }
    this.steps.forEach((button, step) => button.addEventListener("click", () => this.show(step)));
    this.slider.addEventListener("input", () => this.show(Number(this.slider.value)));
    this.view.addEventListener("change", () => this.show(this.step));
    element.addEventListener("toggle", () => element.open && this.show(this.step));
  }

  show(step) {
    const last = this.steps.length - 1;
    this.step = Math.max(0, Math.min(last, step));
    const words = this.steps[this.step].textContent;
    const svg = drawing(this.views[Number(this.view.value)][this.step]);
    this.picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    this.picture.alt = `The table after step ${this.step} of ${last}. ${words}`;
    this.now.textContent = `Step ${this.step} of ${last}. ${words}`;
    this.slider.value = this.step;
    this.slider.setAttribute("aria-valuetext", `step ${this.step} of ${last}`);
    this.steps.forEach((button, number) => {
      if (number === this.step) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    for (const button of this.buttons) {
      const backwards = ["first", "back"].includes(button.dataset.go);
      button.setAttribute("aria-disabled", this.step === (backwards ? 0 : last));
    }
  }
}

for (const element of document.querySelectorAll("details.replay")) new Replay(element);
