/** Formats a report as one page without scripts, with all of its styles, in the colours of the console. */
import { withoutControls } from '../../diagnostics/line-excerpt.ts';
import type { Group, Matrix, Notes, Report } from './report.ts';

/** First text of every such file, by which an older report is recognized. */
export const htmlBeginning = '<!doctype html>\n<html lang="en" data-from="field-sandbox">';

/** Even if a text became markup, nothing would be loaded or run. */
const policy = "default-src 'none'; style-src 'unsafe-inline'";

/** Formats the report. The same report always results in the same text. */
export function toHtml({ title, outcome, summary, scope, blocks, commands }: Report): string {
  return `${htmlBeginning}
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${toText(`${title}: ${summary}`)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${toText(title)}</h1>
<p class="result ${outcome}">${toText(summary)}</p>
<p class="quiet">${toText(scope)}</p>
${blocks.map(toBlock).join('\n')}
${commands.map(({ label, text }) => `<h2>${toText(label)}</h2>\n<pre>${toText(text)}</pre>`).join('\n')}
</main>
</body>
</html>
`;
}

/** Escapes everything that could be markup, also in attributes. */
function toText(text: string): string {
  return withoutControls(text).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function toBlock(block: Group | Matrix | Notes): string {
  if (block.kind === 'group') return toGroup(block);
  return block.kind === 'matrix' ? toMatrix(block) : toNotes(block);
}

function toGroup({ outcome, symbol, title, count, meaning, advice, rows }: Group): string {
  const head = `<i class="${outcome}">${toText(symbol)}</i> ${toText(title)} <b>${count.toLocaleString('en')}</b>`;
  const about = `<p class="quiet">${[meaning, ...advice].map(toText).join('<br>')}</p>`;
  const items = rows.map(
    ({ name, text, details, command }) => `<li>
<h3>${toText(name)}</h3>
<p>${[text, ...details].map(toText).join('<br>')}</p>${command === undefined ? '' : `\n<pre>${toText(command)}</pre>`}
</li>`,
  );
  return `<section>\n<h2>${head}</h2>\n${about}\n${items.length > 0 ? `<ul>\n${items.join('\n')}\n</ul>\n` : ''}</section>`;
}

function toMatrix({ title, columns, groups }: Matrix): string {
  const head = columns.map((name) => `<th scope="col"><span>${toText(name)}</span></th>`).join('');
  const bodies = groups.map((rows) => {
    const lines = rows.map(({ name, cells }) => {
      const shown = cells.map((cell) =>
        cell ? `<td class="${cell.outcome}" title="${toText(cell.title)}">${toText(cell.symbol)}</td>` : '<td></td>',
      );
      return `<tr><th scope="row">${toText(name)}</th>${shown.join('')}</tr>`;
    });
    return `<tbody>\n${lines.join('\n')}\n</tbody>`;
  });
  return `<section>
<h2>${toText(title)}</h2>
<div class="scroll">
<table>
<thead><tr><td></td>${head}</tr></thead>
${bodies.join('\n')}
</table>
</div>
</section>`;
}

function toNotes({ title, lines }: Notes): string {
  return `<section>\n<h2>${toText(title)}</h2>\n<p>${lines.map(toText).join('<br>')}</p>\n</section>`;
}

const style = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#ffffff, #121519);
  --raised: light-dark(#ffffff, #181c21);
  --sunken: light-dark(#f6f7f9, #0c0e11);
  --line: light-dark(#e5e8ed, #262c33);
  --text: light-dark(#18202b, #e4e8ed);
  --quiet: light-dark(#566171, #9aa5b3);
  --good: light-dark(#17683a, #6fd694);
  --neutral: light-dark(#7d4e00, #f0b957);
  --bad: light-dark(#b3261e, #ff9b90);
  --good-ground: light-dark(#e1f4e7, #14301f);
  --neutral-ground: light-dark(#fcf0d6, #352709);
  --bad-ground: light-dark(#fde8e6, #3b1815);
}
body { margin: 0; background: var(--ground); color: var(--text); font: 14px/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 24px 16px 48px; }
h1 { margin: 0 0 12px; font-size: 20px; }
h2 { margin: 28px 0 4px; font-size: 15px; }
h3 { margin: 0; font-size: 13px; overflow-wrap: anywhere; }
p { margin: 4px 0; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); }
.result { padding: 8px 12px; border-radius: 6px; font-weight: 600; }
.good { color: var(--good); background: var(--good-ground); }
.neutral { color: var(--neutral); background: var(--neutral-ground); }
.bad { color: var(--bad); background: var(--bad-ground); }
h2 i { display: inline-block; min-width: 1.5em; border-radius: 4px; font-style: normal; text-align: center; }
h2 b { margin-left: 4px; color: var(--quiet); font-weight: 500; }
ul { margin: 8px 0 0; padding: 0; list-style: none; }
li { margin: 0 0 8px; padding: 8px 12px; border: 1px solid var(--line); border-radius: 6px; background: var(--raised); break-inside: avoid; }
pre { margin: 6px 0 0; padding: 6px 8px; border-radius: 4px; background: var(--sunken); font: 12px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: separate; border-spacing: 2px; font-size: 13px; }
thead th { vertical-align: bottom; }
thead span { writing-mode: vertical-rl; transform: rotate(180deg); font-weight: 500; }
tbody th { padding-right: 12px; font-weight: 400; text-align: left; white-space: nowrap; }
tbody td { width: 24px; height: 22px; border-radius: 4px; text-align: center; }
tbody + tbody::before { content: ""; display: block; height: 8px; }
@media print {
  :root { color-scheme: light; }
  main { max-width: none; padding: 0; }
  .scroll { overflow: visible; }
  h2 { break-after: avoid; }
  .good, .neutral, .bad { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
