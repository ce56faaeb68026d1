/** Writes what stands around the built pieces: the command, the doors for `require` and `import`, the types. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isolatedDeclarationSync } from 'rolldown/experimental';

const source: string = path.resolve('src');
const entry = 'index.ts';

/** The pieces are CommonJS, which Node loads faster, and from a code cache. */
const manifest = '{ "type": "commonjs" }\n';

const toCommand = (piece: string): string => `#!/usr/bin/env node
// Node 20 binds compiled code, its own too, to the sizes of the heap, which are settled by now.
if (process.version.startsWith('v20.')) require('node:v8').setFlagsFromString('--max-semi-space-size=0');
require('./code-cache.js').codeCache.load('./${piece}');
`;

/**
 * Jest puts a loader of its own before Node's; its class of modules extends Node's, and that one's loader is the one that
 * is asked here.
 */
const toRequired = (piece: string): string => `const Module = require('node:module');
const { createRequire = Module.createRequire } = Object.getPrototypeOf(Module);
module.exports = createRequire(__filename)('./code-cache.js').codeCache.load('./${piece}');
`;

/** A compiler and Node need to see the names; both doors give the same things. */
const toImported = (names: readonly string[]): string => `import kit from './index.js';
export const { ${names.join(', ')} } = kit;
`;

/** For `Symbol.asyncDispose`, which a compiler may not know otherwise. */
const reference = '/// <reference lib="esnext.disposable" />\n';

interface Piece {
  readonly name?: string;
  readonly fileName: string;
  readonly exports?: readonly string[];
  code?: string;
}

interface Plugin {
  readonly name: string;
  generateBundle(options: object, bundle: Readonly<Record<string, Piece>>): void;
  writeBundle(options: { readonly dir?: string | undefined }, bundle: Readonly<Record<string, Piece>>): void;
}

/** The plugin, for rolldown: the entries are named `main` and `index`. */
export function packagePlugin(): Plugin {
  return {
    name: 'package',
    generateBundle(_options, bundle) {
      for (const piece of Object.values(bundle)) if (piece.code !== undefined) piece.code = toAscii(piece.code);
    },
    writeBundle({ dir = 'dist' }, bundle) {
      const find = (name: string): Piece => {
        const piece = Object.values(bundle).find((one) => one.name === name);
        if (!piece) throw new Error(`there is no piece named ${name}`);
        return piece;
      };
      const kit = find('index');
      write(path.join(dir, 'package.json'), manifest);
      write(path.join(dir, 'main.js'), toCommand(find('main').fileName));
      // npm marks the command executable when it installs it; each build writes it anew.
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

/** What holds only these is read, and taken by V8, in a fraction of the time. */
function toAscii(code: string): string {
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The declarations of the entry and of all that they name, by file. */
function collectDeclarations(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const open = [entry];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue;
    const { code, errors } = isolatedDeclarationSync(file, readFileSync(path.join(source, file), 'utf8'), {
      sourcemap: false,
    });
    if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join('; ')}`);
    found.set(file, file === entry ? reference + code : code);
    const folder = path.dirname(file);
    for (const [, target = ''] of code.matchAll(/from "(\.[^"]+)"/g)) open.push(path.join(folder, target));
  }
  return found;
}

/** Names the other files as compilers look for them. */
function rename(code: string, extension: string): string {
  return code.replace(/(from "\.[^"]+)\.ts"/g, `$1${extension}"`);
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
