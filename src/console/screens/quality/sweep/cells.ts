/** The cells of a sweep's matrix: their names in the URL, and those that the client does not survive. */
import type { Matrix, MatrixCell } from '../../../../sweep-report/matrix.ts';
import { compareVerdicts, isBad } from '../../../../sweep-report/verdicts.ts';

/** Returns the name of a cell in the URL. */
export function toCellName({ operation, kind }: Pick<MatrixCell, 'operation' | 'kind'>): string {
  return `${operation}/${kind}`;
}

export function cellsOf({ groups }: Matrix): readonly MatrixCell[] {
  return groups.flatMap(({ rows }) => rows.flatMap(({ cells }) => cells.filter((cell) => cell !== undefined)));
}

/** Returns the cells that the client does not survive, the worst first. */
export function findFailed(matrix: Matrix): readonly MatrixCell[] {
  const failed = cellsOf(matrix).filter(({ verdict }) => isBad(verdict));
  return failed.toSorted((a, b) => compareVerdicts(a.verdict, b.verdict));
}
