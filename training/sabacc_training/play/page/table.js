"use strict";

const $ = (id) => document.getElementById(id);
const SUITS = { t: ["▲", "triangle"], s: ["■", "square"], c: ["●", "circle"] };

/** Return an element: its attributes, then its children, which are elements or text. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") element.addEventListener("click", value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== ""));
  return element;
}

/** Return the elements of a text: lines that begin with "- " are the items of a list. */
function prose(text) {
  const elements = [];
  for (const line of text.split("\n")) {
    if (!line.startsWith("- ")) elements.push(make("p", {}, line));
    else {
      if (elements.at(-1)?.tagName !== "UL") elements.push(make("ul"));
      elements.at(-1).append(make("li", {}, line.slice(2)));
    }
  }
  return elements;
}

const number = (amount) => amount.toLocaleString("en").replace("-", "−");
const signed = (amount) => (amount > 0 ? "+" : "") + number(amount);

let alertTimer = 0;
function say(sentence) {
  $("alert").textContent = sentence;
  clearTimeout(alertTimer);
  alertTimer = setTimeout(() => { $("alert").textContent = ""; }, 8000);
}

// Motion: each card has a key, and moves from where it was to where it is.

const motion = {
  on: localStorage.getItem("motion") !== "off",
  wanted() { return this.on && !matchMedia("(prefers-reduced-motion: reduce)").matches; },
  toggle() {
    this.on = !this.on;
    localStorage.setItem("motion", this.on ? "on" : "off");
    $("motion").setAttribute("aria-pressed", this.on);
  },
  places() {
    const cards = document.querySelectorAll("#table [data-key]");
    return new Map([...cards].map((card) => [card.dataset.key, card.getBoundingClientRect()]));
  },
  from(before) {
    if (!this.wanted() || !before.size) return;
    const pile = before.get("draw pile");
    for (const card of document.querySelectorAll("#table [data-key]")) {
      const now = card.getBoundingClientRect();
      const was = before.get(card.dataset.key) ?? pile;
      if (!was || (Math.abs(was.x - now.x) < 2 && Math.abs(was.y - now.y) < 2)) continue;
      const shift = `translate(${was.x - now.x}px, ${was.y - now.y}px)`;
      card.animate([{ transform: shift, zIndex: 3 }, { transform: "none", zIndex: 3 }],
        { duration: 350, easing: "ease-out" });
    }
  },
};

// Cards and seats.

function cardLabel(text) {
  if (text === null) return "a card face down";
  return text[0] === "0" ? "Sylop" : `${text.slice(0, -1).replace("-", "minus ")} ${SUITS[text.at(-1)][1]}`;
}

function card(text, key, extra = "") {
  if (text === null) {
    return make("span", { class: `card back ${extra}`, role: "img", "aria-label": cardLabel(null), "data-key": key });
  }
  const sylop = text[0] === "0";
  const kind = sylop ? "sylop" : text[0] === "+" ? "positive" : "negative";
  return make("span", { class: `card ${kind} ${extra}`, role: "img", "aria-label": cardLabel(text), "data-key": text },
    make("span", {}, sylop ? "0" : text.slice(0, -1).replace("-", "−")),
    make("span", { class: "suit" }, sylop ? "◆" : SUITS[text.at(-1)][0]));
}

function cardsOf(seat, index, drawn) {
  const cards = seat.cards.map((text, slot) => card(text, `hidden ${index} ${slot}`));
  if (seat.spike !== null) cards.push(card(seat.spike, seat.spike, "spike"));
  if (drawn) cards.push(card(drawn, drawn, "drawn"));
  return make("div", { class: "cards" }, ...cards);
}

function seatPanel(table, index) {
  const seat = table.seats[index];
  const acts = table.to_act === index;
  const classes = ["seat", acts && "acts", seat.wins && "wins", !seat.in_play && "away"].filter(Boolean);
  const name = index === table.seat ? "You" : seat.name;
  const tags = [index === table.dealer && "dealer", acts && "to act", seat.wins && "wins"].filter(Boolean);
  const rank = seat.rank && `${seat.rank.name}, total ${signed(seat.rank.total)}`;
  const state = rank || (seat.cards.length ? `${seat.cards.length} cards` : seat.last === "junk" ? "junked" : "out");
  return make("article", { class: classes.join(" "), "aria-label": name },
    make("h2", {}, name, ...tags.map((tag) => make("span", { class: "tag" }, tag))),
    cardsOf(seat, index, index === table.seat ? table.drawn : null),
    make("p", {}, state),
    seat.credits === null ? "" : make("p", {}, `${number(seat.credits)} credits`,
      seat.bet && table.phase === "betting" ? make("span", { class: "bet" }, ` · bet ${number(seat.bet)}`) : ""),
    seat.net === null ? make("p", {}, (seat.in_play && seat.last) || "\u00a0")
      : make("p", { class: `net ${seat.net > 0 ? "good" : seat.net < 0 ? "bad" : ""}` },
        `${signed(seat.net)} ${table.rules.points ? "points" : "credits"}`));
}

