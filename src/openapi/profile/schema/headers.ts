/** The schemas of headers that a profile sets. */
import { z } from 'zod';
import { connectionHeaders, framingHeaders, headerName, headerValue } from '../../../lib/header.ts';
import { addTemplateIssues } from './pieces.ts';

/**
 * Creates the schema of headers by name. `own`: names in lower case that the sandbox sets. `known`: the placeholders of
 * the values, if they have any.
 */
export function createHeadersSchema(own: readonly string[], known?: readonly string[]): z.ZodType {
  const reserved = [...framingHeaders, ...connectionHeaders, ...own];
  const name = z
    .string()
    .regex(headerName, { error: 'expected a header name' })
    .refine((text) => !reserved.includes(text.toLowerCase()), {
      error: `expected a header other than ${reserved.join(', ')}, which the sandbox sets`,
    });
  const value = z.string().regex(headerValue, { error: 'expected a header value of Latin-1 characters on one line' });
  return z.record(name, value).superRefine((headers, context) => {
    const names = Object.keys(headers).map((one) => one.toLowerCase());
    for (const [index, [header, text]] of Object.entries(headers).entries()) {
      if (known) addTemplateIssues(context, text, known, [header]);
      if (names.indexOf(names[index] ?? '') === index) continue;
      context.addIssue({ code: 'custom', message: `the header ${header} is set twice`, path: [header] });
    }
  });
}

/** Headers that the sandbox sets on responses, beside those of framing. */
const responseHeaders = ['content-type', 'x-request-id', 'x-sandbox-warnings'];

export const responseHeadersSchema: z.ZodType = createHeadersSchema(responseHeaders);
