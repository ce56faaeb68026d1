/** Stores ids of projects as texts that PostgreSQL accepts: it refuses NUL, and its driver replaces lone surrogates. */

/** Escapes what a text of the database cannot hold. Other ids stay as they are. */
export function toTextId(project: string): string {
  return project.replace(/[\\\0]|\p{Surrogate}/gu, (found) => `\\${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function fromTextId(text: string): string {
  return text.replace(/\\([0-9a-f]{4})/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Returns the pattern of SQL's LIKE for the ids that a glob matches. A character that `?` stands for may be escaped. */
export function toTextPattern(glob: string): string {
  return toTextId(glob).replace(/[\\%_*?]/g, (one) => (one === '*' || one === '?' ? '%' : `\\${one}`));
}