function pile(title, ...children) {
  return make("div", { class: "pile" }, ...children, make("div", {}, title));
}

function centre(table) {
  const top = table.discards.at(-1);
  const dice = table.dice.at(-1);
  const roll = dice
    ? dice.map((face) => make("span", { class: face === 1 ? "die spike" : "die", role: "img",
      "aria-label": face === 1 ? "a Spike" : `a ${face}` }, face === 1 ? "✦" : String(face)))
    : ["–"];
  return [
    pile(`Draw pile: ${table.draw_pile}`, make("div", { class: "cards" }, card(null, "draw pile"))),
    pile(`Discards: ${table.discards.length}`, make("div", { class: "cards" },
      top ? card(top, top) : make("span", { class: "card empty" }, "empty"))),
    pile("Spike Dice", make("div", { class: "dice" }, ...roll)),
    pile("Pot", make("span", { class: "pot" }, number(table.pot))),
    table.rules.points ? "" : pile("Sabacc pot", make("span", { class: "pot" }, number(table.sabacc_pot))),
  ].filter(Boolean);
}

// Moves.

let table = null;
let send = () => {};
const play = (move) => send({ type: "move", turn: table.turn, move });

function moveButton(move, key) {
  const classes = move.kind === "junk" ? "junk" : ["stand", "check", "call", "keep"].includes(move.kind) ? "main" : "";
  return make("button", { type: "button", class: classes, "data-shortcut": key, onclick: () => play(move.move) },
    key ? make("kbd", { "aria-hidden": "true" }, key) : "", ` ${move.label}`);
}

function onGrid(move, total) {
  const step = move.step || 1;
  const down = move.low + Math.floor((total - move.low) / step) * step;
  return Math.max(move.low, Math.min(move.high, down));
}

function raiseForm(move) {
  const bets = table.seats.map((seat) => seat.bet);
  const highest = Math.max(...bets);
  const toCall = highest - bets[table.seat];
  const sizes = { least: move.low, "half the pot": onGrid(move, highest + (table.pot + toCall) / 2),
    "the pot": onGrid(move, highest + table.pot + toCall), most: move.high };
  const input = make("input", { type: "number", id: "amount", min: move.low, max: move.high, step: move.step || 1,
    value: move.low, "aria-label": `Your total bet, ${number(move.low)} to ${number(move.high)}` });
  const form = make("form", { id: "raise" }, input,
    make("button", { class: "main" }, highest ? "Raise" : "Bet"),
    ...Object.entries(sizes).map(([name, total]) => make("button", { type: "button",
      onclick: () => { input.value = total; input.focus(); } }, `${name}: ${number(total)}`)));
  form.addEventListener("submit", (event) => { event.preventDefault(); play(`raise ${input.value}`); });
  return make("fieldset", {}, make("legend", {}, highest ? "Raise to" : "Bet", " ", make("kbd", {}, "r")), form);
}

function actions() {
  const children = [];
  if (table.result && table.seat !== null) {
    children.push(make("p", { class: "buttons" }, table.match_over
      ? make("a", { href: "/" }, "The match is over. A new table")
      : make("button", { type: "button", class: "main", id: "next", onclick: () => send({ type: "deal", turn: table.turn }) },
        make("kbd", { "aria-hidden": "true" }, "n"), " Next hand"),
    make("button", { type: "button", id: "coach", onclick: () => send({ type: "coach", turn: table.turn }) },
      make("kbd", { "aria-hidden": "true" }, "c"), " Coach")));
  }
  const simple = table.moves.filter((move) => move.kind !== "raise");
  if (table.moves.length) {
    children.push(make("p", {}, table.you_may));
    children.push(make("div", { class: "buttons" },
      ...simple.map((move, place) => moveButton(move, place < 9 ? String(place + 1) : null)),
      make("button", { type: "button", id: "hints", onclick: () => send({ type: "hints", turn: table.turn }) },
        make("kbd", { "aria-hidden": "true" }, "h"), " Hints")));
    for (const move of table.moves) if (move.kind === "raise") children.push(raiseForm(move));
  }
  return children;
}

