/** Infers templates from bodies and the values that the sandbox knows. */
import { expect, test } from 'vitest';
import { inferTemplate, type Sample } from '../../../src/cli/calibrate/settle/templates/infer.ts';

/** Rejections with two mistakes or none. */
const rejections = [1, 2, 3, 4].map((n) => {
  const errors =
    n % 2 === 0
      ? [
          { path: `/a/${n}`, message: `bad a ${n}` },
          { path: '/b', message: 'bad b' },
        ]
      : undefined;
  return {
    n,
    message: `wrong ${n}`,
    code: n % 2 === 0 ? 'invalid' : 'not_found',
    errors,
    status: n % 2 === 0 ? 400 : 404,
  };
});

const infer = (toBody: (rejection: (typeof rejections)[number]) => unknown) =>
  inferTemplate(
    rejections.map((rejection): Sample => {
      const { n: _n, ...values } = rejection;
      const items = (rejection.errors ?? []).map(({ path, message }) => ({
        'error.path': path,
        'error.message': message,
      }));
      return { body: toBody(rejection), values, items };
    }),
  );

test.each([
  [
    'values',
    ({ message, code, status }) => ({ text: message, kind: code, http: status }),
    { text: '{message}', kind: '{code}', http: '{status}' },
  ],
  [
    'texts around values',
    ({ message, code }) => ({ error: `E_${code}: ${message}` }),
    { error: 'E_{code}: {message}' },
  ],
  [
    'constants',
    ({ message }) => ({ ok: false, version: 2, detail: { text: message } }),
    { ok: false, version: 2, detail: { text: '{message}' } },
  ],
  [
    'the list of mistakes',
    ({ message, errors }) => ({ message, ...(errors && { errors }) }),
    { message: '{message}', errors: '{errors}' },
  ],
  [
    'a list with an item for each mistake',
    ({ message, errors }) => ({
      title: message,
      ...(errors && { problems: errors.map((one) => ({ where: one.path, what: one.message })) }),
    }),
    { title: '{message}', problems: [{ where: '{error.path}', what: '{error.message}' }] },
  ],
] as readonly (readonly [string, Parameters<typeof infer>[0], unknown])[])('finds %s', (_name, toBody, template) => {
  expect(infer(toBody)).toEqual({ template, varying: [] });
});

test('a value that varies otherwise gets a placeholder of its type, and is named', () => {
  expect(infer(({ n }) => ({ message: `own words ${n}`, at: `2026-0${n}-01` }))).toEqual({
    template: { message: '{message}', at: '{message}' },
    varying: ['/message', '/at'],
  });
});
