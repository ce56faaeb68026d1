/** Encrypts the positions in events and lists that partners receive: their numbers count what all projects do. */
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const ivLength = 12;
const tagLength = 16;
/** Positions are padded to a multiple of this length, so that their texts do not show how long they are. */
const blockLength = 16;

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
    const padded = position.padEnd(Math.ceil(position.length / blockLength) * blockLength);
    const encrypted = Buffer.concat([cipher.update(padded, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url');
  }

  /** Returns the position; undefined if the text has none, or was changed. */
  unseal(text: string): string | undefined {
    const bytes = Buffer.from(text, 'base64url');
    const start = ivLength + tagLength;
    if (bytes.length < start) return undefined;
    const decipher = createDecipheriv(algorithm, this.#digest('key'), bytes.subarray(0, ivLength));
    decipher.setAuthTag(bytes.subarray(ivLength, start));
    try {
      return (decipher.update(bytes.subarray(start), undefined, 'utf8') + decipher.final('utf8')).trimEnd();
    } catch {
      return undefined;
    }
  }

  #digest(purpose: string): Buffer {
    return createHmac('sha256', this.#secret).update(`position ${purpose}`).digest();
  }
}
