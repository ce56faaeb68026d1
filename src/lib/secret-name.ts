/** Decides by name whether a field, header or query parameter holds a secret. */
import { nearest } from './nearest.ts';

const secretName = /pass|pwd|secret|token|credential|api[-_]?key|authorization|^cookie$/i;

/**
 * Returns whether a field or header of this name holds a secret, which the sandbox never records. Includes misspellings
 * of `password`: the API ignores such a field, but its value is still a password.
 */
export function isSecretName(name: string): boolean {
  return secretName.test(name) || nearest(name, ['password']) !== undefined;
}

/** Short names that must match as a whole: as a part, they occur in many harmless names. */
const secretParameter = /^(key|sig|signature|auth|code)$/i;

/** Returns whether a URL parameter of this name holds a secret. In URLs, keys often have shorter names. */
export function isSecretParameter(name: string): boolean {
  return secretParameter.test(name) || isSecretName(name);
}
