/** `field-sandbox diff A.json B.json`: compares two recordings by meaning. */
import { type Io, printTo } from '../frame/io.ts';
import { printMistakes } from '../output/text.ts';
import { RecordingReader } from '../replay/read.ts';
import { compareStories } from '../story/compare.ts';
import { isSame, toStoryLines, toSummary } from '../story/describe.ts';
import { readStory } from '../story/story.ts';

/** @returns 0 if both recordings have the same meaning, 1 if they differ, 2 if one can't be used */
export async function runDiff(
  files: readonly [string, string],
  { stdout, stderr }: Pick<Io, 'stdout' | 'stderr'>,
): Promise<number> {
  const reader = new RecordingReader();
  const [one, other] = [await reader.readFile(files[0]), await reader.readFile(files[1])];
  if ('mistakes' in one || 'mistakes' in other) {
    const mistakes = [one, other].flatMap((read) => ('mistakes' in read ? read.mistakes : []));
    return printMistakes(mistakes, printTo(stderr));
  }
  const parts = compareStories(await readStory(one), await readStory(other));
  printTo(stdout)([toSummary(parts), ...toStoryLines(parts, files)].map((line) => `${line}\n`).join(''));
  return isSame(parts) ? 0 : 1;
}
