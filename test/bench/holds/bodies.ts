/** Bodies at the limit of 16 MB: of shapes that nobody sends, and of usual jobs. */
import { jobsBody } from '../payloads.ts';

const maxBytes = 16 * 1024 ** 2;

/** A body of as many copies of one piece as fit between its ends; `toPiece` is given the number of the copy. */
function fill(before: string, toPiece: (n: number) => string, after: string): Buffer {
  const pieces: string[] = [];
  let left = maxBytes - before.length - after.length;
  for (let n = 0; ; n += 1) {
    const piece = toPiece(n);
    left -= piece.length + 1;
    if (left < 0) break;
    pieces.push(piece);
  }
  return Buffer.from(`${before}${pieces.join()}${after}`);
}

const deep = `${'['.repeat(90)}${']'.repeat(90)}`;

export const deepLists = (): Buffer => fill('{"jobs":[{"id":"A","unknown":[', () => deep, ']}]}');
export const deepEntries = (): Buffer => fill('{"jobs":[', () => deep, ']}');
export const unknownFields = (): Buffer => fill('{"jobs":[{"id":"A",', (n) => `"f${n}":1`, '}]}');
export const emptyLists = (): Buffer => fill('{"jobs":[', () => '[]', ']}');
export const emptyObjects = (): Buffer => fill('{"jobs":[', () => '{}', ']}');
export const snapshotOfJobs = (): Buffer => fill(snapshotStart, (n) => `{"id":"${n}"}`, snapshotEnd);
export const snapshotOfObjects = (): Buffer => fill(snapshotStart, () => '{}', snapshotEnd);
const snapshotStart = '{"version":1,"orders":[],"routes":[],"users":[],"locations":[],"jobs":[';
const snapshotEnd = ']}';

/** A snapshot of so many jobs. */
export function smallSnapshot(jobs: number): Buffer {
  const list = Array.from({ length: jobs }, (_, n) => `{"id":"${n}"}`).join();
  return Buffer.from(`${snapshotStart}${list}${snapshotEnd}`);
}

/** An import of one job, made larger by so many characters. */
export function paddedJob(n: number, padding: number): Buffer {
  return Buffer.from(`{"jobs":[{"id":"${n}","secondaryReference":"${'x'.repeat(padding)}"}]}`);
}

/** An import of 10,000 jobs, just within the limit. */
export async function typicalJobs(first = 0): Promise<Buffer> {
  const body = await jobsBody(10_000, first);
  if (body.length <= maxBytes) return body;
  return jobsBody(Math.floor((10_000 * maxBytes) / body.length) - 10, first);
}
