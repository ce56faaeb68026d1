/** Advice for each kind of problem. */
import { linkTo } from '../../data/route.ts';
import type { Kind } from './cause.ts';
import type { Finding } from './find.ts';

interface Advice {
  readonly title: string;
  /** What to do, in one or two sentences. */
  readonly text: string;
  /** A link to the place where the problem can be solved. */
  readonly link?: (finding: Finding) => { readonly href: string; readonly text: string };
}

const reference: Advice['link'] = () => ({ href: linkTo('reference'), text: 'API reference' });
const connect: Advice['link'] = () => ({ href: linkTo('connect'), text: 'Connect' });
const scenarios: Advice['link'] = ({ project }) => ({ href: linkTo('scenarios', { project }), text: 'Scenarios' });
const callback: Advice['link'] = ({ project, callbackId }) => ({
  href: linkTo('callbacks', { project, callback: callbackId }),
  text: 'The callback and its attempts',
});
const pending: Advice['link'] = ({ project }) => ({ href: linkTo('clock', { project }), text: 'What is due next' });

export const adviceOf: Readonly<Record<Kind, Advice>> = {
  unknownField: {
    title: 'unknown field',
    text: 'Correct the name, or leave the field out: the API stores nothing of it, and says so nowhere else.',
    link: reference,
  },
  missingField: { title: 'missing field', text: 'Send this field, too: nothing is taken without it.', link: reference },
  wrongValue: {
    title: 'wrong value',
    text: 'Send a value as it is asked for here, in just this spelling.',
    link: reference,
  },
  wrongType: {
    title: 'wrong type',
    text: 'Send a value of this type. Numbers, true and false stand without quotes; a list of one is still a list.',
    link: reference,
  },
  wrongTime: {
    title: 'wrong time',
    text: 'Format the time with its offset before it is sent, such as 2026-03-02T09:30:00+10:00.',
    link: reference,
  },
  turnedRound: {
    title: 'turned round',
    text: 'Put the longitude first, then the latitude: they look as if they changed places.',
    link: reference,
  },
  disagreement: {
    title: 'two ids',
    text: 'Leave the id out of the body, or send the one that stands in the path.',
    link: reference,
  },
  notJson: {
    title: 'not JSON',
    text: 'Let a JSON library write the body, and look in the example at what really arrived.',
  },
  contentType: {
    title: 'content type',
    text: 'Send the header content-type: application/json with every body, uncompressed.',
  },
  missingKey: { title: 'no key', text: 'Send the key in the header apikey of every request.', link: connect },
  unknownKey: {
    title: 'unknown key',
    text: 'Use a key that this sandbox was started with (--api-key); without that option it is the published one.',
    link: connect,
  },
  foreignKey: {
    title: 'key of another',
    text: 'Use a key that is good for this project and region, or start the sandbox with one (--api-key).',
    link: connect,
  },
  unknownPath: {
    title: 'unknown path',
    text: 'Correct the path or the method in your client. Where it is right for your installation, move it by a profile (--profile).',
    link: reference,
  },
  unknownMethod: {
    title: 'unknown method',
    text: 'Use one of the methods that are offered. The API reads nothing back: what is stored is shown under Records.',
    link: reference,
  },
  unknownScenario: {
    title: 'unknown scenario',
    text: 'Name a scenario of the library in the header x-sandbox-scenario, or put this one there.',
    link: scenarios,
  },
  duplicate: {
    title: 'duplicate',
    text: 'Update a record that exists. If your client only sent it again after no answer came, take this for success; between test runs reset the project.',
  },
  pendingRecord: {
    title: 'too early',
    text: 'Wait until the import is carried out before you update: it was accepted, and was still to be done.',
    link: pending,
  },
  unknownRecord: {
    title: 'unknown record',
    text: 'Import the record before you update it, into this project, and look whether its import failed.',
    link: ({ project }) => ({ href: linkTo('records', { project }), text: 'Records' }),
  },
  subproject: {
    title: 'another subproject',
    text: 'Update it by the path of its own subproject, or by the one without a subproject.',
    link: reference,
  },
  proof: {
    title: 'proof of delivery',
    text: 'Send the proof together with the status DELIVERED or UNDELIVERED, or after it.',
    link: reference,
  },
  tooLarge: { title: 'too large', text: 'Send less at once: cut the list into several requests.' },
  limit: { title: 'too many requests', text: 'Wait as long as the header retry-after says, then send it again.' },
  scenarioAnswer: {
    title: 'scenario',
    text: 'A scenario has it answered so, to try your client: it should wait (retry-after, if that came) and send again. Did you not expect it, switch the scenario off.',
    link: scenarios,
  },
  scenarioLimit: {
    title: 'scenario',
    text: 'A scenario limits the requests: your client should wait as long as retry-after says, then go on.',
    link: scenarios,
  },
  scenarioEntry: {
    title: 'scenario',
    text: 'A scenario lets this entry fail, to try your client: it should notice, and bring the entry before somebody who can correct it.',
    link: scenarios,
  },
  scenarioConnection: {
    title: 'scenario',
    text: 'A scenario breaks the connection: your client cannot know whether the request took effect, and should send it again, prepared for “exists already”.',
    link: scenarios,
  },
  undelivered: {
    title: 'not delivered',
    text: 'Look why the receiver did not take it (it must answer 2xx within 10 s, at the address that is set), then redeliver it.',
    link: callback,
  },
  internal: {
    title: 'sandbox failed',
    text: 'This is a mistake of the sandbox, not of your client: please report it with this request (Download HAR).',
  },
  other: {
    title: 'failed',
    text: 'Read what was answered in the example, and compare it with the API reference.',
    link: reference,
  },
};
