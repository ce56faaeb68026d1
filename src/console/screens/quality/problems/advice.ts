/** Advice for each kind of problem. */
import { linkTo } from '../../../data/route.ts';
import type { Kind } from './cause.ts';
import type { Finding } from './find.ts';

/** What the links need of a problem. */
type Subject = Pick<Finding, 'project' | 'callbackId' | 'requestId' | 'operation' | 'message' | 'scenario'>;

export interface Advice {
  readonly title: string;
  /** What to do, in one or two sentences. */
  readonly text: string;
  /** A link to the place where the problem can be solved. */
  readonly link: (subject: Subject) => NextStep;
}

interface NextStep {
  readonly href: string;
  readonly text: string;
}

/** Links to the operation: that of the request, or the nearest one that a message names in parentheses. */
function reference({ operation, message }: Subject): NextStep {
  const [, nearest] = /\((\w+)\)/.exec(message) ?? [];
  const id = /^\w+$/.test(operation) ? operation : (nearest ?? '');
  return { href: linkTo('reference', { operation: id }), text: id === '' ? 'API reference' : `Read ${id}` };
}

/** Links to all events of the record that a message names, such as `job J-1 exists already`. */
function entity(subject: Subject): NextStep {
  const [, id] = /(?:job|order|route|user|device) (\S+) (?:exists|is)/.exec(subject.message) ?? [];
  return id === undefined
    ? request(subject)
    : { href: linkTo('entity', { project: subject.project, id }), text: `All events of ${id}` };
}

function scenario({ project, scenario: name }: Subject): NextStep {
  return { href: linkTo('scenarios', { project, q: name === 'magic-ids' ? '' : name }), text: 'Active scenarios' };
}

function request({ project, requestId, callbackId }: Subject): NextStep {
  if (requestId === '') return callback({ project, callbackId });
  return { href: linkTo('live', { project, request: requestId }), text: 'Open the latest request' };
}

function callback({ project, callbackId }: Pick<Subject, 'project' | 'callbackId'>): NextStep {
  return { href: linkTo('callbacks', { project, callback: callbackId }), text: 'Open the callback' };
}

const connect = (): NextStep => ({ href: linkTo('connect'), text: 'See the API key' });
const pending = ({ project }: Subject): NextStep => ({ href: linkTo('clock', { project }), text: 'Advance the clock' });

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
    link: request,
  },
  ambiguous: {
    title: 'ambiguous data',
    text: 'Send each field once, large integers as texts, and ids without control characters. Parsers read these differently.',
    link: request,
  },
  malformed: {
    title: 'malformed HTTP',
    text: 'Check the HTTP client, or a proxy before it: it sends data that is not a valid HTTP/1.1 request.',
    link: request,
  },
  contentType: {
    title: 'content type',
    text: 'Send the header content-type: application/json with every body, uncompressed.',
    link: request,
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
    link: scenario,
  },
  duplicate: {
    title: 'duplicate',
    text: 'Update the existing record. If your client retried after a lost response, treat this as success. Reset the project between test runs.',
    link: entity,
  },
  pendingRecord: {
    title: 'too early',
    text: 'Wait until the import is processed before you send the update. The import was accepted and is still pending.',
    link: pending,
  },
  unknownRecord: {
    title: 'unknown record',
    text: 'Import the record into this project before you update it, and check whether its import failed.',
    link: entity,
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
  tooLarge: { title: 'too large', text: 'Split the list into several requests.', link: request },
  limit: {
    title: 'too many requests',
    text: 'Wait for the time in the header retry-after, then send the request again.',
    link: request,
  },
  scenarioResponse: {
    title: 'scenario',
    text: 'A scenario sent this response to test your client. The client should wait (for retry-after, if it is present) and send the request again. If you did not expect it, deactivate the scenario.',
    link: scenario,
  },
  scenarioLimit: {
    title: 'scenario',
    text: 'A scenario limits the request rate. The client should wait for the time in retry-after, then continue.',
    link: scenario,
  },
  scenarioEntry: {
    title: 'scenario',
    text: 'A scenario makes this entry fail to test your client. The client should detect it and report the entry to a person who can correct it.',
    link: scenario,
  },
  scenarioConnection: {
    title: 'scenario',
    text: 'A scenario broke the connection. The client cannot know whether the request was applied. It should send the request again and accept the error “exists already”.',
    link: scenario,
  },
  undelivered: {
    title: 'not delivered',
    text: 'Check the endpoint URL and the receiver: it must respond with 2xx within 10 s. Then redeliver the callback.',
    link: callback,
  },
  internal: {
    title: 'sandbox error',
    text: 'This is an error in the sandbox, not in your client. Report it with this request (Download HAR).',
    link: request,
  },
  other: {
    title: 'failed',
    text: 'Compare the response in the example with the API reference.',
    link: reference,
  },
};
