/** What the image promises, as the Dockerfile says it. No container is built or started here. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const instructions = readInstructions(new URL('../../Dockerfile', import.meta.url));
const stages = instructions.join('\n').split(/\n(?=FROM )/);
const image = stages.at(-1)?.split('\n') ?? [];

test('the image is built in two stages on one base', () => {
  const bases = instructions.filter((line) => line.startsWith('FROM ')).map((line) => line.split(/\s+/)[1]);
  expect(bases).toEqual(['node:24-slim', 'node:24-slim']);
});

test('it contains only production dependencies, installed without scripts', () => {
  expect(only('RUN')).toMatch(/npm ci --omit=dev --ignore-scripts/);
});

test('it runs as a numeric user other than root, as clusters require', () => {
  expect(only('USER')).toMatch(/^[1-9]\d*(:[1-9]\d*)?$/);
});

test('the process starts without a shell, so that it receives signals', () => {
  expect(JSON.parse(only('ENTRYPOINT'))).toEqual(['node', '--max-semi-space-size=64', '/app/dist/main.js']);
  expect(all('CMD')).toEqual([]);
});

test('it listens on all addresses, on the port that it exposes', () => {
  expect(only('EXPOSE')).toBe('4600');
  expect(all('ENV')).toEqual(['NODE_ENV=production SANDBOX_HOST=0.0.0.0']);
});

test('its health check runs the program every two seconds', () => {
  const check = only('HEALTHCHECK');
  expect(check).toContain('--interval=2s');
  expect(JSON.parse(check.slice(check.indexOf('[')))).toEqual(['node', '/app/dist/main.js', 'health']);
  expect(instructions.join('\n')).not.toMatch(/curl|wget/);
});

function only(name: string): string {
  const found = all(name);
  expect(found, name).toHaveLength(1);
  return found[0] ?? '';
}

function all(name: string): readonly string[] {
  return image.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1).trim());
}

/** Comments left out, continued lines joined. */
function readInstructions(file: URL): readonly string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const text = lines.filter((line) => !/^\s*#/.test(line)).join('\n');
  return text
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
}
