/** The kinds of effect, with their titles and the values that they begin with. */

export interface EffectKind {
  readonly title: string;
  readonly value: unknown;
  /** Keys that only belong to this effect, with the values that they begin with. */
  readonly modifiers: Readonly<Record<string, unknown>>;
  /** Label of its value, if it is no group of fields. */
  readonly label?: string;
}

export const effectKinds: Readonly<Record<string, EffectKind>> = {
  fail: { title: 'Fails later', value: 'Address could not be geocoded', modifiers: { after: '2s' }, label: 'Reason' },
  refuse: { title: 'Rejected', value: 'Outside the service area', modifiers: {}, label: 'Reason' },
  respond: { title: 'Response', value: { status: 503 }, modifiers: { processed: undefined } },
  latency: { title: 'Delay', value: '2s', modifiers: {}, label: 'Delay' },
  limit: { title: 'Rate limit', value: { requests: 10, per: '1m' }, modifiers: {} },
  connection: { title: 'Connection', value: 'reset', modifiers: { processed: undefined }, label: 'Fault' },
  callback: { title: 'Callback', value: { delay: '1m' }, modifiers: {} },
};
