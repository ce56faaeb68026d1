/** The help for the keyboard. */
import { html, type TemplateResult } from 'lit';
import { screens } from '../screens.ts';
import { showDialog } from './dialog.ts';
import './palette.css';

type Row = readonly [keys: readonly string[], action: string];

const modifier = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl';

const everywhere: readonly Row[] = [
  [[modifier, 'K'], 'Search or run a command'],
  [['/'], 'Search or filter the screen'],
  [['?'], 'Show this help'],
  [['Esc'], 'Close what is open'],
];

const inLists: readonly Row[] = [
  [['j'], 'Next row'],
  [['k'], 'Previous row'],
  [['Enter'], 'Open the row'],
];

export function showKeyboardHelp(): void {
  const rows = Object.values(screens).flatMap(({ title, letter }): readonly Row[] =>
    letter === undefined ? [] : [[['g', letter], title]],
  );
  showDialog(
    'help',
    'Keyboard help',
    (close) => html`
      <div class="column">
        <div class="row"><h2>Keyboard</h2><button type="button" class="push" autofocus @click=${close}>Close</button></div>
        <div class="keys">
          ${section('Everywhere', everywhere)}${section('In lists', inLists)}${section('Go to', rows)}
        </div>
        <p>Single letters work while no field has the focus.</p>
      </div>
    `,
  );
}

function section(title: string, rows: readonly Row[]): TemplateResult {
  return html`
    <section>
      <h3>${title}</h3>
      <dl>${rows.map(([keys, action]) => html`<dt>${action}</dt><dd>${keys.map((key) => html`<kbd>${key}</kbd> `)}</dd>`)}</dl>
    </section>
  `;
}
