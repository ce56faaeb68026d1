/** The schema of `callbacks`. */
import { z } from 'zod';
import { createHeadersSchema, headerName, headerValue } from '../../../lib/header.ts';
import { callbackHeaderPlaceholders, signaturePlaceholders } from '../placeholders.ts';
import { addTemplateIssues, count, duration, partial, positiveDuration, reservedHeaders } from './pieces.ts';

/** Names of the headers of Standard Webhooks. */
const standardHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];

const placeholders = Object.keys(callbackHeaderPlaceholders);

const signature = z.union([z.enum(['standard-webhooks', 'none']), createSignatureSchema()]);

const contentType = z
  .string()
  .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;\s*[\w!#$&^.+-]+=("[^"\r\n]*"|[\w!#$&^.+-]+))*$/, {
    error: 'expected a media type, such as application/json',
  });

export const callbacksSchema: z.ZodType = partial({
  timeout: positiveDuration,
  retries: z.array(duration),
  concurrency: count.max(1000),
  method: z.enum(['POST', 'PUT', 'PATCH']),
  contentType,
  headers: createHeadersSchema(z, reservedHeaders).superRefine((headers, context) => {
    for (const [header, text] of Object.entries(headers)) addTemplateIssues(context, text, placeholders, [header]);
  }),
  signature,
  perEntry: z.boolean(),
  successes: z.boolean(),
}).superRefine((value, context) => {
  const callbacks = value as { readonly headers?: object; readonly signature?: unknown };
  const own = signatureHeadersOf(callbacks.signature ?? 'standard-webhooks');
  for (const name of Object.keys(callbacks.headers ?? {})) {
    if (!own.includes(name.toLowerCase())) continue;
    const message = `the signature sets the header ${name}; choose another name`;
    context.addIssue({ code: 'custom', message, path: ['headers', name] });
  }
});

function signatureHeadersOf(setting: unknown): readonly string[] {
  if (setting === 'standard-webhooks') return standardHeaders;
  const header = typeof setting === 'object' && setting !== null && 'header' in setting ? setting.header : undefined;
  return typeof header === 'string' ? [header.toLowerCase()] : [];
}

/** Creates the schema of an own signature: an HMAC in a header, or a header with the secret. */
function createSignatureSchema(): z.ZodType {
  const header = z.string().regex(headerName, { error: 'expected a header name' });
  const text = z.string().regex(headerValue, { error: 'expected Latin-1 characters on one line' });
  const fields = {
    hmac: z.enum(['sha1', 'sha256', 'sha512']).exactOptional(),
    header,
    value: text.exactOptional(),
    over: z.string().exactOptional(),
  };
  return z.strictObject(fields).superRefine(({ hmac, value, over }, context) => {
    const isHmac = hmac !== undefined;
    const { hmacValue, fixedValue } = signaturePlaceholders;
    const add = (key: string, message: string): void => context.addIssue({ code: 'custom', message, path: [key] });
    addTemplateIssues(context, value, isHmac ? hmacValue : fixedValue, ['value']);
    addTemplateIssues(context, over, signaturePlaceholders.over, ['over']);
    if (!isHmac && value === undefined) add('value', 'expected hmac, or a value such as "Bearer {secret}"');
    if (!isHmac && over !== undefined)
      add('over', 'only a signature with hmac is over a text: set hmac, such as sha256');
    if (isHmac && value !== undefined && !/\{(hex|base64)\}/.test(value)) {
      add('value', 'expected {hex} or {base64}, the HMAC');
    }
  });
}
