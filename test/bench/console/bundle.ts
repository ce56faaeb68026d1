/** Measures the code that every screen loads: the scripts and style sheets that the page names. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Row } from '../row.ts';

const folder = 'dist/console';
const kilobyte = 1000;

export async function measureBundle(): Promise<readonly Row[]> {
  const page = readFileSync(`${folder}/index.html`, 'utf8');
  const names = [...page.matchAll(/(?:src|href)="\.\/([^"]+\.(?:js|css))"/g)].map(([, name = '']) => name);
  const toRow = (what: string, ending: string, goal?: Row['goal']): Row => {
    const files = names.filter((name) => name.endsWith(ending));
    const bytes = files.reduce(
      (sum, name) => sum + gzipSync(readFileSync(`${folder}/${name}`), { level: 9 }).length,
      0,
    );
    return {
      what,
      values: [bytes / kilobyte],
      unit: 'kB',
      goal,
      from: files.map((name) => name.split('/').at(-1)).join(', '),
    };
  };
  return [toRow('shared scripts, gzip', '.js', { atMost: 60 }), toRow('shared style sheets, gzip', '.css')];
}
