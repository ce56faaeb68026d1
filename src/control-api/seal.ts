/** Encrypts the positions in events and lists that partners receive: their numbers count what all projects do. */
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

const algorithm = 'aes-256-cbc';
const ivLength = 16;

/** Servers with the same secret can read each other's positions. */
export class Seal {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** Returns a text of letters, digits, `-` and `_`. Equal positions have equal texts, unless their salts differ. */
  seal(position: string, salt = ''): string {
    const iv = this.#digest(`iv ${salt} ${position}`).subarray(0, ivLength);
    const cipher = createCipheriv(algorithm, this.#digest('key'), iv);
    return Buffer.concat([iv, cipher.update(position, 'utf8'), cipher.final()]).toString('base64url');
  }

  /** Returns the position; undefined if the text has none. */
  unseal(text: string): string | undefined {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length < ivLength) return undefined;
    const decipher = createDecipheriv(algorithm, this.#digest('key'), bytes.subarray(0, ivLength));
    try {
      return decipher.update(bytes.subarray(ivLength), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return undefined;
    }
  }

  #digest(purpose: string): Buffer {
    return createHmac('sha256', this.#secret).update(`position ${purpose}`).digest();
  }
}
