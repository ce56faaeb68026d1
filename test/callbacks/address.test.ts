import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AllowList, checkCallbackUrl, isForbiddenAddress, parseAllowList } from '../../src/callbacks/address.ts';

function toAllow(...items: readonly string[]): AllowList {
  const result = parseAllowList(items);
  if (!result.ok) throw new Error(result.message);
  return result.allow;
}

const everything = toAllow('0.0.0.0/0', '::/0', '*.internal', '*.goog');

/** What is said of the URLs below a heading of addresses.txt, by the URL and the allow list that the heading names. */
const verdicts: Readonly<Record<string, (url: string, allow: AllowList) => void>> = {
  allowed: (url, allow) => expect(checkCallbackUrl(url, allow)).toBeUndefined(),
  forbidden: (url) => {
    expect(checkCallbackUrl(url, [])).toMatch(/ is forbidden for callbacks: it is/);
    expect(checkCallbackUrl(url, everything)).toBe(checkCallbackUrl(url, []));
  },
  'no URL': (url) => expect(checkCallbackUrl(url, [])).toMatch(/must be an absolute http or https URL/),
  'with a user': (url) => expect(checkCallbackUrl(url, [])).toBe('a callback URL must not contain a user or password'),
  'not allowed': (url, allow) =>
    expect(checkCallbackUrl(url, allow)).toBe(`${new URL(url).host} is not allowed by --callback-allow`),
};

const [, ...sections] = readFileSync('test/callbacks/addresses.txt', 'utf8').split('\n== ');

test.each(sections.map((section) => section.trim().split('\n')))('%s', (heading, ...lines) => {
  const [verdict = '', hosts] = heading.split(' by ');
  for (const line of lines.filter((one) => !one.startsWith('#')))
    verdicts[verdict]?.(line.replace(/ {2}#.*/, ''), toAllow(...(hosts?.split(' ') ?? [])));
  expect([verdicts[verdict] !== undefined, lines.length > 2]).toEqual([true, true]);
});

test.each(['', ' http://example.com'])('%j is no URL', (url) => {
  expect(checkCallbackUrl(url, [])).toMatch(/must be an absolute http or https URL/);
});

describe('an allow list', () => {
  test('reports every invalid item', () => {
    const items = ['ok.example', '', 'http://x', 'a b', '*', 'x:0', '10.0.0.0/33', '*.10.0.0.1', '[::1', 'metadata'];
    const result = parseAllowList(items);
    expect(result.ok).toBe(false);
    const messages = result.ok ? [] : result.message.split('; ');
    expect(messages).toHaveLength(items.length - 1);
    expect(messages.filter((message) => message.includes("'10.0.0.0/33': expected a host name"))).toHaveLength(1);
    expect(messages.at(-1)).toBe('metadata is forbidden for callbacks: it is the name of a metadata service');
  });

  test('can have an IPv4 range in IPv6 notation, up to all of IPv4', () => {
    expect(checkCallbackUrl('http://198.18.0.7/', toAllow('::ffff:0:0/96'))).toBeUndefined();
    expect(checkCallbackUrl('http://198.18.0.7/', toAllow('::ffff:0:0/95'))).toMatch(
      / is not allowed by --callback-allow/,
    );
  });

  test('may be empty', () => {
    expect(parseAllowList([])).toEqual({ ok: true, allow: [] });
  });
});

test('an IPv6 address is forbidden exactly if its embedded IPv4 address is', () => {
  const octets = fc.oneof(
    fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)),
    fc.constantFrom([169, 254, 1, 2], [0, 0, 0, 0], [224, 0, 0, 1], [10, 1, 2, 3], [127, 0, 0, 1]),
  );
  fc.assert(
    fc.property(octets, ([a = 0, b = 0, c = 0, d = 0]) => {
      const ip = `${a}.${b}.${c}.${d}`;
      const forbidden = isForbiddenAddress(ip);
      expect(checkCallbackUrl(`http://${ip}/`, []) !== undefined).toBe(forbidden);
      expect(isForbiddenAddress(`::ffff:${ip}`)).toBe(forbidden);
      expect(isForbiddenAddress(`64:ff9b::${ip}`)).toBe(forbidden);
      expect(isForbiddenAddress(`2002:${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}::1`)).toBe(
        forbidden,
      );
    }),
  );
});

test('a text that is not an address is forbidden', () => {
  expect(['', 'localhost', '1.2.3.4.5', '::g'].map(isForbiddenAddress)).toEqual([true, true, true, true]);
  expect(isForbiddenAddress('fe80::1%eth0')).toBe(true);
});

test('parsing an allow list and checking a URL never throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.webUrl(), (text, url) => {
      parseAllowList([text]);
      checkCallbackUrl(text, []);
      checkCallbackUrl(`http://${text}`, toAllow('10.0.0.0/8', '*.example'));
      expect(checkCallbackUrl(url, [])).toBeUndefined();
    }),
  );
});
