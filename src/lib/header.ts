/** Syntax of HTTP headers that an operator or a scenario sets. */
import type { z as Zod, ZodType } from 'zod';

export const headerName: RegExp = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
export const headerValue: RegExp = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that must not be set: a second value for body length or framing makes a message invalid HTTP. */
export const framingHeaders: readonly string[] = ['content-length', 'transfer-encoding', 'trailer'];

/** Headers that the sandbox sets on all responses of the API, or on those with warnings. */
export const sandboxHeaders: readonly string[] = ['x-request-id', 'x-sandbox-warnings'];

/** Headers that belong to the connection, and that Node or the receiver's proxy sets. */
export const connectionHeaders: readonly string[] = [
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'upgrade',
];

/** Creates the schema of headers by name. `reserved`: names in lower case that the sandbox sets. */
export function createHeadersSchema(z: typeof Zod, reserved: readonly string[]): ZodType<Record<string, string>> {
  const name = z
    .string()
    .regex(headerName, { error: 'expected a header name' })
    .refine((one) => !reserved.includes(one.toLowerCase()), {
      error: `expected a header other than ${reserved.join(', ')}, which the sandbox sets`,
    })
    .meta({ not: { pattern: `^(${reserved.map(toAnyCase).join('|')})$` } });
  const text = z.string().regex(headerValue, { error: 'expected a header value of Latin-1 characters on one line' });
  return z.record(name, z.union([text, z.number().transform(String)])).superRefine((headers, context) => {
    const names = Object.keys(headers).map((one) => one.toLowerCase());
    for (const [index, header] of Object.keys(headers).entries())
      if (names.indexOf(header.toLowerCase()) < index)
        context.addIssue({ code: 'custom', message: `the header ${header} is set twice`, path: [header] });
  });
}

/** Returns a case-insensitive regular expression for a word; those of JSON Schema have no flag for it. */
function toAnyCase(word: string): string {
  return word.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

/** Encodes characters that a header can't contain, as in a URL. Ids of a client may have any characters. */
export function toHeaderValue(text: string): string {
  return headerValue.test(text) ? text : text.replace(/[^\t\x20-\x7e]/gu, toEncoded);
}

function toEncoded(character: string): string {
  return /[\ud800-\udfff]/u.test(character) ? '%EF%BF%BD' : encodeURIComponent(character);
}
