/** Writes what whoever imports the package needs beside its code: the types, and a door for `require`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isolatedDeclarationSync } from 'rolldown/experimental';

const source: string = path.resolve('src');
const entry = 'index.ts';

/**
 * Opens the one build to `require`. Jest puts a loader of its own before Node's, which knows no `require` of an ES module
 * but on the newest Node; its class of modules extends Node's, and that one's loader is the one that is asked here.
 */
const door = `const Module = require('node:module');
const { createRequire = Module.createRequire } = Object.getPrototypeOf(Module);
module.exports = createRequire(__filename)('./index.js');
`;

/** For `Symbol.asyncDispose`, which a compiler may not know otherwise. */
const reference = '/// <reference lib="esnext.disposable" />\n';

interface Plugin {
  readonly name: string;
  writeBundle(options: { readonly dir?: string | undefined }): void;
}

/** The plugin, for rolldown. */
export function kitPlugin(): Plugin {
  return {
    name: 'kit',
    writeBundle({ dir = 'dist' }) {
      writeFileSync(path.join(dir, 'index.cjs'), door);
      const declarations = collectDeclarations();
      for (const [file, text] of declarations) {
        write(path.join(dir, 'types', file.replace(/\.ts$/, '.d.ts')), rename(text, '.js'));
        write(path.join(dir, 'types', file.replace(/\.ts$/, '.d.cts')), rename(text, '.cjs'));
      }
    },
  };
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
