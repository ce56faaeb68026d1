/** Checks that a receiver accepts valid callbacks in all forms that the contract allows. */

import { signFaulty } from '../../../callbacks/callback-faults.ts';
import { signMessage } from '../../../callbacks/signature.ts';
import type { CallbackContent, Check, CheckGroup, SendOptions } from '../check.ts';
import { judgeAccepted } from '../judge.ts';
import { sendInOrder } from '../send-in-order.ts';

/** Creates a check with one callback that the receiver must accept. */
function accepts(content: CallbackContent, texts: Omit<Check, 'run'>): Check {
  return {
    ...texts,
    run: async (context) => judgeAccepted(await sendInOrder(context, [{ callback: context.createCallback(content) }])),
  };
}

const subProject = accepts(
  { subProjectId: 'verify-sub-project' },
  {
    name: 'takes one of a sub-project',
    why: 'data.subProjectId is there where the request was made in a sub-project, and nowhere else.',
    fix: 'Let the field be optional where you read the body.',
  },
);

const beyondAscii = accepts(
  { failed: [{ id: 'VERIFY-ÄÖ-東京', reason: 'Straße “Größe” – 住所が見つかりません 🚚\n"quoted" \\ </script>' }] },
  {
    name: 'takes any letters in ids and reasons',
    why: 'Ids are yours and reasons name addresses: neither is ASCII. Read in another encoding the signature is wrong.',
    fix: 'Read the body as bytes, verify these, and then decode them as UTF-8.',
  },
);

/** Writes the same JSON in different bytes: indented, and with escaped characters. */
function writeEscaped(message: object): string {
  const escaped = JSON.stringify(message, null, 2).replaceAll('ß', '\\u00df').replaceAll('/', '\\/');
  return `${escaped}\n`;
}

const rawBytes = accepts(
  { failed: [{ id: 'VERIFY/1', reason: 'Straße not found' }], write: writeEscaped },
  {
    name: 'verifies the bytes as they came',
    why: 'The signature is of the bytes. JSON that was parsed and written again may have others: blanks, escapes.',
    fix: 'Keep the raw body for this path (express.raw, request.get_data(), @RequestBody byte[]), parse it afterwards.',
  },
);

/** Headers with two signatures: one of another secret or a future version, before the valid one. */
const rotations: readonly (readonly [string, SendOptions])[] = [
  [
    "another secret's before the right one",
    {
      sign: async (message) => {
        const valid = await signMessage(message);
        const invalid = await signFaulty(message, { signature: 'invalid' });
        return { ...valid, 'webhook-signature': `${invalid['webhook-signature']} ${valid['webhook-signature']}` };
      },
    },
  ],
  [
    "another version's before the right one",
    {
      sign: async (message) => {
        const valid = await signMessage(message);
        return { ...valid, 'webhook-signature': `v1a,bm90IHlvdXJzIHRvIHZlcmlmeQ== ${valid['webhook-signature']}` };
      },
    },
  ],
];

const severalSignatures: Check = {
  name: 'takes several signatures in one header',
  why: 'While a secret is exchanged, each callback is signed with the old and the new one: "v1,… v1,…".',
  fix: 'Split webhook-signature at blanks, pass over versions that you do not know, accept where any v1 is right.',
  run: async (context) => {
    const attempts = rotations.map(([label, options]) => ({ label, callback: context.createCallback(), options }));
    return judgeAccepted(await sendInOrder(context, attempts));
  },
};

const maxEntries = 10_000;

const large = accepts(
  {
    failed: Array.from({ length: maxEntries }, (_, n) => ({
      id: `VERIFY-LARGE-${n}`,
      reason: 'Address could not be geocoded, there is no such street in the postal area',
    })),
  },
  {
    name: 'takes 10,000 failures at once, 1 MB',
    why: 'An import of 10,000 that fails as a whole is reported in one callback. Many frameworks stop at 100 kB.',
    fix: 'Allow 4 MB for this path, in your framework and in the proxy before it; work on it after the answer.',
  },
);

export const acceptsValid: CheckGroup = {
  name: 'takes what is right',
  checks: [subProject, beyondAscii, rawBytes, severalSignatures, large],
};
