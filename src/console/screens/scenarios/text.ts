/** The text of a scenario with another name. */

/** Returns a name that none of the others has. */
export function unusedName(wanted: string, names: readonly string[]): string {
  if (!names.includes(wanted)) return wanted;
  for (let number = 2; ; number += 1) if (!names.includes(`${wanted}-${number}`)) return `${wanted}-${number}`;
}

/** Returns the text with another name. */
export function rename(text: string, name: string): string {
  return text.replace(/^name:.*$/m, `name: ${name}`);
}
