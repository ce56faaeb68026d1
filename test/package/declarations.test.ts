/**
 * The types that users of the kit compile against, whatever file they are declared in. After a change that is meant, run
 * `npx vitest run test/package/declarations.test.ts -u`, and read the difference as a user would.
 */
import { expect, test } from 'vitest';
import { collectDeclarations } from '../../config/package-plugin.ts';

/** Returns the declarations of a file with their doc comments, by name. Imports and lists of exports are left out. */
function splitDeclarations(code: string): readonly (readonly [name: string, text: string])[] {
  const pieces = code.split(/^(?=\/\*\*|(?:export )?(?:declare|interface|type|class|abstract|const|function) )/m);
  const joined: string[] = [];
  for (const piece of pieces) {
    const before = joined.at(-1);
    // A comment belongs to what follows it.
    if (before !== undefined && /^\/\*\*[\s\S]*\*\/\s*$/.test(before)) joined[joined.length - 1] = before + piece;
    else joined.push(piece);
  }
  return joined.flatMap((text) => {
    const name = /^(?:export )?(?:declare )?(?:interface|type|(?:abstract )?class|const|function) (\w+)/m.exec(
      text,
    )?.[1];
    return name === undefined ? [] : [[name, text.trim()] as const];
  });
}

test('the kit exports the types of the last release, but for changes that are meant', async () => {
  const files = collectDeclarations();
  const entry = files.get('index.ts') ?? '';
  const exported = entry.replace(/ from "[^"]+"/g, '');
  const declarations = [...files]
    .filter(([file]) => file !== 'index.ts' && !file.endsWith('.gen.ts'))
    .flatMap(([, code]) => splitDeclarations(code));
  // Only what an export leads to, because the files declare more than that.
  const reached = new Set<string>();
  const queue = [...exported.matchAll(/\w+/g)].map(([name]) => name);
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    for (const [, text] of declarations.filter(([own]) => own === name))
      queue.push(...[...text.replace(/\/\*\*[\s\S]*?\*\//g, '').matchAll(/\w+/g)].map(([word]) => word));
  }
  const kept = declarations.filter(([name]) => reached.has(name)).sort(([a], [b]) => (a < b ? -1 : 1));
  expect(kept.length).toBeGreaterThan(60);
  const texts = [exported.trim(), ...kept.map(([, text]) => text)];
  await expect(`${texts.join('\n\n')}\n`).toMatchFileSnapshot('declarations.txt');
});
