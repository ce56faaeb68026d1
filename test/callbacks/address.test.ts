import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AllowList, checkCallbackUrl, isForbiddenAddress, parseAllowList } from '../../src/callbacks/address.ts';

function toAllow(...items: readonly string[]): AllowList {
  const result = parseAllowList(items);
  if (!result.ok) throw new Error(result.message);
  return result.allow;
}

describe('allowed URLs without an allow list', () => {
  test.each([
    'http://localhost:9000/callbacks',
    'http://LOCALHOST',
    'http://127.0.0.1:9000',
    'http://127.1/',
    'http://2130706433/',
    'http://[::1]:9000/',
    'http://[::ffff:127.0.0.1]/',
    'http://10.0.0.1/',
    'http://172.17.0.1:8080/a?b=c',
    'http://192.168.1.10/',
    'http://100.64.0.1/',
    'http://198.18.0.7/',
    'http://[fd12:3456::1]/',
    'http://[64:ff9b::10.0.0.1]/',
    'http://[64:ff9b:1::10.0.0.1]/',
    'http://[64:ff9b:1:a00:0:100::]/',
    'http://[2002:0808:0808::1]/',
    // These only look as if they embed 169.254.169.254.
    'http://[::5:0:a9fe:a9fe]/',
    'http://[::5:a9fe:a9fe]/',
    'http://[::1:ffff:a9fe:a9fe]/',
    'http://[::ffff:5:a9fe:a9fe]/',
    'http://[1::a9fe:a9fe]/',
    'http://[0:1::a9fe:a9fe]/',
    'http://[0:0:1::a9fe:a9fe]/',
    'http://[0:0:0:1::a9fe:a9fe]/',
    'http://[65:ff9b::a9fe:a9fe]/',
    'http://[64:ff9c::a9fe:a9fe]/',
    'http://[64:ff9b:2::a9fe:a9fe]/',
    'http://[2003:a9fe:a9fe::1]/',
    'http://[2001:470:a9fe:a9fe::1]/',
    'http://[2001:470::100:5efe:a9fe:a9fe]/',
    'http://[2001:470::5eff:a9fe:a9fe]/',
    'https://example.com',
    'HTTPS://example.com:8443/x',
    'http://receiver:3000/',
    'http://host.docker.internal:3000/',
    'http://metadata.example.com/',
    'http://my-metadata/',
    'http://bücher.example/',
  ])('%s', (url) => {
    expect(checkCallbackUrl(url, [])).toBeUndefined();
  });
});