// How fast agents move. The server says it to all pages of the table.

const pace = {
  seconds: 1, paused: false,
  show() {
    ({ seconds: this.seconds, paused: this.paused } = table.pace);
    const agents = table.seats.some((seat) => !seat.person);
    const may = table.seat !== null || table.seats.every((seat) => !seat.person);
    $("pace").hidden = !agents || !may || table.match_over;
    $("pause-text").textContent = this.paused ? "Go on" : "Pause";
    const known = [...$("speed").options].some((option) => Number(option.value) === this.seconds);
    if (!known) $("speed").prepend(make("option", { value: this.seconds }, this.seconds ? `${this.seconds} s a move` : "at once"));
    $("speed").value = this.seconds;
  },
  toggle() { this.tell(this.seconds, !this.paused); },
  tell(seconds, paused) { send({ type: "pace", seconds, paused }); },
};

// The table.

function statusText() {
  if (table.result) return table.match_over ? `${table.result} The match is over.` : table.result;
  if (table.to_act === table.seat && table.seat !== null) return "It is your turn.";
  return table.to_act === null ? "" : `${table.seats[table.to_act].name} is to act.`;
}

// Cards in a sentence as on the table: "-4t" is "−4 ▲".
function withSigns(text) {
  return text.replace(/([+-]\d+)([tsc])\b/g, (_, value, suit) =>
    `${value.replace("-", "−")} ${SUITS[suit][0]}`).replace(/\b0[ab]\b/g, "Sylop");
}

function log() {
  let phase = "";
  const items = [];
  for (const entry of table.log) {
    if (entry.phase && entry.phase !== phase) {
      phase = entry.phase;
      items.push(make("li", { class: "phase" }, phase));
    }
    items.push(make("li", {}, withSigns(entry.text), entry.told && make("small", {}, entry.told)));
  }
  return items;
}

function show(message) {
  const changed = table === null || table.turn !== message.turn || table.seat !== message.seat;
  const acted = $("actions").contains(document.activeElement);
  const before = motion.places();
  table = message;
  $("table").hidden = false;
  document.title = `Sabacc, ${table.rules.title}`;
  $("position").textContent = `${table.rules.title} · hand ${table.hand} of ${table.hands} · ${table.now}`;
  const first = table.seat ?? 0;
  const order = table.seats.map((_, place) => (first + place) % table.seats.length);
  const others = table.seat === null ? order : order.slice(1);
  $("others").replaceChildren(...others.map((index) => seatPanel(table, index)));
  $("own").replaceChildren(...(table.seat === null ? [] : [seatPanel(table, table.seat)]));
  $("centre").replaceChildren(...centre(table));
  $("guide").replaceChildren(...table.guide.flatMap(prose));
  $("guide").hidden = !table.guide.length;
  if (changed) $("actions").replaceChildren(...actions());
  pace.show();
  $("status").textContent = statusText();
  $("log").replaceChildren(...log());
  $("log").scrollTop = $("log").scrollHeight;
  if (changed) $("advice").hidden = true;
  if (changed && acted) ($("actions").querySelector("button") ?? $("actions")).focus({ preventScroll: true });
  motion.from(before);
  const failures = Object.entries(table.failures);
  if (changed && failures.length) say(`${failures[0][0]} failed, and a default was played: ${failures[0][1]}`);
}

