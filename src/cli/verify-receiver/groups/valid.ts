/** Checks that a receiver accepts valid callbacks in all forms that the contract allows. */

import { signFaulty } from '../../../callbacks/format.ts';
import type { CheckGroup } from '../check.ts';
import { signAsSandbox } from '../context.ts';

/** Writes the same JSON in different bytes: indented, and with escaped characters. */
function writeEscaped(message: unknown): string {
  const escaped = JSON.stringify(message, null, 2).replaceAll('ß', '\\u00df').replaceAll('/', '\\/');
  return `${escaped}\n`;
}

const maxEntries = 10_000;

export const acceptsValid: CheckGroup = {
  name: 'accepts valid callbacks',
  checks: [
    {
      name: 'accepts a callback of a subproject',
      why: 'data.subProjectId is present only if the request was made in a subproject.',
      fix: 'Make the field optional when you parse the body.',
      accepts: { '': { subProjectId: 'verify-sub-project' } },
    },
    {
      name: 'accepts all characters in ids and reasons',
      why: 'Your ids and the addresses in reasons may contain any Unicode character. With a wrong encoding the signature does not match.',
      fix: 'Read the body as bytes, verify the bytes, and then decode them as UTF-8.',
      accepts: {
        '': {
          failed: [{ id: 'VERIFY-ÄÖ-東京', reason: 'Straße “Größe” – 住所が見つかりません 🚚\n"quoted" \\ </script>' }],
        },
      },
    },
    {
      unless: ({ signature }) => (signature.covers.body ? undefined : 'no signature covers the body'),
      name: 'verifies the raw bytes of the body',
      why: 'The signature covers the bytes. JSON that is parsed and serialized again may differ in white space and escapes.',
      fix: 'Keep the raw body for this path (express.raw, request.get_data(), @RequestBody byte[]), and parse it afterwards.',
      accepts: { '': { failed: [{ id: 'VERIFY/1', reason: 'Straße not found' }], write: writeEscaped } },
    },
    {
      unless: ({ signature }) =>
        signature.kind === 'standard' ? undefined : 'only Standard Webhooks have several signatures in one header',
      name: 'accepts several signatures in one header',
      why: 'While a secret is rotated, each callback is signed with the old and the new secret: "v1,… v1,…".',
      fix: 'Split webhook-signature at spaces, ignore unknown versions, and accept the callback if any v1 signature is valid.',
      accepts: {
        'signature of another secret first': {
          sign: async (message, format) => {
            const valid = await signAsSandbox(message, format);
            const invalid = await signFaulty(format, message, { signature: 'invalid' });
            return { ...valid, 'webhook-signature': `${invalid['webhook-signature']} ${valid['webhook-signature']}` };
          },
        },
        'signature of another version first': {
          sign: async (message, format) => {
            const valid = await signAsSandbox(message, format);
            return { ...valid, 'webhook-signature': `v1a,bm90IHlvdXJzIHRvIHZlcmlmeQ== ${valid['webhook-signature']}` };
          },
        },
      },
    },
    {
      unless: ({ perEntry }) => (perEntry ? 'each callback reports one entry' : undefined),
      name: 'accepts 10,000 failures in one callback (1 MB)',
      why: 'If all 10,000 entries of an import fail, one callback reports them. Many frameworks reject bodies above 100 kB.',
      fix: 'Allow 4 MB for this path, in your framework and in the proxy in front of it; process the callback after the response.',
      accepts: {
        '': {
          failed: Array.from({ length: maxEntries }, (_, n) => ({
            id: `VERIFY-LARGE-${n}`,
            reason: 'Address could not be geocoded, there is no such street in the postal area',
          })),
        },
      },
    },
  ],
};