describe('forbidden URLs', () => {
  test.each([
    ['link-local', 'http://169.254.169.254/latest/meta-data/'],
    ['with a port', 'http://169.254.169.254:80/'],
    ['another of the range', 'http://169.254.170.2/v2/credentials'],
    ['decimal', 'http://2852039166/'],
    ['hexadecimal', 'http://0xa9fea9fe/'],
    ['hexadecimal parts', 'http://0xa9.0xfe.0xa9.0xfe/'],
    ['octal', 'http://0251.0376.0251.0376/'],
    ['mixed', 'http://169.0376.43518/'],
    ['dot at the end', 'http://169.254.169.254./'],
    ['full-width digits', 'http://１６９.254.169.254/'],
    ['percent-encoded', 'http://%31%36%39.254.169.254/'],
    ['IPv4-mapped', 'http://[::ffff:169.254.169.254]/'],
    ['IPv4-mapped in hexadecimal', 'http://[::ffff:a9fe:a9fe]/'],
    ['IPv4-mapped, written out', 'http://[0:0:0:0:0:ffff:a9fe:a9fe]/'],
    ['IPv4-compatible', 'http://[::169.254.169.254]/'],
    ['IPv4-translated', 'http://[::ffff:0:169.254.169.254]/'],
    ['NAT64', 'http://[64:ff9b::169.254.169.254]/'],
    ['local NAT64', 'http://[64:ff9b:1::169.254.169.254]/'],
    ['local NAT64 with a 48 bit prefix', 'http://[64:ff9b:1:a9fe:a9:fe00::]/'],
    ['local NAT64 with a 48 bit prefix, and more', 'http://[64:ff9b:1:a9fe:a9:0:808:808]/'],
    ['local NAT64 with a 48 bit prefix, and zeros', 'http://[64:ff9b:1:a9fe::808:808]/'],
    ['local NAT64 with either of two', 'http://[64:ff9b:1:a00:0:100:0:5]/'],
    ['local NAT64 with either of two, and zeros', 'http://[64:ff9b:1:a00:0:100:a9fe:0]/'],
    ['6to4', 'http://[2002:a9fe:a9fe::1]/'],
    ['the server of Teredo', 'http://[2001:0:a9fe:a9fe::1]/'],
    ['the client of Teredo', 'http://[2001:0:808:808::5601:5601]/'],
    ['ISATAP', 'http://[2001:470::5efe:169.254.169.254]/'],
    ['ISATAP, of a universal address', 'http://[2001:470::200:5efe:169.254.169.254]/'],
    ['IPv4-compatible, of this network', 'http://[::2]/'],
    ['IPv4-compatible, and not loopback', 'http://[::1:1]/'],
    ['IPv6 link-local', 'http://[fe80::1]/'],
    ['end of IPv6 link-local', 'http://[febf::1]/'],
    ['Amazon', 'http://[fd00:ec2::254]/'],
    ['Amazon, written out', 'http://[fd00:0ec2:0:0:0:0:0:0254]/'],
    ['Google', 'http://[fd20:ce::254]/'],
    ['Alibaba', 'http://100.100.100.200/'],
    ['Alibaba, mapped', 'http://[::ffff:100.100.100.200]/'],
    ['Oracle', 'http://192.0.0.192/opc/'],
    ["Amazon's containers", 'http://169.254.170.23/'],
    ["Amazon's containers, IPv6", 'http://[fd00:ec2::23]/'],
    ['Scaleway', 'http://[fd00:42::42]/'],
    ['Oracle, IPv6', 'http://[fd00:c1::a9fe:a9fe]/'],
    ['Azure', 'http://168.63.129.16/'],
    ['unspecified', 'http://0.0.0.0:8080/'],
    ['unspecified, short', 'http://0/'],
    ['this network', 'http://0.1.2.3/'],
    ['IPv6 unspecified', 'http://[::]:8080/'],
    ['multicast', 'http://224.0.0.1/'],
    ['IPv6 multicast', 'http://[ff02::1]/'],
    ['broadcast', 'http://255.255.255.255/'],
    ['reserved', 'http://240.0.0.1/'],
    ['documentation', 'http://[2001:db8::1]/'],
    ['a name', 'http://metadata.google.internal/computeMetadata/v1/'],
    ['a name with a dot', 'http://metadata.google.internal./'],
    ['a name in capitals', 'http://Metadata.Google.Internal/'],
    ['a short name', 'http://metadata/'],
    ['a name of Google', 'http://metadata.goog/'],
    ['a name of Amazon', 'http://instance-data/'],
    ['a longer name of Amazon', 'http://instance-data.ec2.internal./'],
  ])('%s: %s', (_, url) => {
    expect(checkCallbackUrl(url, [])).toMatch(/ is forbidden for callbacks: it is/);
    expect(checkCallbackUrl(url, toAllow('0.0.0.0/0', '::/0', '*.internal', '*.goog'))).toMatch(
      / is forbidden for callbacks/,
    );
  });
});

describe('invalid callback URLs', () => {
  test.each([
    '',
    'example.com',
    '/callbacks',
    '//example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http:example.com',
    'http:///example.com',
    'http:\\\\example.com',
    'http://',
    ' http://example.com',
    'http://exa mple.com/',
    'http://example.com:99999/',
    'http://[fe80::1%25eth0]/',
  ])('%j', (url) => {
    expect(checkCallbackUrl(url, [])).toMatch(/must be an absolute http or https URL/);
  });

  test.each(['http://me:secret@example.com/', 'http://me@example.com/', 'http://:secret@example.com/'])('%s', (url) => {
    expect(checkCallbackUrl(url, [])).toBe('a callback URL must not contain a user or password');
  });
});

describe('an allow list', () => {
  const allow = toAllow(
    'Example.com',
    '*.ci.example.',
    'receiver:3000',
    '10.0.0.0/8',
    '192.168.0.1:8080',
    '[fd00::1]:9000',
    '[fd01::/16]:9001',
    'fd02::5',
    '[fd03::7]',
    '::ffff:172.16.0.0/108',
    'secure.example:443',
  );

  test.each([
    'http://example.com:1234/',
    'http://example.com./',
    'http://a.ci.example/',
    'http://a.b.ci.example/',
    'http://receiver:3000/',
    'http://10.255.0.1/',
    'http://0x0a000001/',
    'http://[::ffff:10.0.0.1]/',
    'http://192.168.0.1:8080/',
    'http://[fd00::1]:9000/',
    'http://[fd01::7]:9001/',
    'http://[fd02:0::5]/',
    'http://[fd03::7]:1234/',
    'http://172.17.0.1/',
    'https://secure.example/',
  ])('allows %s', (url) => {
    expect(checkCallbackUrl(url, allow)).toBeUndefined();
  });

  test.each([
    'http://sub.example.com/',
    'http://ci.example/',
    'http://notci.example/',
    'http://receiver/',
    'http://receiver:3001/',
    'http://11.0.0.1/',
    'http://192.168.0.1/',
    'http://[fd00::1]/',
    'http://[fd01::7]:9000/',
    'http://[fd02::6]/',
    'http://[fd03::8]/',
    'http://172.32.0.1/',
    'http://localhost/',
    'http://secure.example/',
  ])('rejects %s', (url) => {
    expect(checkCallbackUrl(url, allow)).toBe(`${new URL(url).host} is not allowed by --callback-allow`);
  });

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
