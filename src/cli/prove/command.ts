/** `field-sandbox prove`: shows that a failure breaks the code of a commit, and not the code of today. */
import type { Options } from '../../config/option-table.ts';
import { createWallClock } from '../../lib/time.ts';
import { operationIds } from '../../operations/index.ts';
import { findUnmatched } from '../../scenarios/glob.ts';
import type { Given } from '../frame/command.ts';
import { type Io, printTo, writeAll } from '../frame/io.ts';
import { hideSecrets, toShownJson } from '../output/hide-secrets.ts';
import { toRows } from '../output/markdown.ts';
import { clearReports, writeReport } from '../output/report-file.ts';
import { untilStopped } from '../process/signals.ts';
import { withOptions } from '../trial/with-options.ts';
import {
  type Proof,
  type ProveRequest,
  Prover,
  type ProveTexts,
  proofVerdicts,
  readBadCases,
  Stopped,
} from './prove.ts';
import { checkLinks, outsideOfHooks, type Trees } from './trees.ts';

const markdownBeginning = '# Proof of a fix';

/** @returns the exit code: 0 if every fix is proven, 1 if one is not. @throws ConfigError for wrong use or no baseline */
export function runProve({ sandbox, own: texts, command }: Given<ProveTexts>, io: Io): Promise<number> {
  const read = async (mistakes: string[], parsed: { readonly options: Options } | undefined) => {
    checkTexts(texts, mistakes, (parsed?.options.scenarios ?? []).length > 0);
    mistakes.push(...(await checkLinks(process.cwd(), texts.link ?? [])));
    const cases = texts.sweep === undefined ? [texts.case ?? ''] : await readBadCases(texts.sweep, mistakes);
    const markdown = ['--markdown', texts.markdown, markdownBeginning] as const;
    await clearReports(mistakes, [['--json', texts.json, '{'], markdown], io.env);
    return cases;
  };
  const example = 'prove --before HEAD --sweep sweep/sweep.json -- npm test';
  return withOptions({ sandbox, command, example, read }, io, (prepared) =>
    untilStopped(io, async (signal) => {
      try {
        const own = { ...io, env: outsideOfHooks(io.env) };
        const request = { ...prepared, texts, cases: prepared.own, io: own, wall: createWallClock(), signal };
        const { proofs, trees } = await new Prover(request).prove();
        return await report(proofs, trees, request);
      } catch (error) {
        // A terminal signals Git too, which fails then.
        if (error instanceof Stopped || signal.aborted) return 1;
        throw error;
      }
    }),
  );
}

function checkTexts({ before, sweep, case: one }: ProveTexts, mistakes: string[], hasScenario: boolean): void {
  if (!before) mistakes.push('--before: expected the commit with the failure, such as HEAD or HEAD~1');
  if (one === undefined && sweep === undefined && !hasScenario)
    mistakes.push('expected the failure: --case CASE, --scenario FILE, or --sweep FILE with the cases of a sweep');
  const [, operation] = /^([^/]+)\/[^/]+\/(?:\d+|always)$/.exec(one ?? '') ?? [];
  if (operation !== undefined) mistakes.push(...findUnmatched('--case', 'operation', [operation], operationIds));
  else if (one !== undefined)
    mistakes.push(`--case: expected OPERATION/KIND/N or OPERATION/KIND/always, got ${JSON.stringify(one)}`);
  if (one !== undefined && sweep !== undefined) mistakes.push('--case: expected either --case or --sweep, got both');
}

/** Prints the proofs and writes their files. @returns the exit code */
async function report(
  proofs: readonly Proof[],
  trees: Trees,
  { options, texts, io }: ProveRequest & { readonly io: Io },
): Promise<number> {
  const isOne = texts.sweep === undefined;
  const head = ['case', 'before', 'after', 'verdict', 'meaning'];
  const rows = proofs.map(({ verdict, case: id, before, after }) => {
    return [id, before.verdict, after?.verdict ?? 'not tried', verdict, proofVerdicts[verdict]];
  });
  const proven = proofs.filter(({ verdict }) => verdict === 'proven').length;
  const summary = isOne ? `${proofs[0]?.verdict}: ${rows[0]?.at(-1)}` : `${proven} of ${proofs.length} proven`;
  await writeAll(io.stdout, hideSecrets(`${toTable([head, ...rows])}\n${summary}\n`, options));
  const json = proofs.map((proof) => toJson(proof, trees, options));
  const verdict = proofs.find((one) => one.verdict !== 'proven')?.verdict ?? 'proven';
  const shown = isOne ? json[0] : { verdict, proofs: json };
  const markdown = `${markdownBeginning}\n\n**${summary}**\n\n${toRows(head, rows)}\n`;
  const problems = [
    ...(await writeReport('--json', texts.json, toShownJson(shown, options))),
    ...(await writeReport('--markdown', texts.markdown, hideSecrets(markdown, options), io.env)),
  ];
  for (const problem of problems) printTo(io.stderr)(`${problem}\n`);
  return verdict === 'proven' && problems.length === 0 ? 0 : 1;
}

function toTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const toLine = (row: readonly string[]): string =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map((row) => `${toLine(row).trimEnd()}\n`).join('');
}

function toJson({ verdict, case: id, before, after }: Proof, { commit, head, isDirty }: Trees, { seed }: Options) {
  const { verdict: old, recording } = before;
  return {
    ...{ verdict, case: id, seed },
    before: { commit, verdict: old, recording },
    after: { commit: head, dirty: isDirty, verdict: after?.verdict ?? null, recording: after?.recording ?? null },
  };
}
