// Brings the charts alive. Runs inside the bundle of `vl_convert`, which provides `vegaEmbed`.
// A chart that cannot be redrawn keeps the drawing it came with.

const tooltip = document.getElementById("tooltip");

function show(_, event, __, value) {
  if (value === null || value === undefined || typeof value !== "object") {
    tooltip.hidden = true;
    return;
  }
  const list = document.createElement("dl");
  for (const [name, text] of Object.entries(value)) {
    const term = document.createElement("dt");
    const detail = document.createElement("dd");
    term.textContent = name;
    detail.textContent = text;
    list.append(term, detail);
  }
  tooltip.replaceChildren(list);
  tooltip.hidden = false;
  const room = document.documentElement.clientWidth - tooltip.offsetWidth - 8;
  const above = event.clientY - tooltip.offsetHeight - 14;
  tooltip.style.left = `${Math.max(8, Math.min(event.clientX + 14, room))}px`;
  tooltip.style.top = `${above > 8 ? above : event.clientY + 18}px`;
}

// All specifications at once, unpacked when the first chart comes near.
let unpacked = null;

async function unpack(id) {
  const packed = atob(document.getElementById(id).textContent);
  const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

async function hydrate(chart) {
  unpacked ??= unpack("specifications");
  const stage = document.createElement("div");
  await vegaEmbed(stage, (await unpacked)[chart.dataset.specification], {
    mode: "vega",
    renderer: "svg",
    actions: false,
    defaultStyle: false,
    tooltip: show,
  });
  // The chart's holder has the role and the name already.
  for (const element of stage.querySelectorAll("[role], [aria-label], [aria-roledescription]")) {
    element.removeAttribute("role");
    element.removeAttribute("aria-label");
    element.removeAttribute("aria-roledescription");
  }
  chart.replaceChildren(stage);
  chart.dataset.alive = "";
  performance.mark("alive");
}

// Charts come alive as the reader nears them, so that a long page costs nothing to open.
const near = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting) {
        near.unobserve(target);
        hydrate(target);
      }
    }
  },
  { rootMargin: "50% 0px" },
);
for (const chart of document.querySelectorAll(".chart")) {
  near.observe(chart);
}

// Tables as CSV and charts as SVG, made from what the page shows.
function save(name, kind, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: kind }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

function offer(after, label, title, take) {
  const line = document.createElement("p");
  const button = document.createElement("button");
  line.className = "take";
  button.type = "button";
  button.textContent = label;
  button.setAttribute("aria-label", title);
  button.addEventListener("click", take);
  line.append(button);
  after.after(line);
}

function fileName(text, ending) {
  const plain = text.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60);
  return `${plain.replace(/^-|-$/g, "")}.${ending}`;
}

function csv(table) {
  const quote = (cell) => `"${cell.textContent.replaceAll('"', '""')}"`;
  const rows = [...table.rows].map((row) => [...row.cells].map(quote).join(","));
  return `${rows.join("\r\n")}\r\n`;
}

for (const holder of document.querySelectorAll("[data-table]")) {
  const name = holder.dataset.table;
  const take = () => save(fileName(name, "csv"), "text/csv", csv(holder.querySelector("table")));
  offer(holder, "CSV", `${name}, as CSV`, take);
}

for (const chart of document.querySelectorAll(".chart")) {
  const name = chart.getAttribute("aria-label");
  const take = () => {
    const svg = chart.querySelector("svg").cloneNode(true);
    svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    save(fileName(name, "svg"), "image/svg+xml", new XMLSerializer().serializeToString(svg));
  };
  offer(chart, "SVG", `${name}, as SVG`, take);
}

// Stories: picked by typing an id, by the buttons, or by a link to #story-ID.
const told = document.getElementById("story-told");

if (told !== null && document.getElementById("stories") !== null) {
  const field = document.getElementById("story-id");
  const missing = document.getElementById("story-missing");
  const ids = [...document.querySelectorAll("#story-ids option")].map((one) => one.value);
  let stories = null;

  async function tell(id) {
    stories ??= unpack("stories");
    const story = (await stories)[id];
    missing.textContent = story === undefined ? `There is no story of ${id} here.` : "";
    if (story !== undefined) {
      told.innerHTML = story;
      field.value = id;
      told.dataset.story = id;
    }
  }

  function step(by) {
    const at = ids.indexOf(told.dataset.story ?? field.defaultValue);
    tell(ids[(at + by + ids.length) % ids.length]);
  }

  function follow() {
    const id = decodeURIComponent(location.hash).replace(/^#story-/, "");
    if (location.hash.startsWith("#story-") && ids.includes(id)) {
      tell(id);
      document.getElementById("story").scrollIntoView();
    }
  }

  field.closest("p").hidden = false;
  field.addEventListener("change", () => tell(field.value.trim()));
  document.getElementById("story-before").addEventListener("click", () => step(-1));
  document.getElementById("story-after").addEventListener("click", () => step(1));
  addEventListener("hashchange", follow);
  follow();
}
