/** Writes tables of Markdown, and replaces the generated blocks of a page. */

/** Returns a table with blank lines around it. Escapes `|` in cells. */
export function toTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const toRow = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replace(/\s*\n\s*/g, ' ').replace(/\|/g, '\\|')).join(' | ')} |`.replace(
      / {2,}/g,
      ' ',
    );
  return ['', toRow(heads), toRow(heads.map(() => '---')), ...rows.map(toRow), ''].join('\n');
}

/** Returns text as code; an empty text stays empty. */
export const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

/** Replaces the text between `<!-- NAME: … -->` and `<!-- /NAME -->`, for each of these names. */
export function replaceBlocks(page: string, blocks: Readonly<Record<string, string>>): string {
  return Object.entries(blocks).reduce((text, [name, block]) => {
    const pattern = new RegExp(`(<!-- ${name}: .* -->\\n)[\\s\\S]*?(<!-- /${name} -->)`);
    if (!pattern.test(text)) throw new Error(`the page has no block "${name}"`);
    return text.replace(pattern, (_all, open: string, close: string) => `${open}${block}\n${close}`);
  }, page);
}
