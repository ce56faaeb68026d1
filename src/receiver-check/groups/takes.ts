/** Whether it takes what is right, in every form that the contract allows. */
import { signMessage } from '../../callbacks/signature.ts';
import { signSpoiled } from '../../callbacks/spoil.ts';
import type { About, Check, Group, Manner } from '../check.ts';
import { inTurn } from '../in-turn.ts';
import { judgeTaken } from '../judge.ts';

/** One letter, which has to be taken. */
function takes(about: About, texts: Omit<Check, 'play'>): Check {
  return { ...texts, play: async (play) => judgeTaken(await inTurn(play, [{ letter: play.letter(about) }])) };
}

const subProject = takes(
  { subProjectId: 'verify-sub-project' },
  {
    name: 'takes one of a sub-project',
    why: 'data.subProjectId is there where the request was made in a sub-project, and nowhere else.',
    mend: 'Let the field be optional where you read the body.',
  },
);

const beyondAscii = takes(
  { failed: [{ id: 'VERIFY-ÄÖ-東京', reason: 'Straße “Größe” – 住所が見つかりません 🚚\n"quoted" \\ </script>' }] },
  {
    name: 'takes any letters in ids and reasons',
    why: 'Ids are yours and reasons name addresses: neither is ASCII. Read in another encoding the signature is wrong.',
    mend: 'Read the body as bytes, verify these, and then decode them as UTF-8.',
  },
);

/** The same JSON in other bytes: an indented text, its letters written as escapes. */
function writeOtherwise(message: object): string {
  const escaped = JSON.stringify(message, null, 2).replaceAll('ß', '\\u00df').replaceAll('/', '\\/');
  return `${escaped}\n`;
}

const rawBytes = takes(
  { failed: [{ id: 'VERIFY/1', reason: 'Straße not found' }], write: writeOtherwise },
  {
    name: 'verifies the bytes as they came',
    why: 'The signature is of the bytes. JSON that was parsed and written again may have others: blanks, escapes.',
    mend: 'Keep the raw body for this path (express.raw, request.get_data(), @RequestBody byte[]), parse it afterwards.',
  },
);

/** Several signatures in one header: one by another secret, or of a version to come, stands before the right one. */
const rotations: readonly (readonly [string, Manner])[] = [
  [
    "another secret's before the right one",
    {
      sign: async (message) => {
        const right = await signMessage(message);
        const wrong = await signSpoiled(message, { signature: 'invalid' });
        return { ...right, 'webhook-signature': `${wrong['webhook-signature']} ${right['webhook-signature']}` };
      },
    },
  ],
  [
    "another version's before the right one",
    {
      sign: async (message) => {
        const right = await signMessage(message);
        return { ...right, 'webhook-signature': `v1a,bm90IHlvdXJzIHRvIHZlcmlmeQ== ${right['webhook-signature']}` };
      },
    },
  ],
];

const severalSignatures: Check = {
  name: 'takes several signatures in one header',
  why: 'While a secret is exchanged, each callback is signed with the old and the new one: "v1,… v1,…".',
  mend: 'Split webhook-signature at blanks, pass over versions that you do not know, accept where any v1 is right.',
  play: async (play) => {
    const turns = rotations.map(([what, manner]) => ({ what, letter: play.letter(), manner }));
    return judgeTaken(await inTurn(play, turns));
  },
};

const mostEntries = 10_000;

const large = takes(
  {
    failed: Array.from({ length: mostEntries }, (_, n) => ({
      id: `VERIFY-LARGE-${n}`,
      reason: 'Address could not be geocoded, there is no such street in the postal area',
    })),
  },
  {
    name: 'takes 10,000 failures at once, 1 MB',
    why: 'An import of 10,000 that fails as a whole is told of in one callback. Many frameworks stop at 100 kB.',
    mend: 'Allow 4 MB for this path, in your framework and in the proxy before it; work on it after the answer.',
  },
);

export const takesWhatIsRight: Group = {
  name: 'takes what is right',
  checks: [subProject, beyondAscii, rawBytes, severalSignatures, large],
};
