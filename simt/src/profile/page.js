"use strict";
window.addEventListener("error", e => { document.documentElement.dataset.error = e.message; });
const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
/** An element with properties and children; texts are never read as HTML. */
function element(tag, properties = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(properties)) {
    if (k === "style" || k === "title" || k.startsWith("aria-")) e.setAttribute(k, v); else e[k] = v;
  }
  e.append(...children.filter(c => c !== null && c !== undefined));
  return e;
}
function svg(tag, attributes, ...children) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}
/** Figures by name. */
const named = array => Object.fromEntries(data.fields.map((name, k) => [name, array[k]]));
const ratio = (a, b) => b ? a / b : NaN;
const short = n => {
  if (!isFinite(n)) return "–";
  for (const [unit, size] of [["G", 1e9], ["M", 1e6], ["k", 1e3]]) {
    if (Math.abs(n) >= size) return (n / size).toPrecision(3) + " " + unit;
  }
  return Number.isInteger(n) ? String(n) : n.toPrecision(3);
};
const bytes = n => {
  if (!isFinite(n)) return "–";
  for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 1024]]) {
    if (n >= size) return (n / size).toPrecision(3) + " " + unit;
  }
  return n + " B";
};
const percent = x => isFinite(x) ? (100 * x).toFixed(x < 0.0995 ? 1 : 0) + " %" : "–";
const time = ms => ms >= 1000 ? (ms / 1000).toPrecision(3) + " s" : ms >= 1 ? ms.toPrecision(3) + " ms" : (ms * 1000).toFixed(0) + " µs";
const decimal = x => isFinite(x) ? x.toFixed(1) : "–";
/** How bad a share is, 1 being best. */
const grade = x => !isFinite(x) ? "" : x >= 0.8 ? "good" : x >= 0.4 ? "fair" : "bad";
const way = x => !isFinite(x) ? "–" : x < 1.005 ? "none" : x.toFixed(1) + "-way";
const color = k => `hsl(${(k * 137.5 + 215) % 360} 62% 55%)`;

for (const kernel of data.kernels) {
  const f = kernel.f = named(kernel.total);
  kernel.active = ratio(f.threads, f.executions);
  kernel.split = ratio(f.splits, f.branches);
  kernel.coalescing = ratio(f.ideal, f.sectors);
  kernel.conflict = ratio(f.passes, f.ideal_passes);
  kernel.waiting = f.arrivals ? ratio(f.wait, f.wait + f.executions) : NaN;
}
const sum = name => data.kernels.reduce((total, k) => total + k.f[name], 0);

/** A table whose columns sort. A column: name, value(row), text(row), left?, grade(row)?, title? */
function table(target, columns, rows, options = {}) {
  let by = options.by ?? null, down = true;
  const body = element("tbody"), head = element("tr");
  const show = () => {
    const all = rows.slice();
    if (by !== null) {
      const value = columns[by].value;
      all.sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        const order = typeof x === "string" ? x.localeCompare(y) : (isFinite(x) ? x : -1) - (isFinite(y) ? y : -1);
        return down ? -order : order;
      });
    }
    [...head.children].forEach((th, k) => {
      if (k === by) th.setAttribute("aria-sort", down ? "descending" : "ascending"); else th.removeAttribute("aria-sort");
    });
    body.replaceChildren(...all.map(row => {
      const tr = element("tr", {}, ...columns.map(c => {
        const content = c.text(row);
        const td = element("td", { className: (c.left ? "left " : "") + (c.grade ? grade(c.grade(row)) : "") }, ...[content].flat());
        if (c.hint) td.title = c.hint(row);
        return td;
      }));
      if (options.choose) {
        tr.onclick = () => { options.choose(row); mark(); };
        tr.row = row;
      }
      return tr;
    }));
    mark();
  };
  const mark = () => {
    if (options.chosen) [...body.children].forEach(tr => tr.classList.toggle("chosen", tr.row === options.chosen()));
  };
  head.append(...columns.map((c, k) => {
    const th = element("th", { className: "sorts" + (c.left ? " left" : ""), title: c.title ?? "" }, c.name);
    th.onclick = () => { if (by === k) down = !down; else { by = k; down = !c.left; } show(); };
    return th;
  }));
  target.replaceChildren(element("thead", {}, head), body);
  show();
}

