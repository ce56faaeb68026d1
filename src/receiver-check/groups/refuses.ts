/** Whether it refuses what is not right: what is forged, replayed or can't be read. */
import { type Message, type SignatureHeaders, signMessage } from '../../callbacks/signature.ts';
import { signSpoiled, toSent } from '../../callbacks/spoil.ts';
import type { Check, Group, Manner } from '../check.ts';
import { inTurn } from '../in-turn.ts';
import { judgeRefused } from '../judge.ts';

type Sign = NonNullable<Manner['sign']>;

const forged = 'it accepts forged callbacks';
const anyTime = 'it accepts callbacks of any time';

/** Letters that all have to be refused, by how each is signed; `taken` says what it means that one is not. */
function refuses(signs: Readonly<Record<string, Sign>>, taken: string, texts: Omit<Check, 'play'>): Check {
  return {
    ...texts,
    play: async (play) => {
      const turns = Object.entries(signs).map(([what, sign]) => ({ what, letter: play.letter(), manner: { sign } }));
      return judgeRefused(await inTurn(play, turns), taken);
    },
  };
}

function signedWith(signature: string): Sign {
  return async (message) => ({ ...(await signMessage(message)), 'webhook-signature': signature });
}

function without(...names: readonly (keyof SignatureHeaders)[]): Sign {
  return async (message) => {
    const right = Object.entries(await signMessage(message));
    return Object.fromEntries(right.filter(([name]) => !(names as readonly string[]).includes(name)));
  };
}

/** Rightly signed for another instant. */
function at(shiftMs: number): Sign {
  return (message) => signMessage({ ...message, atMs: message.atMs + shiftMs });
}

/** A signature that was right before this was changed. */
function signedBefore(change: (message: Message) => Message): Sign {
  return async (message) => {
    const [before, now] = await Promise.all([signMessage(change(message)), signMessage(message)]);
    return { ...now, 'webhook-signature': before['webhook-signature'] };
  };
}

const otherSecret = refuses({ '': (message) => signSpoiled(message, { signature: 'invalid' }) }, forged, {
  name: "refuses another secret's signature",
  why: 'Whoever knows the address could tell you of failures that there were not.',
  mend: 'Verify with a library of standardwebhooks.com before anything else, and answer 401 where that fails.',
});

const noSignature = refuses(
  {
    'no header at all': without('webhook-id', 'webhook-timestamp', 'webhook-signature'),
    'no webhook-signature': without('webhook-signature'),
    'no webhook-id': without('webhook-id'),
    'no webhook-timestamp': without('webhook-timestamp'),
  },
  forged,
  {
    name: 'refuses what is not signed',
    why: 'A signature that may be left out protects nothing.',
    mend: 'Answer 401 where one of the three headers is not there; verify in every environment.',
  },
);

const brokenSignature = refuses(
  {
    empty: signedWith('v1,'),
    'too short': signedWith('v1,c2hvcnQ='),
    'no base64': signedWith('v1,%%%'),
    'without a comma': signedWith('v1'),
  },
  forged,
  {
    name: 'refuses a signature that is none',
    why: 'The header comes from outside, and may hold anything.',
    mend: 'Compare lengths before timingSafeEqual, which throws; take only "v1,"; answer 401 for whatever can not be read.',
  },
);

const changed = refuses(
  {
    'the body': signedBefore((message) => ({ ...message, body: message.body.replace('geocoded', 'reached') })),
    'webhook-id': signedBefore((message) => ({ ...message, id: `${message.id}x` })),
    'webhook-timestamp': signedBefore((message) => ({ ...message, atMs: message.atMs - 60_000 })),
  },
  forged,
  {
    name: 'refuses what was changed after signing',
    why: 'A signature is of id, timestamp and body together; what is left out of it can be changed on the way.',
    mend: 'Verify webhook-id, a full stop, webhook-timestamp, a full stop and the raw body, as one text.',
  },
);

/** Beyond five minutes with room for clocks that differ; seconds taken for milliseconds are still found. */
const tooFarMs = 10 * 60_000;

const stale = refuses({ '': at(-tooFarMs) }, 'it accepts replayed callbacks', {
  name: 'refuses a timestamp of ten minutes ago',
  why: 'It was signed rightly, once: who has seen it could send it again whenever they like.',
  mend: 'Answer 401 to what is more than 300 s from your clock. webhook-timestamp is in seconds; retries have a new one.',
});

const future = refuses({ '': at(tooFarMs) }, anyTime, {
  name: 'refuses a timestamp in ten minutes',
  why: 'A callback that is dated ahead stays good for as long as its sender wants.',
  mend: 'Look at the distance in both directions, Math.abs(now - timestamp) > 300, and answer 401.',
});

const noTimestamp = refuses({ '': at(Number.NaN) }, anyTime, {
  name: 'refuses a timestamp that is no number',
  why: 'NaN is neither too old nor too new: comparisons with it are false, and let it in.',
  mend: 'Answer 401 to whatever is not digits alone, before you compare.',
});

const malformed: Check = {
  name: 'refuses a body that is no JSON',
  why: 'What is answered by a 2xx is never sent again, and is lost; a 4xx lets the sender try again, with the whole body.',
  mend: 'Verify, then parse, and answer 400 where that fails.',
  play: async (play) => {
    const half = play.letter({ write: (message) => toSent(message, { body: 'malformed' }) });
    const none = play.letter({ write: () => '' });
    const turns = [
      { what: 'half of a message', letter: half },
      { what: 'nothing', letter: none },
    ];
    return judgeRefused(await inTurn(play, turns), 'it says that it has taken it');
  },
};

export const refusesWhatIsNot: Group = {
  name: 'refuses what is not right',
  checks: [otherSecret, noSignature, brokenSignature, changed, stale, future, noTimestamp, malformed],
};
