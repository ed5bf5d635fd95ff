//===-- HtmlPage.cpp - The frame of the HTML report ----------------------------------===//
#include "analyzer/report/HtmlPage.h"
#include "analyzer/report/HtmlText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/SHA256.h"
#include <string>

using llvm::StringRef;

// Neither holds '<' or '&', so that the page is XML as it stands. Colours: Okabe and Ito's, which stay apart
// for the colour-blind; blue and orange differ in brightness too, for prints.
static constexpr StringRef Style = R"css(
:root { color-scheme: light dark; --ink: #1b1f24; --faint: #59636e; --paper: #fff; --panel: #f5f7f9; --rule: #d0d7de;
  --use: #0072b2; --on-use: #fff; --waste: #e69f00; --on-waste: #000; --several: #009e73; --link: #0b57a0;
  --mark: #ffe9a8; --bad: #a83200; --good: #05603a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --faint: #9aa5b1; --paper: #0f1318; --panel: #191f26; --rule: #39424c;
    --use: #56b4e9; --on-use: #000; --waste: #e69f00; --on-waste: #000; --several: #2fc79a; --link: #7cc0ff;
    --mark: #5c4a12; --bad: #ff9b70; --good: #5fd3a0; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 76rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--rule); padding-bottom: .2rem; }
h3 { font-size: 1rem; margin: 1rem 0 .3rem; }
h4 { font-size: 1rem; margin: .8rem 0 .2rem; }
h5 { font-size: .9rem; margin: .8rem 0 .2rem; }
p, ul { margin: .3rem 0; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, button:focus-visible, .scroll:focus-visible { outline: 3px solid var(--waste); outline-offset: 1px; }
code, pre, .code { font: 13px/1.45 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre { background: var(--panel); border: 1px solid var(--rule); border-radius: 4px; padding: .4rem .6rem; margin: .5rem 0;
  overflow-x: auto; tab-size: 4; }
.code { overflow-wrap: anywhere; }
.faint { color: var(--faint); }
.line { color: var(--faint); user-select: none; -webkit-user-select: none; }
mark { background: var(--mark); color: inherit; border-bottom: 2px solid var(--waste); }
del { color: var(--bad); text-decoration: none; }
ins { color: var(--good); text-decoration: none; }
nav { margin: .6rem 0; }
nav a { margin-right: 1rem; white-space: nowrap; }
.tiles { display: flex; flex-wrap: wrap; gap: .6rem; margin: .8rem 0; padding: 0; list-style: none; }
.tiles li { background: var(--panel); border: 1px solid var(--rule); border-radius: 6px; padding: .4rem .8rem; }
.tiles b { display: block; font-size: 1.3rem; line-height: 1.3; }
.problem { border-left: 4px solid var(--bad); padding-left: .6rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .25rem .5rem; border-bottom: 1px solid var(--rule); vertical-align: top; }
th { background: var(--panel); position: sticky; top: 0; white-space: nowrap; }
th.r, td.r { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.code { min-width: 12rem; }
th button { all: unset; cursor: pointer; font-weight: bold; }
th button:hover { text-decoration: underline; }
th[aria-sort=ascending] button::after { content: " \25B2"; }
th[aria-sort=descending] button::after { content: " \25BC"; }
details { border: 1px solid var(--rule); border-radius: 6px; margin: .4rem 0; padding: .3rem .7rem; }
summary { cursor: pointer; }
.badge { display: inline-block; min-width: 4.6em; text-align: center; border: 1px solid currentColor; border-radius: 4px; font-size: .8rem;
  padding: 0 .4em; margin-right: .4em; font-weight: bold; }
.high, .error { background: var(--waste); color: var(--on-waste); }
.place { color: var(--faint); overflow-wrap: anywhere; }
.target { scroll-margin-top: 4rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .8rem; margin: .5rem 0; }
dt { color: var(--faint); }
dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: .6rem 0; max-width: 52rem; }
figcaption { font-size: .85rem; color: var(--faint); }
svg { display: block; width: 100%; height: auto; }
svg.bar { display: inline-block; width: 48px; height: 8px; margin-right: .4em; }
svg text { font: 10px system-ui, Arial, sans-serif; fill: var(--ink); text-anchor: middle; }
svg .l { text-anchor: end; fill: var(--faint); }
svg .c { fill: var(--faint); }
svg .p { text-anchor: start; fill: var(--faint); }
svg .b { font-weight: bold; fill: var(--ink); }
svg .n { fill: var(--on-use); }
svg .d { fill: var(--on-waste); }
.o { fill: none; stroke: var(--rule); }
.lines .o { stroke: var(--faint); }
.u { fill: var(--use); }
.w { fill: var(--waste); }
.s { fill: var(--several); }
.m { stroke: var(--ink); }
.roof { fill: none; stroke: var(--ink); stroke-width: 2; }
.key { display: inline-block; width: .9em; height: .9em; border: 1px solid var(--faint); vertical-align: -.1em; margin: 0 .25em 0 .6em; }
.key.ku { background: var(--use); } .key.kw { background: var(--waste); } .key.ks { background: var(--several); }
svg.bar, .key, mark, .badge, svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
@media (max-width: 40rem) { body { padding: .5rem; } dl { grid-template-columns: 1fr; } dd { margin-bottom: .3rem; } }
@media print {
  body { max-width: none; font-size: 11px; }
  nav, th button::after { display: none; }
  th { position: static; }
  details::details-content { content-visibility: visible; display: block; }
  details, tr, figure { break-inside: avoid; }
}
)css";

// Sorts tables by the column whose heading is pressed: numbers by size, what is not known last. Opens what a
// link leads into. The page is complete without it.
static constexpr StringRef Script = R"js(
'use strict';
function valueOf(row, column) {
  const cell = row.cells[column];
  return cell.dataset.v === undefined ? cell.textContent.trim() : cell.dataset.v;
}
function compare(a, b) {
  const x = parseFloat(a), y = parseFloat(b);
  if (isNaN(x) || isNaN(y)) return isNaN(x) === isNaN(y) ? a.localeCompare(b) : isNaN(x) ? -1 : 1;
  return x - y;
}
function sort(head) {
  const table = head.closest('table'), body = table.tBodies[0], column = head.cellIndex;
  const down = head.getAttribute('aria-sort') !== 'descending';
  table.querySelectorAll('th').forEach(other => other.removeAttribute('aria-sort'));
  head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const rows = Array.from(body.rows);
  rows.sort((a, b) => (down ? -1 : 1) * compare(valueOf(a, column), valueOf(b, column)));
  rows.forEach(row => body.appendChild(row));
}
document.querySelectorAll('table.sortable th').forEach(head => {
  const button = document.createElement('button');
  button.textContent = head.textContent;
  button.addEventListener('click', () => sort(head));
  head.replaceChildren(button);
});
function reveal() {
  const target = document.getElementById(location.hash.slice(1));
  const around = target === null ? null : target.closest('details');
  if (around !== null) { around.open = true; target.scrollIntoView(); }
}
window.addEventListener('hashchange', reveal);
reveal();
)js";

static std::string hashOf(StringRef Text) {
  return "'sha256-" + llvm::encodeBase64(llvm::SHA256::hash(llvm::arrayRefFromStringRef(Text))) + "'";
}

void warplint::report::writePageStart(llvm::raw_ostream &OS, StringRef Title) {
  OS << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
        "form-action 'none'; "
        "style-src "
     << hashOf(Style) << "; script-src " << hashOf(Script)
     << "\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<meta name=\"referrer\" content=\"no-referrer\"/>\n<title>"
     << htmlWords(Title) << "</title>\n<style>" << Style << "</style>\n</head>\n<body>\n";
}

void warplint::report::writePageEnd(llvm::raw_ostream &OS) {
  OS << "<script>" << Script << "</script>\n</body>\n</html>\n";
}