function cards() {
  const card = (value, name, quality = "") => element("div", { className: "card" }, element("b", { className: quality }, value), element("span", {}, name));
  const active = ratio(sum("threads"), sum("executions"));
  const coalescing = ratio(sum("ideal"), sum("sectors"));
  const conflict = ratio(sum("passes"), sum("ideal_passes"));
  const wait = sum("arrivals") ? ratio(sum("wait"), sum("wait") + sum("executions")) : NaN;
  $("cards").append(
    card(String(data.launch_count), data.kernels.length === 1 ? "launches of 1 kernel" : `launches of ${data.kernels.length} kernels`),
    card(short(sum("threads")), "thread instructions"),
    card(decimal(active), "active lanes of 32", grade(active / 32)),
    card(percent(coalescing), "coalescing of global memory", grade(coalescing)),
    card(way(conflict), "bank conflicts", grade(1 / conflict)),
    card(percent(wait), "waiting at barriers", grade(1 - wait)),
    card(bytes(data.peak), "device memory at most"));
}

function timeline() {
  const width = 1340, left = 190, right = 12, row = 24, most = 16, memory = 64;
  const order = data.kernels.map((_, k) => k).sort((a, b) => data.kernels[b].time - data.kernels[a].time);
  const rows = new Map();
  order.forEach((k, n) => rows.set(k, Math.min(n, most - 1)));
  const count = Math.min(order.length, most);
  const first = data.launches.length ? data.launches[0][1] : 0;
  const last = Math.max(first + 0.001, ...data.launches.slice(-1).map(l => l[1] + l[2]));
  const pad = (last - first) * 0.01;
  const [from, to] = [Math.max(0, first - pad), last + pad];
  const x = ms => left + (width - left - right) * (Math.min(Math.max(ms, from), to) - from) / (to - from);
  const height = 22 + count * row + 14 + memory + 6;
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
  // Ticks at round times.
  const step = 10 ** Math.floor(Math.log10((to - from) / 4));
  const width_of_step = [1, 2, 5, 10].map(n => n * step).find(s => (to - from) / s <= 10);
  for (let t = Math.ceil(from / width_of_step) * width_of_step; t <= to; t += width_of_step) {
    root.append(svg("line", { x1: x(t), x2: x(t), y1: 18, y2: height, class: "grid" }),
      svg("text", { x: x(t) + 3, y: 12 }, time(t)));
  }
  for (let n = 0; n < count; n++) {
    const rest = n === most - 1 && order.length > most;
    const title = rest ? `${order.length - most + 1} more kernels` : data.kernels[order[n]].title;
    const fits = title.length > 28 ? title.slice(0, 27) + "…" : title;
    root.append(svg("text", { x: 0, y: 22 + n * row + 15, class: "name" }, fits, svg("title", {}, title)));
  }
  // Launches that fall on one pixel become one bar.
  const open = new Map();
  const close = bar => {
    const k = data.kernels[bar.kernel];
    const what = bar.count > 1 ? `${bar.count} launches, ${time(bar.time)} in all` : `launch ${bar.number}: ${time(bar.time)}`;
    root.append(svg("rect", {
      x: bar.x.toFixed(2), y: 22 + rows.get(bar.kernel) * row + 3, width: Math.max(1.4, bar.end - bar.x).toFixed(2), height: row - 7,
      rx: 2, fill: color(bar.kernel), class: "bar" }, svg("title", {}, `${k.title}\n${what}\nfrom ${time(bar.start)}`)));
  };
  data.launches.forEach((l, number) => {
    const [kernel, start, ms] = l, at = x(start), end = x(start + ms), key = rows.get(kernel) * 100000 + kernel;
    const bar = open.get(key);
    if (bar && at < bar.end + 0.6 && at < bar.x + 1.4) {
      bar.end = Math.max(bar.end, end); bar.count++; bar.time += ms;
      return;
    }
    if (bar) close(bar);
    open.set(key, { kernel, x: at, end, start, time: ms, count: 1, number: number + 1 });
  });
  open.forEach(close);
  // Memory in use, in steps.
  const base = height - 4, peak = Math.max(1, data.peak), y = b => base - memory * b / peak;
  let path = `M ${x(from)} ${base}`, level = 0;
  for (const [at, used] of data.samples) {
    if (at < from) { level = used; continue; }
    if (at > to) break;
    if (path.endsWith(` ${base}`) && path.split(" ").length === 3) path += ` L ${x(from)} ${y(level).toFixed(1)}`;
    path += ` H ${x(at).toFixed(2)} V ${y(used).toFixed(1)}`;
    level = used;
  }
  if (path.split(" ").length === 3) path += ` V ${y(level).toFixed(1)}`;
  path += ` H ${x(to)} V ${base} Z`;
  root.append(svg("path", { d: path, class: "area" }),
    svg("text", { x: 0, y: base - memory + 12, class: "name" }, "memory"),
    svg("text", { x: 0, y: base - memory + 27 }, `at most ${bytes(data.peak)}`));
  $("timeline").append(root);
}

