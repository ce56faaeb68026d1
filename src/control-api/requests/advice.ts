/** What to do about each kind of problem, and where. */
import type { Cause } from '../../lib/problem.ts';
import type { Schema } from '../handler.ts';

type Advice = Pick<Schema<'ProblemGroup'>, 'title' | 'advice' | 'next' | 'reference'>;
type Next = Advice['next'];

const table: Readonly<Record<Cause['kind'], readonly [title: string, next: Next, advice: string]>> = {
  unknownField: ['unknown field', 'reference', 'Correct the name or remove the field. The API ignores unknown fields.'],
  missingField: ['missing field', 'reference', 'Send this required field.'],
  wrongValue: ['wrong value', 'reference', 'Send one of the expected values, in the same spelling.'],
  wrongType: [
    'wrong type',
    'reference',
    'Send a value of the expected type. Write numbers, true and false without quotes. A list with one entry is still a list.',
  ],
  wrongTime: [
    'wrong time',
    'reference',
    'Send the time in ISO 8601 with its offset, such as 2026-03-02T09:30:00+10:00.',
  ],
  swapped: ['coordinates swapped', 'reference', 'Use [longitude, latitude].'],
  disagreement: ['two ids', 'reference', 'Remove the id from the body, or send the same id as in the path.'],
  notJson: ['not JSON', 'request', 'Create the body with a JSON library. The latest request shows the received body.'],
  ambiguous: [
    'ambiguous data',
    'request',
    'Send each field once, large integers as texts, and ids without control characters. Parsers read these differently.',
  ],
  emptyList: ['empty list', 'request', 'Send a list with entries, or no request.'],
  unexpected: ['unexpected', 'request', 'The API accepted this. Check whether your client means it.'],
  invalid: ['invalid', 'request', 'Correct what the message names.'],
  malformed: [
    'malformed HTTP',
    'request',
    'Check the HTTP client, or a proxy before it: it sends data that is not a valid HTTP/1.1 request.',
  ],
  unsupportedType: [
    'content type',
    'request',
    'Send the header content-type: application/json with every body, and one of the listed encodings.',
  ],
  missingKey: ['no key', 'connect', 'Send the API key in the header apikey of every request.'],
  unknownKey: [
    'unknown key',
    'connect',
    'Use an API key of this sandbox: a key set with --api-key, or else the published key.',
  ],
  foreignKey: [
    'key of another project',
    'connect',
    'Use an API key for this project and region, or add one with --api-key.',
  ],
  foreignOrigin: ['foreign origin', 'connect', 'Send requests from your server, not from a page of another origin.'],
  unknownPath: [
    'unknown path',
    'reference',
    'Correct the path or the method in your client. If your installation uses this path, change it with a profile (--profile).',
  ],
  unknownMethod: [
    'unknown method',
    'reference',
    'Use one of the listed methods. The API has no read operations: see Records for stored data.',
  ],
  unknownScenario: [
    'unknown scenario',
    'scenario',
    'Name a scenario of the library in the header x-sandbox-scenario, or add this one to the library.',
  ],
  duplicate: [
    'duplicate',
    'record',
    'Update the existing record. If your client retried after a lost response, treat this as success. Reset the project between test runs.',
  ],
  conflict: ['conflict', 'request', 'Read the current state, and send the request again.'],
  pendingRecord: [
    'too early',
    'clock',
    'Wait until the import is processed before you send the update. The import was accepted and is still pending.',
  ],
  notFound: ['not found', 'record', 'Import the record into this project before you use it.'],
  unknownRecord: [
    'unknown record',
    'record',
    'Import the record into this project before you update it, and check whether its import failed.',
  ],
  subproject: [
    'another subproject',
    'reference',
    'Update it with the path of its own subproject, or with the path without a subproject.',
  ],
  proof: [
    'proof of delivery',
    'reference',
    'Send the proof of delivery with the status DELIVERED or UNDELIVERED, or after it.',
  ],
  transition: ['status', 'record', 'Send a status that may follow the stored one, as the profile has it.'],
  route: ['route failed', 'request', 'Correct the route: its jobs fail with it.'],
  downstream: ['rejected downstream', 'record', 'Compare the update with the stored record.'],
  tooLarge: ['too large', 'request', 'Split the list into several requests.'],
  headTooLarge: ['too large', 'request', 'Send fewer or shorter headers, or a shorter URL.'],
  limited: [
    'too many requests',
    'request',
    'Wait for the time in the header retry-after, then send the request again.',
  ],
  timeout: ['too slow', 'request', 'Send the whole request at once.'],
  unmetExpectation: ['expectation', 'request', 'Leave the header expect out, or send 100-continue.'],
  misdirected: ['wrong host', 'connect', 'Use the address of this sandbox.'],
  unconfirmed: ['may have been applied', 'request', 'Send the request again, and accept the error “exists already”.'],
  unavailable: ['unavailable', 'request', 'Wait for the time in the header retry-after, then send the request again.'],
  full: ['full', 'clock', 'Reset the project, or raise the limit that the message names.'],
  scenarioResponse: [
    'scenario',
    'scenario',
    'A scenario sent this response to test your client. The client should wait (for retry-after, if it is present) and send the request again. If you did not expect it, deactivate the scenario.',
  ],
  scenarioLimit: [
    'scenario',
    'scenario',
    'A scenario limits the request rate. The client should wait for the time in retry-after, then continue.',
  ],
  scenarioEntry: [
    'scenario',
    'scenario',
    'A scenario makes this entry fail to test your client. The client should detect it and report the entry to a person who can correct it.',
  ],
  scenarioConnection: [
    'scenario',
    'scenario',
    'A scenario broke the connection. The client cannot know whether the request was applied. It should send the request again and accept the error “exists already”.',
  ],
  undelivered: [
    'not delivered',
    'callback',
    'Check the endpoint URL and the receiver: it must respond with 2xx within 10 s. Then redeliver the callback.',
  ],
  internal: [
    'sandbox error',
    'request',
    'This is an error in the sandbox, not in your client. Report it with this request (Download HAR).',
  ],
};

/** `reference`: the operation to read. */
export function adviceOf(kind: Cause['kind'], reference: string | null): Advice {
  const [title, next, advice] = table[kind];
  return { title, advice, next, reference };
}
