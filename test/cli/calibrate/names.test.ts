/** Fields of bodies that have the name of a property of every object. */
import { expect, test } from 'vitest';
import { compareShapes } from '../../../src/cli/calibrate/shape.ts';
import { inferTemplate } from '../../../src/cli/calibrate/template.ts';

test('a field named constructor is a field like any other', () => {
  const bodies: unknown[] = JSON.parse('[{ "a": "one" }, { "a": "one", "constructor": "two" }]');
  const samples = bodies.map((body) => ({ body, values: {}, items: [] }));
  expect(inferTemplate(samples)).toEqual({ a: 'one', constructor: 'two' });
  expect(compareShapes(bodies[0], bodies[1])).toEqual([{ expected: 'no constructor', seen: '+ constructor: string' }]);
});
