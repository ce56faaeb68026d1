// Removes `prepare` from package.json while npm packs it (`prepack`), and puts it back (`postpack`, with --restore).
// `npm ci` in the repository needs `prepare`, but npm warns each user of a tarball that has it.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const manifest = 'package.json';
const original = 'node_modules/.field-sandbox-package.json';

// Also restores it at the start: an earlier `npm pack` may have been killed.
if (existsSync(original)) renameSync(original, manifest);
if (!process.argv.includes('--restore')) {
  const text = readFileSync(manifest, 'utf8');
  const packed = JSON.parse(text);
  delete packed.scripts.prepare;
  mkdirSync('node_modules', { recursive: true });
  writeFileSync(original, text);
  writeFileSync(manifest, `${JSON.stringify(packed, null, 2)}\n`);
}
