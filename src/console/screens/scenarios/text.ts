/** The text of a scenario: a new one, and one with another name. */

/** Returns the text of a new scenario: the form turns it into others with a few clicks. */
export function newText(name: string): string {
  return `name: ${name}
description: "The 1st entry of every asyncImportJobs request: fails after 2s (Address could not be geocoded)."
rules:
  - when: { operation: asyncImportJobs, item: 1 }
    then: { fail: Address could not be geocoded, after: 2s }
`;
}

/** Returns a name that none of the others has. */
export function unusedName(wanted: string, names: readonly string[]): string {
  if (!names.includes(wanted)) return wanted;
  for (let number = 2; ; number += 1) if (!names.includes(`${wanted}-${number}`)) return `${wanted}-${number}`;
}

/** Returns the text with another name. */
export function rename(text: string, name: string): string {
  return text.replace(/^name:.*$/m, `name: ${name}`);
}
