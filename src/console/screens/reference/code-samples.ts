/** Writes a request as code that users copy. */
import { quoteWord } from '../../../lib/shell-word.ts';
import { readJson } from '../../data/response-body.ts';
import type { BuiltRequest } from './build-request.ts';

/** `server`: URL before the path. */
type Write = (server: string, request: BuiltRequest) => string;

export const languages: Readonly<Record<string, Write>> = {
  curl: writeCurl,
  fetch: writeFetch,
  Python: writePython,
  Java: writeJava,
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

function writePython(server: string, { method, target, headers, body }: BuiltRequest): string {
  const { 'content-type': _type, ...others } = headers;
  const hasJson = body !== undefined && isJson(body);
  return [
    'import requests',
    '',
    `response = requests.request(`,
    `    ${quote(method)},`,
    `    ${quote(server + target)},`,
    '    headers={',
    ...Object.entries(hasJson ? others : headers).map(([name, value]) => `        ${quote(name)}: ${quote(value)},`),
    '    },',
    ...(body === undefined
      ? []
      : [hasJson ? `    json=${indent(toPython(body), '    ')},` : `    data=${quote(body)}.encode(),`]),
    ')',
    'print(response.status_code, response.text)',
  ].join('\n');
}

function writeJava(server: string, { method, target, headers, body }: BuiltRequest): string {
  const publisher = body === undefined ? 'noBody()' : `ofString(${toTextBlock(body)})`;
  return [
    'import java.net.URI;',
    'import java.net.http.HttpClient;',
    'import java.net.http.HttpRequest;',
    'import java.net.http.HttpResponse;',
    '',
    'public class Example {',
    '    public static void main(String[] args) throws Exception {',
    `        var request = HttpRequest.newBuilder(URI.create(${quote(server + target)}))`,
    ...Object.entries(headers).map(([name, value]) => `            .header(${quote(name)}, ${quote(value)})`),
    `            .method(${quote(method)}, HttpRequest.BodyPublishers.${publisher})`,
    '            .build();',
    '        var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());',
    '        System.out.println(response.statusCode() + " " + response.body());',
    '    }',
    '}',
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

const literals: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

/** Converts JSON to a literal of Python, without a change of its numbers. */
function toPython(json: string): string {
  return json.replace(
    /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g,
    (token) => literals[token] ?? quote(JSON.parse(token)),
  );
}

/** Converts a body to a text block, which can contain quotes; one line remains a string. */
function toTextBlock(body: string): string {
  const text = body.replaceAll('\r\n', '\n').trimEnd();
  if (!text.includes('\n')) return quote(text);
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"""');
  return `"""\n                ${indent(escaped, '                ')}\n                """`;
}
