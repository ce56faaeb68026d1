/** Checks that a receiver rejects forged, replayed and malformed callbacks. */

import type { CallbackFormat, SignedMessage } from '../../../callbacks/format.ts';
import { signFaulty, toSent } from '../../../callbacks/format.ts';
import type { CheckGroup } from '../check.ts';
import { type SendOptions, signAsSandbox } from '../context.ts';

type Signed = Required<Pick<SendOptions, 'sign'>>;

const acceptsForged = 'it accepts forged callbacks';
const acceptsAnyTime = 'it accepts callbacks with any timestamp';

/** Says that the callbacks have no signature to forge. */
function unlessUnsigned({ signature }: CallbackFormat): string | undefined {
  return signature.kind === 'none' ? 'the callbacks of the profile have no signature' : undefined;
}

function unlessUntimed(format: CallbackFormat): string | undefined {
  const untimed = format.signature.covers.timestamp ? undefined : 'the signature of the profile covers no timestamp';
  return unlessUnsigned(format) ?? untimed;
}

function withSignature(value: string): Signed {
  return {
    sign: async (message, format) => {
      const { header } = format.signature;
      return { ...(await signAsSandbox(message, format)), ...(header !== undefined && { [header]: value }) };
    },
  };
}

function toMalformed(isStandard: boolean): Readonly<Record<string, Signed>> {
  const version = isStandard ? 'v1,' : '';
  return {
    empty: withSignature(version),
    'too short': withSignature(`${version}c2hvcnQ=`),
    'not base64': withSignature(`${version}%%%`),
    ...(isStandard && { 'without a comma': withSignature('v1') }),
  };
}

function withoutHeaders(...names: readonly string[]): Signed {
  return {
    sign: async (message, format) => {
      const headers = Object.entries(await signAsSandbox(message, format));
      return Object.fromEntries(headers.filter(([name]) => !names.includes(name)));
    },
  };
}

/** Signs correctly, for another time. */
function withTimeOffset(shiftMs: number): Signed {
  return { sign: (message, format) => signAsSandbox({ ...message, atMs: message.atMs + shiftMs }, format) };
}

/** Uses the signature of a different message, as if the message was changed after signing. */
function withSignatureOf(toSigned: (message: SignedMessage) => SignedMessage): Signed {
  return {
    sign: async (message, format) => {
      const { header = '' } = format.signature;
      const [other, headers] = await Promise.all([
        signAsSandbox(toSigned(message), format),
        signAsSandbox(message, format),
      ]);
      return { ...headers, [header]: other[header] ?? '' };
    },
  };
}

/** Changes a reason; a payload of the profile may have none. */
function changeBody(message: SignedMessage): SignedMessage {
  const body = message.body.replace('geocoded', 'reached');
  return { ...message, body: body === message.body ? `${body} ` : body };
}

/** Above the limit of 5 min, with room for clock differences. Also detects a receiver that reads seconds as ms. */
const offsetMs = 10 * 60_000;

export const rejectsForgeries: CheckGroup = {
  name: 'rejects invalid callbacks',
  checks: [
    {
      unless: unlessUnsigned,
      name: 'rejects the signature of another secret',
      why: 'Otherwise anyone who knows the address can report failures that did not happen.',
      fix: 'Verify the signature before anything else, for Standard Webhooks with a library of standardwebhooks.com; respond with 401 if it is invalid.',
      rejects: { '': { sign: (message, format) => signFaulty(format, message, { signature: 'invalid' }) } },
      meaning: acceptsForged,
    },
    {
      unless: unlessUnsigned,
      name: 'rejects unsigned callbacks',
      why: 'An optional signature protects nothing.',
      fix: 'Respond with 401 if a header of the signature is missing; verify in every environment.',
      rejects: ({ about: { format } }) => {
        const { kind, header = '' } = format.signature;
        const headers = kind === 'standard' ? ['webhook-signature', 'webhook-id', 'webhook-timestamp'] : [header];
        const without = Object.fromEntries(headers.map((name) => [`no ${name}`, withoutHeaders(name)]));
        return kind === 'standard' ? { 'no headers': withoutHeaders(...headers), ...without } : without;
      },
      meaning: acceptsForged,
    },
    {
      unless: unlessUnsigned,
      name: 'rejects malformed signatures',
      why: 'The header comes from outside, and may contain anything.',
      fix: 'Compare lengths before timingSafeEqual, which throws if they differ; accept only the form that you expect, such as "v1,"; respond with 401 to anything else.',
      rejects: ({ about: { format } }) => toMalformed(format.signature.kind === 'standard'),
      meaning: acceptsForged,
    },
    {
      unless: (format) => {
        const { body, id, timestamp } = format.signature.covers;
        return (
          unlessUnsigned(format) ?? (body || id || timestamp ? undefined : 'the signature covers no part of a callback')
        );
      },
      name: 'rejects a callback that was changed after signing',
      why: 'The signature covers id, timestamp and body. A part that you do not verify can be changed on the way.',
      fix: 'Verify one text: webhook-id, a full stop, webhook-timestamp, a full stop, and the raw body; or what the profile names in `over`.',
      rejects: ({ about: { format } }) => {
        const { kind, covers, hasTimestamp } = format.signature;
        const prefix = kind === 'standard' ? 'webhook-' : '';
        return {
          ...(covers.body && { body: withSignatureOf(changeBody) }),
          ...(covers.id && { [`${prefix}id`]: withSignatureOf((message) => ({ ...message, id: `${message.id}x` })) }),
          ...(covers.timestamp &&
            !hasTimestamp && {
              [`${prefix}timestamp`]: withSignatureOf((message) => ({ ...message, atMs: message.atMs - 60_000 })),
            }),
        };
      },
      meaning: acceptsForged,
    },
    {
      unless: unlessUntimed,
      name: 'rejects a timestamp that is ten minutes old',
      why: 'The callback was valid once: anyone who recorded it can send it again at any time.',
      fix: 'Respond with 401 if webhook-timestamp (in seconds, new for each retry) differs by more than 300 s from your clock.',
      rejects: { '': withTimeOffset(-offsetMs) },
      meaning: 'it accepts replayed callbacks',
    },
    {
      unless: unlessUntimed,
      name: 'rejects a timestamp that is ten minutes ahead',
      why: 'A callback with a future timestamp stays valid for as long as its sender wants.',
      fix: 'Check the difference in both directions: respond with 401 if Math.abs(now - timestamp) > 300.',
      rejects: { '': withTimeOffset(offsetMs) },
      meaning: acceptsAnyTime,
    },
    {
      unless: unlessUntimed,
      name: 'rejects a timestamp that is not a number',
      why: 'NaN is neither too old nor too new: every comparison with it is false, so the callback is accepted.',
      fix: 'Respond with 401 if it contains anything but digits, before you compare it.',
      rejects: { '': withTimeOffset(Number.NaN) },
      meaning: acceptsAnyTime,
    },
    {
      name: 'rejects a body that is not JSON',
      why: 'After a 2xx the callback is never sent again, and is lost; after a 4xx the sender tries again with the complete body.',
      fix: 'Verify, then parse, and respond with 400 if parsing fails.',
      rejects: { '': { write: (body) => toSent(body, { body: 'malformed' }) } },
      meaning: 'it accepts a body that it cannot read',
    },
  ],
};
