"use strict";
// Everything below reads attributes and writes text: no markup is ever made from data.

function setUpTheme() {
  const button = document.getElementById("theme");
  const themes = ["auto", "light", "dark"];
  const show = (theme) => {
    document.documentElement.dataset.theme = theme;
    button.textContent = "Theme: " + theme;
  };
  let kept = null;
  try { kept = localStorage.getItem("seamark-theme"); } catch { /* storage may be forbidden */ }
  show(themes.includes(kept) ? kept : "auto");
  button.hidden = false;
  button.addEventListener("click", () => {
    const next = themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % 3];
    show(next);
    try { localStorage.setItem("seamark-theme", next); } catch { /* then it lasts for this visit */ }
  });
}

function setUpChart(chart) {
  const tip = chart.parentElement.querySelector(".tip");
  const cross = chart.querySelector(".cross");
  const groups = [...chart.querySelectorAll(".series")].map((group) => ({
    name: group.dataset.name,
    marks: [...group.querySelectorAll("[data-at]")],
  }));
  const marks = groups.flatMap((group) => group.marks.map((mark) => [group.name, mark]));
  const places = [...new Set(marks.map(([, mark]) => +mark.dataset.at))].sort((a, b) => a - b);
  const isMap = chart.dataset.map !== undefined;
  let place = -1;

  function hide() {
    tip.hidden = true;
    cross.classList.remove("on");
    chart.querySelectorAll(".near").forEach((mark) => mark.classList.remove("near"));
  }
  function show(near) {
    hide();
    if (!near.length) return;
    near.forEach(([, mark]) => mark.classList.add("near"));
    const named = groups.length > 1;
    const at = +near[0][1].dataset.at;
    const said = near.map(([name, mark]) => (named ? name + "  " : "") + (isMap ? mark.dataset.k : mark.dataset.v));
    tip.textContent = (isMap ? said : [chart.dataset.x + "  " + near[0][1].dataset.k, ...said]).join("\n");
    cross.setAttribute("x1", at);
    cross.setAttribute("x2", at);
    if (!isMap) cross.classList.add("on");
    tip.hidden = false;
    const width = chart.getBoundingClientRect().width;
    const x = (at / chart.viewBox.baseVal.width) * width;
    const left = x + 14 + tip.offsetWidth > width ? x - 14 - tip.offsetWidth : x + 14;
    tip.style.left = Math.max(0, left) + "px";
  }
  const showPlace = () => show(marks.filter(([, mark]) => +mark.dataset.at === places[place]));
  chart.addEventListener("pointermove", (event) => {
    const box = chart.getBoundingClientRect();
    const unit = chart.viewBox.baseVal.width / box.width;
    const x = (event.clientX - box.left) * unit, y = (event.clientY - box.top) * unit;
    place = 0;
    places.forEach((p, k) => { if (Math.abs(p - x) < Math.abs(places[place] - x)) place = k; });
    if (!isMap) return showPlace();
    const far = ([, mark]) => Math.hypot(mark.getAttribute("cx") - x, mark.getAttribute("cy") - y);
    show([marks.reduce((best, one) => (far(one) < far(best) ? one : best), marks[0])]);
  });
  chart.addEventListener("pointerleave", hide);
  chart.addEventListener("blur", hide);
  chart.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape") hide();
    if (!step) return;
    event.preventDefault();
    place = Math.min(places.length - 1, Math.max(0, place + step));
    showPlace();
  });
}

function setUpSearch(input) {
  const tools = input.closest(".tools");
  const count = tools.querySelector(".count");
  const cards = [...tools.parentElement.querySelectorAll(".cards > li")];
  const unsought = count.textContent;
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const card of cards) {
      card.hidden = !words.every((word) => card.dataset.text.includes(word));
      shown += !card.hidden;
    }
    count.textContent = words.length ? shown + " of " + cards.length + " shown" : unsought;
  });
}

function setUpPanel(panel) {
  const select = panel.querySelector("select");
  const articles = [...panel.querySelectorAll("article")];
  const show = () => articles.forEach((article, k) => { article.hidden = k !== select.selectedIndex; });
  select.addEventListener("change", show);
  panel.querySelectorAll(".step").forEach((button) => {
    button.addEventListener("click", () => {
      select.selectedIndex = (select.selectedIndex + Number(button.value) + articles.length) % articles.length;
      show();
    });
  });
  show();
}

setUpTheme();
document.querySelectorAll("svg.chart").forEach(setUpChart);
document.querySelectorAll("input[type=search]").forEach(setUpSearch);
document.querySelectorAll(".panel").forEach(setUpPanel);