const place = l => l.join(" × ").replace(/( × 1)+$/, "");
let chosen = null;

function kernels() {
  table($("kernels"), [
    { name: "Kernel", left: true, value: k => k.title, hint: k => k.name, text: k => [element("i", { className: "dot", style: `background:${color(data.kernels.indexOf(k))}` }), k.title] },
    { name: "Launches", value: k => k.launches, text: k => String(k.launches) },
    { name: "Blocks", value: k => k.ctas, text: k => short(k.ctas) },
    { name: "Time", title: "of the interpreter", value: k => k.time, text: k => time(k.time) },
    { name: "Warp instr.", value: k => k.f.executions, text: k => short(k.f.executions) },
    { name: "Thread instr.", value: k => k.f.threads, text: k => short(k.f.threads) },
    { name: "Active lanes", value: k => k.active, text: k => decimal(k.active), grade: k => k.active / 32 },
    { name: "Split branches", value: k => k.split, text: k => percent(k.split), grade: k => 1 - k.split },
    { name: "Global traffic", value: k => k.f.global_bytes, text: k => k.f.global ? bytes(k.f.global_bytes) : "–" },
    { name: "Sectors/request", title: "and ideal", value: k => ratio(k.f.sectors, k.f.global), text: k => k.f.global ? `${decimal(k.f.sectors / k.f.global)} (${decimal(k.f.ideal / k.f.global)})` : "–" },
    { name: "Coalescing", value: k => k.coalescing, text: k => percent(k.coalescing), grade: k => k.coalescing },
    { name: "Bank conflicts", value: k => k.conflict, text: k => way(k.conflict), grade: k => 1 / k.conflict },
    { name: "Barrier wait", value: k => k.waiting, text: k => percent(k.waiting), grade: k => 1 - k.waiting },
  ], data.kernels, { by: 4, choose, chosen: () => chosen });
}

const CLASSES = { integer: "integer", float: "float (16, 32 bits)", double: "double", move: "move, convert", compare: "compare, predicate", load: "load", store: "store", atomic: "atomic", control: "branch, call", barrier: "barrier, fence", warp: "shuffle, vote" };

/** Horizontal bars: [name, share, text, hint]. */
function bars(target, all) {
  const most = Math.max(...all.map(b => b[1]), 1e-9);
  target.replaceChildren(element("div", { className: "bars" }, ...all.flatMap(([name, share, text, hint]) => [
    element("span", {}, name),
    element("span", { className: "track", title: hint ?? "" }, element("i", { style: `width:${(100 * share / most).toFixed(2)}%` })),
    element("span", { className: "number" }, text)])));
}

