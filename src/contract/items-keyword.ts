/** The keyword `items`, which hands mistakes over while it looks for more, so that millions of them need no room. */
import { _, type CodeKeywordDefinition, type ErrorObject, Name, str } from 'ajv';
import { Type } from 'ajv/dist/compile/util.js';

/** Whom a validator is called on to hand over what it finds; without one it gathers everything, as others do. */
export interface Taker {
  /** How many mistakes are gathered before they are taken. */
  room: number;
  /** Takes what was gathered; says whether the list at this path need not be looked at any further. */
  take(errors: readonly ErrorObject[], path: string): boolean;
}

// What the generated functions call their variables.
const errors = new Name('errors');
const gathered = new Name('vErrors');
const instancePath = new Name('instancePath');
const self = new Name('this');

/**
 * Takes the place of Ajv's own, whose loop can't be left. Ajv must pass its context on (`passContext`) and look for all
 * errors. After errors were taken its count of them begins anew: whoever took them knows that there were some.
 */
export const itemsKeyword: CodeKeywordDefinition = {
  keyword: 'items',
  type: 'array',
  schemaType: ['object', 'boolean'],
  before: 'uniqueItems',
  code: (cxt) => {
    const { gen, data, it } = cxt;
    const valid = gen.name('valid');
    const length = gen.const('len', _`${data}.length`);
    gen.forRange('i', 0, length, (i) => {
      cxt.subschema({ keyword: 'items', dataProp: i, dataPropType: Type.Num }, valid);
      gen.if(_`${errors} >= ${self}?.room`, () => {
        const stop = gen.const('stop', _`${self}.take(${gathered} ?? [], ${str`${instancePath}${it.errorPath}`})`);
        gen.assign(gathered, null).assign(errors, 0);
        gen.if(stop, () => gen.break());
      });
    });
  },
};
