/** Settles the bodies of rejections and of results that are messages: templates with placeholders. */
import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { hasMessage, operations } from '../../../operations/index.ts';
import { toShape } from '../compare/shape.ts';
import { countEach, groupBy, isObject } from '../exchange.ts';
import type { Case } from '../play/play.ts';
import type { Evidence, Proposal } from './proposal.ts';
import { inferTemplate, type Sample } from './template.ts';

export function settleErrorBodies({ cases, applied }: Evidence): readonly Proposal[] {
  const rejected = cases.filter(
    ({ ours, mapped: { exchange } }) =>
      ours.kind !== undefined && exchange.response.status >= 400 && !exchange.response.isBodyUnknown,
  );
  if (!rejected.some(isDifferent)) return [];
  const template = isProblem(rejected) ? 'problem' : inferTemplate(rejected.map(toErrorSample));
  const present = applied.profile.bodies['error'] ?? defaultError;
  if (template === undefined || isDeepStrictEqual(template, present)) return [];
  return [
    {
      text: `bodies.error: ${typeof template === 'string' ? template : JSON.stringify(template)}`,
      patch: { bodies: { error: template } },
      settles: ({ kind }) => kind === 'error body',
    },
  ];
}

export function settleResultBodies({ cases, applied }: Evidence): readonly Proposal[] {
  const successes = cases.filter(
    ({ ours, mapped: { exchange } }) =>
      ours.kind === undefined && exchange.response.status < 300 && !exchange.response.isBodyUnknown,
  );
  return [...groupBy(successes, ({ mapped }) => mapped.operation)].flatMap(
    ([operation, group]): readonly Proposal[] => {
      const [first] = group;
      const hasTemplate = first && hasMessage(operations[first.mapped.operation]);
      if (!hasTemplate || !group.some(isDifferent)) return [];
      const { result } = first.ours;
      if (!isObject(result?.body) || !('message' in result.body)) return [];
      const template = inferTemplate(group.map(toResultSample));
      const present = applied.profile.bodies[operation] ?? { message: '{message}' };
      if (template === undefined || isDeepStrictEqual(template, present)) return [];
      return [
        {
          text: `bodies.${operation}: ${JSON.stringify(template)}`,
          patch: { bodies: { [operation]: template } },
          settles: (finding) =>
            finding.operation === operation && (finding.kind === 'result body' || finding.kind === 'missing field'),
        },
      ];
    },
  );
}

const defaultError = { message: '{message}', code: '{code}', errors: '{errors}' };

function isDifferent({ ours, mapped }: Case): boolean {
  return toShape(ours.value) !== toShape(mapped.exchange.response.body?.value);
}

/** Whether rejections have the form of RFC 9457, with the fields that the sandbox gives them. */
function isProblem(cases: readonly Case[]): boolean {
  const types = cases.map(({ mapped }) => mapped.exchange.response.headers['content-type']?.split(';')[0] ?? '');
  if (countEach(types)[0]?.value !== 'application/problem+json') return false;
  const fields = ['type', 'title', 'status', 'detail', 'code', 'errors'];
  return cases.every(({ mapped }) => {
    const body = mapped.exchange.response.body?.value;
    return (
      isObject(body) && Object.keys(body).every((name) => fields.includes(name)) && 'detail' in body && 'code' in body
    );
  });
}

function toErrorSample({ ours, mapped: { exchange, operation, identifiers } }: Case): Sample {
  const { response, method, path } = exchange;
  const { message, code, errors } = ours.rejection ?? {};
  return {
    body: response.body?.value,
    values: {
      message,
      code,
      status: response.status,
      title: STATUS_CODES[response.status] ?? '',
      errors,
      requestId: response.headers['x-request-id'],
      operation,
      projectId: identifiers.projectId,
      timestamp: undefined,
      method,
      path,
    },
    items: (errors ?? []).map((error) => ({ 'error.path': error.path, 'error.message': error.message })),
  };
}

function toResultSample({ ours, mapped: { exchange } }: Case): Sample {
  const { headers, body } = exchange.response;
  const values = { ...ours.result?.values, requestId: headers['x-request-id'], timestamp: undefined };
  return { body: body?.value, values, items: [] };
}