function choose(kernel) {
  chosen = kernel;
  const f = kernel.f;
  $("kernel-title").textContent = kernel.title;
  $("kernel-name").textContent = `${kernel.name} · ${kernel.launches} launch${kernel.launches === 1 ? "" : "es"} · ${short(f.executions)} warp instructions`;
  bars($("mix"), kernel.mix.slice().sort((a, b) => b[1] - a[1]).map(([name, executions, threads]) =>
    [CLASSES[name] ?? name, executions / f.executions, percent(executions / f.executions), `${short(executions)} warp instructions, ${short(threads)} thread instructions`]));
  const steps = [[32, 32], [24, 31], [16, 23], [8, 15], [2, 7], [1, 1], [0, 0]].map(([a, b]) => {
    let n = 0;
    for (let k = a; k <= b; k++) n += kernel.lanes[k];
    return [a === b ? (a === 0 ? "none (guard)" : a === 32 ? "all 32" : String(a)) : `${a} to ${b}`, n / f.executions, percent(n / f.executions), `${short(n)} warp instructions`];
  });
  bars($("lanes"), steps);
  const row = (name, requests, traffic, needed, ideal, quality, verdict) => ({ name, requests, traffic, needed, ideal, quality, verdict });
  const spaces = [
    row("global", f.global, f.global_bytes, `${short(f.sectors)} sectors`, short(f.ideal), kernel.coalescing, percent(kernel.coalescing)),
    row("shared", f.shared, f.shared_bytes, `${short(f.passes)} passes`, short(f.ideal_passes), 1 / kernel.conflict, way(kernel.conflict)),
    row("local", f.local, f.local_bytes, "–", "–", NaN, "–"),
  ];
  table($("memory"), [
    { name: "Space", left: true, value: r => r.name, text: r => r.name },
    { name: "Requests", value: r => r.requests, text: r => short(r.requests) },
    { name: "Traffic", value: r => r.traffic, text: r => bytes(r.traffic) },
    { name: "Needed", value: r => r.requests, text: r => r.requests ? r.needed : "–" },
    { name: "Ideal", value: r => r.requests, text: r => r.requests ? r.ideal : "–" },
    { name: "Coalescing, conflicts", value: r => r.quality, text: r => r.requests ? r.verdict : "–", grade: r => r.quality },
  ], spaces);
  if (kernel.barriers.length) {
    table($("barriers"), [
      { name: "Where", left: true, value: b => b[0][0], hint: b => `PTX line ${b[0][1]}`, text: b => where(b[0]) },
      { name: "Arrivals", value: b => b[1], text: b => short(b[1]) },
      { name: "Wait", value: b => b[2], text: b => short(b[2]) },
      { name: "Each", value: b => b[2] / b[1], text: b => short(Math.round(b[2] / b[1])) },
    ], kernel.barriers, { by: 2 });
  } else {
    $("barriers").replaceChildren(element("tbody", {}, element("tr", {}, element("td", { className: "left" }, "The kernel has come to none."))));
  }
  source(kernel);
}

const base = path => path.split("/").pop();
function where([name, ptx, text, line]) {
  const t = data.texts[text];
  return t.name.startsWith(name + ":") ? `${name}, PTX line ${ptx}` : `${base(t.name)}:${line}`;
}

