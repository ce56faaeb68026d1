/** Writes the files around the built chunks: the command, the entry files for `require` and `import`, and the types. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isolatedDeclarationSync } from 'rolldown/experimental';

const source: string = path.resolve('src');
const entry = 'index.ts';

/** The chunks are CommonJS: Node loads it faster, and it works with a code cache. */
const manifest = '{ "type": "commonjs" }\n';

const toCommand = (chunk: string): string => `#!/usr/bin/env node
// Node 20 binds compiled code, its own too, to the sizes of the heap, which are settled by now.
if (process.version.startsWith('v20.')) require('node:v8').setFlagsFromString('--max-semi-space-size=0');
require('./code-cache.js').codeCache.load('./${chunk}');
`;

/**
 * Jest replaces the module loader: its `Module` class extends Node's. Takes `createRequire` from the parent class, so
 * that Node's own loader is used.
 */
const toRequired = (chunk: string): string => `const Module = require('node:module');
const { createRequire = Module.createRequire } = Object.getPrototypeOf(Module);
module.exports = createRequire(__filename)('./code-cache.js').codeCache.load('./${chunk}');
`;

/** Compilers and Node need the export names in the text. `require` and `import` return the same objects. */
const toImported = (names: readonly string[]): string => `import kit from './index.js';
export const { ${names.join(', ')} } = kit;
`;

/** Declares `Symbol.asyncDispose`, which a compiler may not know by default. */
const reference = '/// <reference lib="esnext.disposable" />\n';

interface Chunk {
  readonly name?: string;
  readonly fileName: string;
  readonly exports?: readonly string[];
  code?: string;
}

interface Plugin {
  readonly name: string;
  generateBundle(options: object, bundle: Readonly<Record<string, Chunk>>): void;
  writeBundle(options: { readonly dir?: string | undefined }, bundle: Readonly<Record<string, Chunk>>): void;
}

/** Creates the rolldown plugin. It expects entries with the names `main` and `index`. */
export function packagePlugin(): Plugin {
  return {
    name: 'package',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) if (chunk.code !== undefined) chunk.code = toAscii(chunk.code);
    },
    writeBundle({ dir = 'dist' }, bundle) {
      const find = (name: string): Chunk => {
        const chunk = Object.values(bundle).find((one) => one.name === name);
        if (!chunk) throw new Error(`there is no piece named ${name}`);
        return chunk;
      };
      const kit = find('index');
      write(path.join(dir, 'package.json'), manifest);
      write(path.join(dir, 'main.js'), toCommand(find('main').fileName));
      // npm makes the command executable at installation, but each build writes the file again.
      chmodSync(path.join(dir, 'main.js'), 0o755);
      write(path.join(dir, 'index.js'), toRequired(kit.fileName));
      write(path.join(dir, 'index.mjs'), toImported(kit.exports ?? []));
      for (const [file, text] of collectDeclarations()) {
        write(path.join(dir, 'types', file.replace(/\.ts$/, '.d.ts')), rename(text, '.js'));
        write(path.join(dir, 'types', file.replace(/\.ts$/, '.d.mts')), rename(text, '.mjs'));
      }
    },
  };
}

/** Escapes all non-ASCII characters: V8 loads a text of ASCII characters in a fraction of the time. */
function toAscii(code: string): string {
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns the type declarations of the entry and of all files that it imports, by file. */
export function collectDeclarations(): ReadonlyMap<string, string> {
  const declarations = new Map<string, string>();
  const queue = [entry];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (declarations.has(file)) continue;
    const { code, errors } = isolatedDeclarationSync(file, readSource(file, declarations), { sourcemap: false });
    if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join('; ')}`);
    declarations.set(file, file === entry ? reference + code : code);
    const folder = path.dirname(file);
    for (const [, target = ''] of code.matchAll(/from "(\.[^"]+)"/g)) queue.push(path.join(folder, target));
  }
  return declarations;
}

/**
 * Reads a source file. Only the entry and the files that it names export values to users. The others need only their types,
 * so their values are not exported here: their declarations would refer to packages that users may not have.
 */
function readSource(file: string, declarations: ReadonlyMap<string, string>): string {
  const text = readFileSync(path.join(source, file), 'utf8');
  const isPublic = file === entry || declarations.get(entry)?.includes(`"./${file}"`);
  return isPublic ? text : text.replace(/^export (?=const|function|async function)/gm, '');
}

/** Replaces `.ts` in imports with the extension that compilers expect. */
function rename(code: string, extension: string): string {
  return code.replace(/(from "\.[^"]+)\.ts"/g, `$1${extension}"`);
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
