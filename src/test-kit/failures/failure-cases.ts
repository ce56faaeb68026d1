/** Lists the failures of the API as cases for tests, without a sandbox. Its declarations are public: they name no inner types. */
import apiSource from '../../../spec/openapi.yaml';
import { type ApiDocument, eachOperation } from '../../openapi/api-document.ts';
import { operationIds, operations } from '../../operations/index.ts';
import { type OperationTraits, toTraits } from '../../scenarios/failure-kinds.ts';
import { checkAll, checkArguments, toNamed } from '../methods.ts';
import { checkFilter, selectCases, toTestFailure } from './cases.ts';
import type { FailureFilter, TestFailure } from './types.ts';

/**
 * Returns the failures of the API without a profile, so that test runners can list a test for each. Needs no sandbox.
 * @throws SandboxError that lists every mistake in the filter
 */
export function failureCases(filter: FailureFilter): readonly TestFailure[] {
  try {
    checkAll(
      () => checkArguments('failureCases', [filter]),
      () => checkFilter(Object(filter)),
    );
    return selectCases(filter, toShippedTraits(), 1).map(toTestFailure);
  } catch (error) {
    throw toNamed('failureCases', error);
  }
}

/** Returns the traits of all operations in the shipped document. */
function toShippedTraits(): ReadonlyMap<string, OperationTraits> {
  const declared = new Map(
    [...eachOperation(apiSource as ApiDocument)].map(({ operation }) => [
      operation['operationId'],
      Object.keys(operation['responses'] as object).map(Number),
    ]),
  );
  return new Map(operationIds.map((id) => [id, toTraits(operations[id], operations[id].mode, declared.get(id) ?? [])]));
}