function source(kernel) {
  const by_text = new Map();
  for (const [text, line, figures] of kernel.rows) {
    if (!by_text.has(text)) by_text.set(text, new Map());
    by_text.get(text).set(line, named(figures));
  }
  const total = kernel.f.executions;
  const weight = lines => [...lines.values()].reduce((n, f) => n + f.executions, 0);
  const most = Math.max(...kernel.rows.map(r => named(r[2]).executions), 1);
  const files = [...by_text].sort((a, b) => weight(b[1]) - weight(a[1]));
  $("source").replaceChildren(...files.map(([text, lines]) => {
    const { name, found, lines: known } = data.texts[text];
    const texts = new Map(known);
    const near = n => { for (let d = -4; d <= 4; d++) if (lines.has(n + d)) return true; return false; };
    const numbers = found ? [...texts.keys()].filter(near) : [];
    for (const n of lines.keys()) if (!texts.has(n)) numbers.push(n);
    numbers.sort((a, b) => a - b);
    const head = ["", "Line", "Source", "Warp instr.", "Lanes", "Split", "Sectors/req.", "Banks", "Wait"];
    const body = element("tbody");
    let before = null;
    for (const n of numbers) {
      if (before !== null && n > before + 1) body.append(element("tr", { className: "gap" }, element("td", { colSpan: head.length }, `⋯ ${n - before - 1} lines`)));
      before = n;
      const f = lines.get(n), code = texts.get(n) ?? (n === 0 ? "(no line)" : "");
      const cell = (text, quality = NaN, hint = "") => element("td", { className: grade(quality), title: hint }, text);
      if (!f) {
        body.append(element("tr", {}, element("td", { className: "share" }), element("td", { className: "line" }, String(n)),
          element("td", { className: "code" }, code), ...Array.from({ length: 6 }, () => element("td"))));
        continue;
      }
      const share = f.executions / total, heat = Math.sqrt(f.executions / most);
      const lanes = f.threads / f.executions, coalescing = ratio(f.ideal, f.sectors), conflict = ratio(f.passes, f.ideal_passes);
      body.append(element("tr", { className: "hot", style: `background:rgba(var(--heat),${(heat * 0.28).toFixed(3)})` },
        element("td", { className: "share", title: `${percent(share)} of the kernel's warp instructions` }, element("i", { style: `width:${(100 * f.executions / most).toFixed(1)}%` })),
        element("td", { className: "line" }, String(n)),
        element("td", { className: "code" }, code),
        cell(short(f.executions), NaN, `${short(f.threads)} thread instructions`),
        cell(decimal(lanes), lanes / 32),
        cell(f.branches ? percent(f.splits / f.branches) : "", f.branches ? 1 - f.splits / f.branches : NaN, `${short(f.splits)} of ${short(f.branches)} branches`),
        cell(f.global ? `${decimal(f.sectors / f.global)} (${decimal(f.ideal / f.global)})` : "", f.global ? coalescing : NaN, `${short(f.global)} requests, ${bytes(f.global_bytes)}`),
        cell(f.shared ? way(conflict) : "", f.shared ? 1 / conflict : NaN, `${short(f.shared)} requests, ${bytes(f.shared_bytes)}`),
        cell(f.arrivals ? short(f.wait) : "", NaN, `${short(f.arrivals)} arrivals`)));
    }
    return element("div", { className: "file" },
      element("h4", {}, found ? name : `${name} (not found; compile and run in the same place to see it)`),
      element("table", {}, element("thead", {}, element("tr", {}, ...head.map((h, k) => element("th", { className: k === 2 ? "left" : "" }, h)))), body));
  }));
}

function launches() {
  const most = 2000, all = data.launches.slice(0, most).map((l, k) => ({ number: k + 1, l }));
  const note = [];
  if (data.launch_count > data.launches.length) note.push(`The first ${data.launches.length} of ${data.launch_count} launches are kept.`);
  if (data.launches.length > most) note.push(`The table shows ${most}.`);
  $("launch-note").textContent = note.join(" ");
  table($("launches"), [
    { name: "#", value: r => r.number, text: r => String(r.number) },
    { name: "Kernel", left: true, value: r => data.kernels[r.l[0]].title, text: r => [element("i", { className: "dot", style: `background:${color(r.l[0])}` }), data.kernels[r.l[0]].title, r.l[8] ? element("span", { className: "failed" }, " failed") : null].filter(x => x) },
    { name: "Start", value: r => r.l[1], text: r => time(r.l[1]) },
    { name: "Time", value: r => r.l[2], text: r => time(r.l[2]) },
    { name: "Grid", value: r => r.l[3].reduce((a, b) => a * b), text: r => place(r.l[3]) },
    { name: "Block", value: r => r.l[4].reduce((a, b) => a * b), text: r => place(r.l[4]) },
    { name: "Shared memory", value: r => r.l[5], text: r => bytes(r.l[5]) },
    { name: "Warp instr.", value: r => r.l[6], text: r => short(r.l[6]) },
    { name: "Thread instr.", value: r => r.l[7], text: r => short(r.l[7]) },
    { name: "Active lanes", value: r => ratio(r.l[7], r.l[6]), text: r => decimal(ratio(r.l[7], r.l[6])), grade: r => ratio(r.l[7], r.l[6]) / 32 },
  ], all);
}

$("theme").onclick = () => {
  const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
};
$("command").textContent = data.command;
cards();
if (data.kernels.length) {
  timeline();
  kernels();
  choose(data.kernels.reduce((a, b) => b.f.executions > a.f.executions ? b : a));
  kernels();
} else {
  $("kernel").remove();
  $("timeline").textContent = "The program has launched no kernel.";
}
launches();
document.documentElement.dataset.ready = "yes";
