/** Advice for each kind of problem. */
import { linkTo } from '../../../data/route.ts';
import type { Kind } from './cause.ts';

/** What the links need of a problem. */
interface Subject {
  readonly project: string;
  readonly callbackId: string;
}

interface Advice {
  readonly title: string;
  /** What to do, in one or two sentences. */
  readonly text: string;
  /** A link to the place where the problem can be solved. */
  readonly link?: (subject: Subject) => { readonly href: string; readonly text: string };
}

const reference = () => ({ href: linkTo('reference'), text: 'API reference' });
const connect = () => ({ href: linkTo('connect'), text: 'Connect' });
const scenarios = ({ project }: Subject) => ({ href: linkTo('scenarios', { project }), text: 'Scenarios' });
const callback = ({ project, callbackId }: Subject) => ({
  href: linkTo('callbacks', { project, callback: callbackId }),
  text: 'View callback',
});
const pending = ({ project }: Subject) => ({ href: linkTo('clock', { project }), text: 'Pending work' });

export const adviceOf: Readonly<Record<Kind, Advice>> = {
  unknownField: {
    title: 'unknown field',
    text: 'Correct the name or remove the field. The API ignores unknown fields.',
    link: reference,
  },
  missingField: { title: 'missing field', text: 'Send this required field.', link: reference },
  wrongValue: { title: 'wrong value', text: 'Send one of the expected values, in the same spelling.', link: reference },
  wrongType: {
    title: 'wrong type',
    text: 'Send a value of the expected type. Write numbers, true and false without quotes. A list with one entry is still a list.',
    link: reference,
  },
  wrongTime: {
    title: 'wrong time',
    text: 'Send the time in ISO 8601 with its offset, such as 2026-03-02T09:30:00+10:00.',
    link: reference,
  },
  swapped: { title: 'coordinates swapped', text: 'Use [longitude, latitude].', link: reference },
  disagreement: {
    title: 'two ids',
    text: 'Remove the id from the body, or send the same id as in the path.',
    link: reference,
  },
  notJson: {
    title: 'not JSON',
    text: 'Create the body with a JSON library. The example shows the received body.',
  },
  ambiguous: {
    title: 'ambiguous data',
    text: 'Send each field once, large integers as texts, and ids without control characters. Parsers read these differently.',
  },
  malformed: {
    title: 'malformed HTTP',
    text: 'Check the HTTP client, or a proxy before it: it sends data that is not a valid HTTP/1.1 request.',
  },
  contentType: {
    title: 'content type',
    text: 'Send the header content-type: application/json with every body, uncompressed.',
  },
  missingKey: { title: 'no key', text: 'Send the API key in the header apikey of every request.', link: connect },
  unknownKey: {
    title: 'unknown key',
    text: 'Use an API key of this sandbox: a key set with --api-key, or else the published key.',
    link: connect,
  },
  foreignKey: {
    title: 'key of another project',
    text: 'Use an API key for this project and region, or add one with --api-key.',
    link: connect,
  },
  unknownPath: {
    title: 'unknown path',
    text: 'Correct the path or the method in your client. If your installation uses this path, change it with a profile (--profile).',
    link: reference,
  },
  unknownMethod: {
    title: 'unknown method',
    text: 'Use one of the listed methods. The API has no read operations: see Records for stored data.',
    link: reference,
  },
  unknownScenario: {
    title: 'unknown scenario',
    text: 'Name a scenario of the library in the header x-sandbox-scenario, or add this one to the library.',
    link: scenarios,
  },
  duplicate: {
    title: 'duplicate',
    text: 'Update the existing record. If your client retried after a lost response, treat this as success. Reset the project between test runs.',
  },
  pendingRecord: {
    title: 'too early',
    text: 'Wait until the import is processed before you send the update. The import was accepted and is still pending.',
    link: pending,
  },
  unknownRecord: {
    title: 'unknown record',
    text: 'Import the record into this project before you update it, and check whether its import failed.',
    link: ({ project }) => ({ href: linkTo('records', { project }), text: 'Records' }),
  },
  subproject: {
    title: 'another subproject',
    text: 'Update it with the path of its own subproject, or with the path without a subproject.',
    link: reference,
  },
  proof: {
    title: 'proof of delivery',
    text: 'Send the proof of delivery with the status DELIVERED or UNDELIVERED, or after it.',
    link: reference,
  },
  tooLarge: { title: 'too large', text: 'Split the list into several requests.' },
  limit: {
    title: 'too many requests',
    text: 'Wait for the time in the header retry-after, then send the request again.',
  },
  scenarioResponse: {
    title: 'scenario',
    text: 'A scenario sent this response to test your client. The client should wait (for retry-after, if it is present) and send the request again. If you did not expect it, deactivate the scenario.',
    link: scenarios,
  },
  scenarioLimit: {
    title: 'scenario',
    text: 'A scenario limits the request rate. The client should wait for the time in retry-after, then continue.',
    link: scenarios,
  },
  scenarioEntry: {
    title: 'scenario',
    text: 'A scenario makes this entry fail to test your client. The client should detect it and report the entry to a person who can correct it.',
    link: scenarios,
  },
  scenarioConnection: {
    title: 'scenario',
    text: 'A scenario broke the connection. The client cannot know whether the request was applied. It should send the request again and accept the error “exists already”.',
    link: scenarios,
  },
  undelivered: {
    title: 'not delivered',
    text: 'Check the endpoint URL and the receiver: it must respond with 2xx within 10 s. Then redeliver the callback.',
    link: callback,
  },
  internal: {
    title: 'sandbox error',
    text: 'This is an error in the sandbox, not in your client. Report it with this request (Download HAR).',
  },
  other: {
    title: 'failed',
    text: 'Compare the response in the example with the API reference.',
    link: reference,
  },
};
