/** Reads and verifies received callbacks in the form that a profile describes. */
import { createSignature, type Signature } from '../../callbacks/signature.ts';
import { ConfigError } from '../../config/config-error.ts';
import { isSameSecret } from '../../lib/same-secret.ts';
import { type CallbackSettings, shippedProfile } from '../../openapi/profile/profile.ts';
import { toMistaken } from '../sandbox-error.ts';

type Headers = Readonly<Record<string, string>>;

/** The form of the callbacks that a receiver expects. */
export interface ReceivedForm {
  readonly settings: CallbackSettings;
  readonly secrets: Signature['secrets'];
  /** Finds the id and the type of a callback in its headers and its body. */
  read(headers: Headers, body: unknown): { readonly id: string | undefined; readonly type: unknown };
  /**
   * Returns why a signature is not valid, or undefined if it is valid. The library of Standard Webhooks would compare the
   * timestamp with `Date`, which a test may have replaced.
   */
  verify(
    callback: { readonly headers: Headers; readonly raw: string; readonly id: string },
    about: { readonly secret: string; readonly nowMs: number },
  ): Promise<string | undefined>;
}

/** Maximum age of a signature with a timestamp, in seconds. */
const maxAgeSeconds = 300;

/** Reads the form from a profile file, or returns the default. @throws SandboxError if the file is invalid */
export async function readForm(file: string | undefined): Promise<ReceivedForm> {
  if (file === undefined) return createForm(shippedProfile.callbacks, undefined);
  const { readProfile } = await import('../../config/config-files.ts');
  try {
    const { profile } = await readProfile(file);
    return createForm(profile.callbacks, profile.bodies['callback']);
  } catch (error) {
    if (error instanceof ConfigError) throw toMistaken(error.mistakes);
    throw error;
  }
}

function createForm(settings: CallbackSettings, body: unknown): ReceivedForm {
  const signature = createSignature(settings.signature);
  const isStandard = signature.kind === 'standard';
  const headerOf = (placeholder: string): string | undefined =>
    Object.entries(settings.headers)
      .find(([, value]) => value === `{${placeholder}}`)?.[0]
      .toLowerCase();
  const find = (placeholder: string, headers: Headers, received: unknown): unknown => {
    const header = headerOf(placeholder);
    const path = findPath(body, `{${placeholder}}`);
    return (header === undefined ? undefined : headers[header]) ?? (path && readPath(received, path));
  };

  /** Finds the timestamp that the sender signed: in the signature itself, or in a header of its own. */
  function findTimestamp(headers: Headers): number | undefined {
    if (isStandard) return Number.parseInt(headers['webhook-timestamp'] ?? '', 10);
    const value = typeof settings.signature === 'string' ? '' : (settings.signature.value ?? '');
    const [before] = value.split('{timestamp}');
    const given = headers[signature.header ?? ''] ?? '';
    const own = value.includes('{timestamp}') ? /^\d+/.exec(given.slice(before?.length))?.[0] : undefined;
    const text = own ?? headers[headerOf('timestamp') ?? ''];
    return text === undefined ? undefined : Number(text);
  }

  const standardHeaders = isStandard ? ['webhook-id', 'webhook-timestamp'] : [];
  /** Standard Webhooks allows several signatures. */
  const toSignatures = (given = ''): readonly string[] => (isStandard ? given.split(' ') : [given]);

  return {
    settings,
    secrets: signature.secrets,
    read: (headers, received) => {
      const id = isStandard ? headers['webhook-id'] : find('id', headers, received);
      const type = body === undefined ? (received as { type?: unknown } | null | undefined)?.type : undefined;
      return { id: typeof id === 'string' ? id : undefined, type: type ?? find('type', headers, received) };
    },
    verify: async ({ headers, raw, id }, { secret, nowMs }) => {
      const { header } = signature;
      if (header === undefined) return undefined;
      if (!headers[header] || standardHeaders.some((name) => !headers[name]))
        return isStandard ? 'Missing required headers' : `Missing header ${header}`;
      const seconds = findTimestamp(headers) ?? nowMs / 1000;
      const untimely = describeAge(nowMs / 1000 - seconds);
      if (untimely !== undefined) return untimely;
      const signed = await signature.sign({ secret, id, atMs: seconds * 1000, body: raw });
      const isValid = toSignatures(headers[header]).some((one) => isSameSecret(signed[header] ?? '', one));
      return isValid ? undefined : 'No matching signature found';
    },
  };
}

function describeAge(seconds: number): string | undefined {
  return Math.abs(seconds) <= maxAgeSeconds ? undefined : `Message timestamp too ${seconds > 0 ? 'old' : 'new'}`;
}

/** Returns the path to a text in a template, or undefined if it is not there. */
function findPath(template: unknown, text: string): readonly string[] | undefined {
  if (template === text) return [];
  if (typeof template !== 'object' || template === null) return undefined;
  for (const [key, value] of Object.entries(template)) {
    const path = findPath(value, text);
    if (path) return [key, ...path];
  }
  return undefined;
}

function readPath(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined),
    value,
  );
}
