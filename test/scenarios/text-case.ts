/** Reads the texts of `broken/` and `warned/`: scenarios, each with the approved report of their mistakes or warnings. */
import { readdirSync, readFileSync } from 'node:fs';

export interface TextCase {
  readonly file: string;
  /** The name, and whether the text is written as a JSON string because of its characters. */
  readonly heading: string;
  readonly name: string;
  readonly text: string;
}

/** Reads the cases of a folder: a heading, the text, a line `=>`, the report. */
export function readTexts(folder: string): readonly TextCase[] {
  const base = new URL(`./${folder}/`, import.meta.url);
  const parts = readdirSync(base).flatMap((file) => {
    const [, ...texts] = readFileSync(new URL(file, base), 'utf8').split(/^== /m);
    return texts.map((text) => ({ file, text }));
  });
  return parts.map(({ file, text: part }) => {
    const end = part.indexOf('\n');
    const [heading, text] = [part.slice(0, end), part.slice(end + 1)];
    const source = text.slice(0, text.indexOf('\n=>\n') + 1);
    const name = heading.replace(', as JSON', '');
    return { file, heading, name, text: name === heading ? source : JSON.parse(source) };
  });
}

/** Writes a case with its report. */
export function toCaseText({ heading, name, text }: TextCase, report: string): string {
  return `== ${heading}\n${name === heading ? text : `${toJson(text)}\n`}=>\n${report}`;
}

/** Writes a text as JSON in ASCII, so that an editor changes none of its characters. */
function toJson(text: string): string {
  return JSON.stringify(text).replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
