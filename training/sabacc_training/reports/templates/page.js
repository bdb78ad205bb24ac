// Charts. The style sheet colours what is not data, so nothing is drawn again in dark mode. On paper
// they are as wide as the sheet.

const PAPER_WIDTH = 660;
const { figures, config } = read("charts");
const plots = Object.entries(figures).map(([name, figure]) => {
  const plot = document.getElementById(`chart-${name}`);
  Plotly.newPlot(plot, figure.data, figure.layout, config);
  return plot;
});

// Paper: everything that is folded is printed, too.

let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  for (const element of folded) element.open = true;
  for (const plot of plots) Plotly.relayout(plot, { width: PAPER_WIDTH });
});
addEventListener("afterprint", () => {
  for (const element of folded) element.open = false;
  for (const plot of plots) Plotly.relayout(plot, { width: null, autosize: true });
});
