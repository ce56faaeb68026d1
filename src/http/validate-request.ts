/** Validates a request by the API document, and its body by the parameters of its URL. */
import type { Json } from '../lib/json.ts';
import type { Problem } from '../lib/problem.ts';
import type { FoundMatch } from '../openapi/router.ts';
import type { Findings, ValidateOptions } from '../openapi/validate.ts';
import { type Operation, type OperationId, operations } from '../operations/index.ts';
import { checkAgreement, countEntries } from './body-checks.ts';
import type { RequestHandlerDeps } from './handler-deps.ts';
import { addShapeHint } from './other-shape.ts';
import { removeNulls } from './remove-nulls.ts';

/** Validation result of a body; without findings if it has too many entries. */
export interface Validated {
  readonly tooMany: Problem | undefined;
  readonly findings: Findings | undefined;
}

export interface RequestValidation {
  validate(match: FoundMatch, body: Json): Validated;
}

export function createRequestValidation({
  contract,
  limits,
  strict,
  bodyRules,
}: Pick<RequestHandlerDeps, 'contract' | 'limits' | 'strict' | 'bodyRules'>): RequestValidation {
  /** The response to a batch of locations lists no failures: one mistake rejects it all. */
  function toOptions({ listsFailures, list }: Operation): ValidateOptions {
    return { list: listsFailures ? list : undefined, strict, depth: limits.depth };
  }

  const removesNulls = bodyRules.nulls === 'ignore';

  /** Adds the type that the profile gives to users without one; the body stays as it was sent. */
  function withUserType(operation: Operation, body: Json): Json {
    const { withoutType } = bodyRules.users;
    if (withoutType === 'reject' || operation !== operations.registerUser) return body;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
    return { type: withoutType, ...body };
  }

  function complete(findings: Findings, match: FoundMatch, body: Json): Findings {
    const hinted = addShapeHint(findings, match.operation.id, operationOf(match), body, contract.operations);
    return withAgreement(hinted, match, body);
  }

  return {
    validate: (match, received) => {
      const operation = operationOf(match);
      const tooMany = countEntries(operation, received, limits.entries);
      if (tooMany) return { tooMany, findings: undefined };
      if (removesNulls) removeNulls(received, operation, limits.depth);
      const body = withUserType(operation, received);
      const { params, query, headers } = match;
      const findings = contract.validate(match.operation, { params, query, headers, body }, toOptions(operation));
      return { tooMany, findings: complete(findings, match, body) };
    },
  };
}

export function operationOf({ operation: { id } }: FoundMatch): Operation {
  return operations[id as OperationId];
}

function withAgreement(findings: Findings, match: FoundMatch, body: Json): Findings {
  const mismatches = checkAgreement(match, body);
  if (mismatches.length === 0) return findings;
  const violations = [...findings.violations, ...mismatches];
  return { ...findings, violations, violationCount: findings.violationCount + mismatches.length };
}
