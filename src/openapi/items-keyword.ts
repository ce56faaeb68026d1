/**
 * Replaces the keyword `items`: passes errors on during validation, so that millions of them do not fill the memory.
 */
import { _, type CodeKeywordDefinition, type ErrorObject, Name, str } from 'ajv';
import { Type } from 'ajv/dist/compile/util.js';

/** Receives errors as the `this` value of a validator; without it, the validator collects all errors, as Ajv does. */
export interface ErrorSink {
  /** Number of errors to collect before they are passed on. */
  batchSize: number;
  /** Receives the collected errors. Returns whether the validator can skip the rest of the list at this path. */
  receive(errors: readonly ErrorObject[], path: string): boolean;
}

// Names of variables in the functions that Ajv generates.
const errors = new Name('errors');
const collected = new Name('vErrors');
const instancePath = new Name('instancePath');
const self = new Name('this');

/**
 * Replaces Ajv's own keyword, whose loop can't be left early. Needs Ajv's options `passContext` and `allErrors`. Resets
 * Ajv's error count after each batch, so the validator can return true; the sink must remember that there were errors.
 */
export const itemsKeyword: CodeKeywordDefinition = {
  keyword: 'items',
  type: 'array',
  schemaType: ['object', 'boolean'],
  before: 'uniqueItems',
  code: (cxt) => {
    const { gen, data, it, parentSchema } = cxt;
    const valid = gen.name('valid');
    const length = gen.const('len', _`${data}.length`);
    // Those before have a schema each.
    const from = (parentSchema['prefixItems'] as readonly unknown[] | undefined)?.length ?? 0;
    gen.forRange('i', from, length, (i) => {
      cxt.subschema({ keyword: 'items', dataProp: i, dataPropType: Type.Num }, valid);
      gen.if(_`${errors} >= ${self}?.batchSize`, () => {
        const stop = gen.const('stop', _`${self}.receive(${collected} ?? [], ${str`${instancePath}${it.errorPath}`})`);
        gen.assign(collected, null).assign(errors, 0);
        gen.if(stop, () => gen.break());
      });
    });
  },
};
