/** Compares the output on a page with the real one. Ids, times and durations may differ; `…` stands for any text. */

const varying: readonly (readonly [RegExp, string])[] = [
  [/\b(req|msg)_[0-9a-f]+/g, '$1_ID'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, 'TIME'],
  [/\b\d+(\.\d+)? (ms|s)\b/g, 'DURATION'],
  [/"durationMs": ?\d+(\.\d+)?/g, '"durationMs":N'],
  [/v1,[\w+/]{43}=/g, 'v1,SIGNATURE'],
  [/("webhook-timestamp": ?)"\d+"/g, '$1"SECONDS"'],
  [/\b\d{2}:\d{2}:\d{2}(\.\d+)?\b/g, 'CLOCK'],
];

/** Removes spaces and line breaks outside of strings, so that a page may indent JSON. */
const compact = (json: string): string =>
  json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_all, string: string | undefined) => string ?? '');

function normalise(text: string, language: string): string {
  const lines = text.replaceAll('\r\n', '\n');
  const plain = varying.reduce((changed, [pattern, by]) => changed.replace(pattern, by), lines);
  return (language === 'json' ? compact(plain) : plain.replace(/[ \t]+$/gm, '')).trim();
}

/** Returns the real output in normal form if it differs from the one on the page, else undefined. */
export function differingOutput(onPage: string, real: string, language: string): string | undefined {
  const wanted = normalise(onPage, language)
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[\\s\\S]*?');
  const actual = normalise(real, language);
  return new RegExp(`^${wanted}$`).test(actual) ? undefined : actual;
}