function advise(message) {
  const tables = message.tables.map(({ columns, rows }) => make("div", { class: "scroll", tabindex: "0" },
    make("table", {},
      make("thead", {}, make("tr", {}, ...columns.map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", {}, cell))))))));
  const close = make("button", { type: "button", onclick: () => {
    $("advice").hidden = true;
    ($("actions").querySelector("button") ?? $("actions")).focus({ preventScroll: true });
  } }, "Close");
  $("advice").replaceChildren(make("h2", {}, message.title),
    ...message.sentences.map((sentence) => make("p", {}, sentence)),
    make("div", { class: "tables" }, ...tables), close);
  $("advice").hidden = false;
  $("advice").scrollIntoView({ block: "nearest" });
}

// The connection.

function connect(name) {
  const stored = `seat ${name}`;
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  let wait = 250;
  const open = () => {
    const socket = new WebSocket(`${scheme}://${location.host}/table/${name}/socket`);
    const watch = new URLSearchParams(location.search).has("watch");
    let refusal = null;  // why this page did not join
    socket.addEventListener("open", () => {
      socket.send(JSON.stringify({ type: "join", seat_token: localStorage.getItem(stored), watch }));
    });
    socket.addEventListener("message", (event) => {
      const message = JSON.parse(event.data);
      if (message.type === "joined") {
        wait = 250;
        refusal = "";
        $("alert").textContent = "";
        if (message.seat_token) localStorage.setItem(stored, message.seat_token);
      }
      if (message.type === "table") show(message);
      if (message.type === "advice") advise(message);
      if (message.type === "refused") {
        refusal ??= message.sentence;
        say(message.sentence);
      }
    });
    socket.addEventListener("close", () => {
      clearTimeout(alertTimer);
      $("alert").textContent = `${refusal || "The connection is lost"}. Trying again.`;
      setTimeout(open, wait);
      wait = Math.min(wait * 2, 5000);
    });
    send = (message) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    };
  };
  open();
}

// A new table.

async function lobby(offers) {
  $("lobby").hidden = false;
  const options = (select, values, chosen) => select.replaceChildren(
    ...values.map(([value, text]) => make("option", { value, selected: value === chosen }, text)));
  const offer = () => offers.find((each) => each.name === $("rules").value);
  const people = () => {
    const agents = offer().agents[$("players").value];
    const before = [...$("who").querySelectorAll("select")].map((select) => select.value);
    $("who").replaceChildren(make("legend", {}, "Who sits there"));
    for (let seat = 0; seat < Number($("players").value); seat += 1) {
      const select = make("select", { name: "seat" });
      const known = ["person", ...agents].includes(before[seat]) ? before[seat] : null;
      options(select, [["person", "a person"], ...agents.map((agent) => [agent, agent])],
        known ?? (seat ? agents[0] : "person"));
      $("who").append(make("label", {}, `Seat ${seat + 1}`, select));
    }
  };
  const players = () => {
    const counts = Object.keys(offer().agents);
    const chosen = counts.includes($("players").value) ? $("players").value : counts[0];
    options($("players"), counts.map((count) => [count, count]), chosen);
    people();
  };
  options($("rules"), offers.map((each) => [each.name, each.title]), offers[0].name);
  players();
  $("rules").addEventListener("change", players);
  $("players").addEventListener("change", people);
  $("new-table").addEventListener("submit", (event) => {
    event.preventDefault();
    const seats = [...$("who").querySelectorAll("select")].map((select) => select.value);
    open({ rules: $("rules").value, hands: Number($("hands").value), seats,
      house_rules: $("house-rules").value });
  });
  $("first-hand").addEventListener("click", () =>
    open({ rules: "casino", hands: 20, seats: ["person", "heuristic"], guided: true }));
  const open = async (asked) => {
    const response = await fetch("/tables", { method: "POST", body: JSON.stringify(asked) });
    const answer = await response.json();
    if (response.ok) location.href = `/table/${answer.name}`;
    else say(answer.sentence);
  };
}

async function showRules() {
  const sections = await (await fetch(`${location.pathname}/rules`)).json();
  $("rules-text").replaceChildren(...sections.flatMap(([title, text]) =>
    [make("h3", {}, title), ...prose(text)]));
  $("rules-title").textContent = table.rules.title;
  $("rules-page").showModal();
}

// Keys.

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("input, select, textarea")) return;
  const names = { n: "next", h: "hints", c: "coach", p: "pause", m: "motion" };
  const target = event.key === "r" ? $("amount")
    : names[event.key] ? $(names[event.key])
    : document.querySelector(`#actions [data-shortcut="${CSS.escape(event.key)}"]`);
  if (!target) return;
  event.preventDefault();
  if (event.key === "r") target.select();
  else target.click();
});

async function start() {
  $("motion").setAttribute("aria-pressed", motion.on);
  $("motion").addEventListener("click", () => motion.toggle());
  $("show-keys").addEventListener("click", () => $("keys").showModal());
  $("show-rules").addEventListener("click", showRules);
  $("pause").addEventListener("click", () => pace.toggle());
  $("speed").addEventListener("change", () => pace.tell(Number($("speed").value), pace.paused));
  const name = location.pathname.split("/")[2];
  $("show-rules").hidden = !name;
  if (name) connect(name);
  else lobby(await (await fetch("/catalogue")).json());
}
start();
