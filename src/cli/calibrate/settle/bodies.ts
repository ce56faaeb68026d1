/** Settles the bodies of rejections and of results that are messages: templates with placeholders. */
import { STATUS_CODES } from 'node:http';
import type { AppliedProfile } from '../../../config/config-files.ts';
import type { Json } from '../../../lib/json.ts';
import { toShape } from '../compare/shape.ts';
import { groupBy, isObject, toUrl } from '../exchange.ts';
import { operationFactOf } from '../mapping/facts.ts';
import type { Case } from '../play/play.ts';
import { findMajority, type Proposal, type Settler } from './settler.ts';
import { inferTemplate, type Sample } from './templates/infer.ts';

export const settleErrorBodies: Settler = ({ cases, applied }) => {
  // The samples need the sandbox's own messages, which a template may have changed.
  if ('error' in bodiesOf(applied)) return [];
  const rejected = cases.filter(
    ({ ours, mapped }) => ours.kind !== undefined && mapped.exchange.response.status >= 400,
  );
  if (!rejected.some(isDifferent)) return [];
  const template = isProblem(rejected) ? 'problem' : inferTemplate(rejected.map(toErrorSample))?.template;
  if (template === undefined || isDefault(template)) return [];
  return [
    {
      text: `bodies.error: ${typeof template === 'string' ? template : JSON.stringify(template)}`,
      patch: { bodies: { error: template } },
      settles: ({ kind }) => kind === 'error body',
    },
  ];
};

export const settleResultBodies: Settler = ({ cases, applied }) => {
  const successes = cases.filter(
    ({ ours, mapped }) => ours.kind === undefined && mapped.exchange.response.status < 300,
  );
  return [...groupBy(successes, ({ mapped }) => mapped.operation)].flatMap(
    ([operation, group]): readonly Proposal[] => {
      const [first] = group;
      const hasTemplate = first && operationFactOf.get(first.mapped.operation)?.counter === undefined;
      if (!hasTemplate || operation in bodiesOf(applied) || !group.some(isDifferent)) return [];
      if (!isObject(first.ours.value) || !('message' in first.ours.value)) return [];
      const inferred = inferTemplate(group.map(toResultSample));
      if (!inferred || isDefault(inferred.template)) return [];
      return [
        {
          text: `bodies.${operation}: ${JSON.stringify(inferred.template)}`,
          patch: { bodies: { [operation]: inferred.template } },
          settles: (finding) =>
            finding.operation === operation && (finding.kind === 'result body' || finding.kind === 'missing field'),
        },
      ];
    },
  );
};

/** Whether a template gives the bodies that the sandbox has without one. */
function isDefault(template: unknown): boolean {
  const fields = Object.entries(isObject(template) ? template : { template });
  return fields.every(([name, value]) => ['message', 'code', 'errors'].includes(name) && value === `{${name}}`);
}

function bodiesOf({ profile }: AppliedProfile): object {
  return (profile as { bodies?: object }).bodies ?? {};
}

function isDifferent({ ours, mapped }: Case): boolean {
  return toShape(ours.value) !== toShape(mapped.exchange.response.body?.value);
}

/** Whether rejections have the form of RFC 9457, with the fields that the sandbox gives them. */
function isProblem(cases: readonly Case[]): boolean {
  const types = cases.map(({ mapped }) => mapped.exchange.response.headers['content-type']?.split(';')[0] ?? '');
  if (findMajority(types)?.value !== 'application/problem+json') return false;
  const fields = ['type', 'title', 'status', 'detail', 'code', 'errors'];
  return cases.every(({ mapped }) => {
    const body = mapped.exchange.response.body?.value;
    return (
      isObject(body) && Object.keys(body).every((name) => fields.includes(name)) && 'detail' in body && 'code' in body
    );
  });
}

/** Values that requests and responses of all kinds have. */
function toCommonValues({ mapped: { exchange, operation, identifiers } }: Case): Json {
  return {
    requestId: exchange.response.headers['x-request-id'] ?? exchange.response.headers['x-correlation-id'],
    operation,
    projectId: identifiers.projectId,
  };
}

function toErrorSample(one: Case): Sample {
  const { ours, mapped } = one;
  const { response, method } = mapped.exchange;
  const own: Json = isObject(ours.value) ? ours.value : {};
  const errors = Array.isArray(own['errors']) ? own['errors'].filter(isObject) : [];
  return {
    body: response.body?.value,
    values: {
      message: own['message'],
      code: own['code'],
      status: response.status,
      title: STATUS_CODES[response.status] ?? '',
      errors: own['errors'],
      ...toCommonValues(one),
      timestamp: undefined,
      method,
      path: toUrl(mapped.exchange),
    },
    items: errors.map(({ path, message }) => ({ 'error.path': path, 'error.message': message })),
  };
}

function toResultSample(one: Case): Sample {
  const { ours, mapped } = one;
  const { body, response } = mapped.exchange;
  const own: Json = isObject(ours.value) ? ours.value : {};
  const { jobId, orderId, username, subProjectId } = mapped.identifiers;
  const fields: Json = isObject(body?.value) ? body.value : {};
  const named = jobId ?? orderId ?? username ?? fields['id'] ?? fields['username'];
  return {
    body: response.body?.value,
    values: { id: named, message: own['message'], subProjectId, ...toCommonValues(one), timestamp: undefined },
    items: [],
  };
}
