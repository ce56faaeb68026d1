/** Table of the codes of errors, from the API's document and the catalogue of problems. */
import source from '../../../spec/openapi.yaml';
import { catalogue, codeOf, type ErrorCode, type ProblemKind, toDefaultCode } from '../../../src/lib/problem.ts';
import { code, toTable } from './table.ts';

/** What a client does about each error. */
const advice: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'correct what `errors` lists, then send it again',
  malformed_request: 'use another HTTP client, or correct what the message names',
  missing_api_key: 'send the key in the header `apikey`',
  unknown_api_key: 'check the key; ask the operator for another one',
  foreign_api_key: 'use the key of this project and region',
  not_found: 'check the identifier; create the record first',
  unknown_path: 'check the path; the message names the nearest operation',
  method_not_allowed: 'use a method of the header `allow`',
  request_timeout: 'send it again',
  duplicate: 'update the record, or use another identifier',
  too_large: 'send several smaller requests',
  unsupported_media_type: 'send JSON, with `content-type: application/json`',
  rejected_downstream: 'correct what the message names; the same request fails again',
  too_many_requests: 'wait for the seconds of `retry-after`, then send it again',
  headers_too_large: 'send fewer or shorter headers, or a shorter URL',
  internal_error: 'send it again later; report it if it stays',
  bad_gateway: 'send it again later',
  unavailable: 'wait for the seconds of `retry-after`, then send it again',
  gateway_timeout: 'check first whether the request took effect, then send it again',
  insufficient_storage: 'reset the project, or raise the limit; the real service has no such error',
};

interface CodeSchema {
  readonly enum: readonly ErrorCode[];
  readonly 'x-enum-descriptions': readonly string[];
}

const schema = (source as unknown as { components: { schemas: { ErrorCode: CodeSchema } } }).components.schemas
  .ErrorCode;

/** Returns the table of codes, in the order of the document. */
export function toCodeTable(): string {
  const rows = schema.enum.map((name, at) => {
    const cause = schema['x-enum-descriptions'][at] ?? '';
    return [code(name), statusesOf(name), cause.replace(/\.$/, ''), advice[name]];
  });
  return toTable(['code', 'status', 'cause', 'what to do'], rows);
}

/** Default statuses of a code: of its problems, or else of scenarios. */
function statusesOf(name: ErrorCode): string {
  const kinds = (Object.keys(catalogue) as ProblemKind[]).filter((kind) => codeOf(kind) === name);
  if (kinds.length > 0) return [...new Set(kinds.map((kind) => catalogue[kind]))].join(', ');
  return Array.from({ length: 200 }, (_, at) => 400 + at)
    .filter((status) => toDefaultCode(status) === name)
    .join(', ');
}
