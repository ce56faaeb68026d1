/** Which fields, headers and query parameters hold secrets, to judge by their names; must not know where they stand. */
import { nearest } from './nearest.ts';

const secretName = /pass|pwd|secret|token|credential|api[-_]?key|authorization|^cookie$/i;

/** Whether something of this name is recorded nowhere; a misspelled password, which the API ignores, would show it too. */
export function isSecretName(name: string): boolean {
  return secretName.test(name) || nearest(name, ['password']) !== undefined;
}

/** Names that are too short to be told apart by what they contain. */
const secretParameter = /^(key|sig|signature|auth|code)$/i;

/** The same for the parameters of URLs, where keys have shorter names. */
export function isSecretParameter(name: string): boolean {
  return secretParameter.test(name) || isSecretName(name);
}
