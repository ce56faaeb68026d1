/** Writes a request as code that users copy. */
import { quoteWord } from '../../../lib/shell-word.ts';
import { readJson } from '../../data/response-body.ts';
import type { BuiltRequest } from './build-request.ts';

/** `server`: URL before the path. */
type Write = (server: string, request: BuiltRequest) => string;

export const languages: Readonly<Record<string, Write>> = {
  curl: writeCurl,
  fetch: writeFetch,
};

function writeCurl(server: string, { method, target, headers, body }: BuiltRequest): string {
  const lines = [
    `curl -i -X ${method} ${quoteWord(server + target)}`,
    ...Object.entries(headers).map(([name, value]) => `  -H ${quoteWord(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`  --data-raw ${quoteWord(body)}`]),
  ];
  return lines.join(' \\\n');
}

function writeFetch(server: string, { method, target, headers, body }: BuiltRequest): string {
  const options = [
    `  method: ${quote(method)},`,
    '  headers: {',
    ...Object.entries(headers).map(([name, value]) => `    ${quote(name)}: ${quote(value)},`),
    '  },',
    ...(body === undefined ? [] : [`  body: ${isJson(body) ? `JSON.stringify(${indent(body, '  ')})` : quote(body)},`]),
  ];
  return [
    `const response = await fetch(${quote(server + target)}, {`,
    ...options,
    '});',
    'console.log(response.status, await response.text());',
  ].join('\n');
}

/** Quotes a text as JSON does, which the languages share. */
function quote(text: string): string {
  return JSON.stringify(text);
}

function isJson(text: string): boolean {
  return readJson(text) !== undefined;
}

/** Indents all lines but the first. Strings in JSON have no line breaks. */
function indent(text: string, by: string): string {
  return text.trim().replaceAll('\n', `\n${by}`);
}
