/** Reads values by the documented tables of fields. `test/openapi/document.test.ts` compares the document with the same tables. */
import type { OperationId } from '../../src/operations/index.ts';
import { bodies, type Shape } from './documented-fields.ts';
import { listOf } from './operations.ts';

export type Fields = Readonly<Record<string, unknown>>;

const isNumber = (value: unknown): boolean => typeof value === 'number';
const isText = (value: unknown): boolean => typeof value === 'string';

/** The words of the tables that are not a set of values. */
const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: isText,
  boolean: (value) => typeof value === 'boolean',
  number: isNumber,
  integer: Number.isInteger,
  free: isObject,
  identifier: (value) => isText(value) && value !== '',
  subproject: isText,
  language: isText,
  timestamp: isTimestamp,
  'date or timestamp': (value) => isTimestamp(value) || value === aDate,
  password: isPassword,
  position: (value) => Array.isArray(value) && value.length === 2 && value.every(isNumber),
  'string or strings': (value) => [value].flat().every(isText),
};

/** The only date without a time in the tests. */
export const aDate = '2026-03-02';

function isTimestamp(value: unknown): boolean {
  return typeof value === 'string' && /T.*(?:Z|[+-]\d\d:?\d\d)$/i.test(value);
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a password has a capital letter and a special character. */
function isPassword(value: unknown): boolean {
  return typeof value === 'string' && /[A-Z]/.test(value) && /[!@#$%()&*\-^=+;<>?]/.test(value);
}

/** Returns the known fields of an entry, or undefined if the contract rejects it. */
export function readEntry(operation: OperationId, entry: unknown): Fields | undefined {
  const { route, entry: shape } = shapesOf(operation);
  return readAs(route ? (route['jobs'] as readonly [Shape])[0] : shape, operation, entry);
}

/** Returns the known fields of a route without its jobs, or undefined if the contract rejects it. */
export function readRoute(operation: OperationId, route: Fields): Fields | undefined {
  const { jobs: _read, ...shape } = shapesOf(operation).route ?? {};
  return readAs(shape, operation, route);
}

type ObjectShape = Readonly<Record<string, Shape>>;

function shapesOf(operation: OperationId): { readonly route?: ObjectShape; readonly entry: Shape } {
  const body = bodies[operation] ?? {};
  const list = body[`${listOf(operation)}!`];
  const entry = isList(list) ? list[0] : body;
  return 'routes!' in body ? { route: entry as ObjectShape, entry } : { entry };
}

function readAs(shape: Shape, operation: OperationId, value: unknown): Fields | undefined {
  if (!accepts(shape, value)) return undefined;
  const fields = withoutUnknown(shape, value) as Fields;
  return agrees(operation, fields) ? fields : undefined;
}

export const isList = (shape: Shape | undefined): shape is readonly [Shape] => Array.isArray(shape);

function accepts(shape: Shape, value: unknown): boolean {
  if (typeof shape === 'string') return checks[shape]?.(value) ?? shape.split(' | ').includes(value as string);
  if (isList(shape)) return Array.isArray(value) && value.every((item) => accepts(shape[0], item));
  if (value === null) return '(or null)' in shape;
  return isObject(value) && Object.entries(shape).every(([field, inner]) => acceptsField(field, inner, value));
}

/** A field is required if its name in the table ends in `!`. */
function acceptsField(field: string, shape: Shape, value: Fields): boolean {
  const name = field.replace('!', '');
  return Object.hasOwn(value, name) ? accepts(shape, value[name]) : name === field;
}

function withoutUnknown(shape: Shape, value: unknown): unknown {
  if (isList(shape)) return (value as readonly unknown[]).map((item) => withoutUnknown(shape[0], item));
  if (typeof shape === 'string' || !isObject(value)) return value;
  const known = Object.entries(value).flatMap(([name, inner]) => {
    const field = shape[name] ?? shape[`${name}!`];
    return field === undefined ? [] : [[name, withoutUnknown(field, inner)]];
  });
  return Object.fromEntries(known);
}

/** Whether a value has the type of a shape, whatever it contains. */
export function isOfShape(shape: Shape, value: unknown): boolean {
  if (typeof shape === 'string') return accepts(shape, value);
  if (isList(shape)) return Array.isArray(value);
  return isObject(value) || (value === null && '(or null)' in shape);
}

/** Changes an entry until its fields agree, without a warning. */
export function toAgreeing(operation: OperationId, fields: Fields): Fields {
  if (agrees(operation, fields) && countWarnings(operation, fields) === 0) return fields;
  if (operation === 'registerUser') return toRegistrable(fields);
  if (operation === 'updateUser') return toAlone(fields);
  return {
    ...fields,
    customer: fields['customer'] ?? {},
    ...('proofOfDelivery' in fields && { status: 'DELIVERED' }),
  };
}

function toRegistrable(fields: Fields): Fields {
  const { type, locationIds = [], visibleBy = ['S-1'], access = [] } = fields;
  if (type !== 'attendant') return { ...fields, type: 'driver', visibleBy, access: ['DRIVER'] };
  return {
    ...fields,
    locationIds: isEmpty(locationIds) ? 'S-1' : locationIds,
    access: isEmpty(access) ? 'HO' : access,
  };
}

/** The fields that may be sent with a new password. */
const besidePassword = ['projectId', 'username', 'password'];

const toAlone = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => besidePassword.includes(name)));

const isEmpty = (value: unknown): boolean => value === '' || (Array.isArray(value) && value.length === 0);

/** Counts the warnings about an accepted entry, except those about unknown fields. */
export function countWarnings(operation: OperationId, fields: Fields): number {
  if (operation === 'updateUser') {
    const isAlone = Object.keys(fields).every((name) => besidePassword.includes(name));
    return 'password' in fields && !isAlone ? 1 : 0;
  }
  if (operation !== 'registerUser' || fields['type'] !== 'attendant') return 0;
  return [fields['locationIds'], fields['access']].filter(isEmpty).length;
}

/** The rules between two fields of an entry. */
function agrees(operation: OperationId, fields: Fields): boolean {
  if (operation === 'registerUser') return isRegistrable(fields);
  const { status, proofOfDelivery: proof, commsOptOut, customer } = fields;
  const isDelivered = status === 'DELIVERED' || status === 'UNDELIVERED';
  const isCreated = operation === 'syncCreateJobsInSubproject';
  if (proof !== undefined && !isDelivered && (status !== undefined || isCreated)) return false;
  return !(operation.includes('UpdateOrder') && commsOptOut !== undefined && customer === undefined);
}

/** Whether a user has a type that may be registered, with the fields that the type requires. */
function isRegistrable({ type, access, locationIds, visibleBy }: Fields): boolean {
  if (type === 'attendant') return locationIds !== undefined && access !== undefined;
  return type === 'driver' && visibleBy !== undefined && ['"DRIVER"', '["DRIVER"]'].includes(JSON.stringify(access));
}
