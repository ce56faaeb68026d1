/** Creates what jobs and orders have in common. */
import type { Faker } from '@faker-js/faker';
import type { components } from '../../openapi/api.gen.ts';
import { createCustomer, createNominee } from '../person.ts';
import type { SampleContext } from '../sample-context.ts';

type Schemas = components['schemas'];

type Job = Schemas['JobCreate'];
type Order = Schemas['OrderImport'];
type Entry = Pick<Job & Order, keyof Job & keyof Order>;

/** The texts that an entry chooses from. */
type Choices = Readonly<Record<'subProjects' | 'tags' | 'instructions', readonly string[]>>;

/** Creates the fields of a new entry with the id `JOB-…` or `ORD-…`. */
export function createEntry(context: SampleContext, id: string, { subProjects, tags, instructions }: Choices): Entry {
  const { faker, inSubproject, languages } = context;
  const number = Number(id.slice('JOB-'.length));
  const { customer, commsChannels } = createCustomer(faker, number);
  const chance = (probability: number) => faker.datatype.boolean(probability);
  return {
    id,
    ...(!inSubproject && chance(0.3) && { subProjectId: faker.helpers.arrayElement(subProjects) }),
    status: 'PENDING',
    secondaryReference: `INV-${800_000 + number}`,
    customer,
    commsChannels,
    langCode: faker.helpers.arrayElement(languages),
    tags: faker.helpers.arrayElements(tags, { min: 1, max: 2 }),
    ...(chance(0.4) && { customerInstructions: faker.helpers.arrayElements(instructions, { min: 1, max: 2 }) }),
    ...(chance(0.2) && { nominees: [createNominee(faker, customer)] }),
    ...(chance(0.15) && { isPriority: true }),
    ...(chance(0.05) && { commsOptOut: true }),
    ...(chance(0.1) && { media: [createMedia('DOC', id, 'pdf')] }),
  };
}

/** Creates the reference to a file about an entry. */
export function createMedia(kind: string, id: string, extension: 'pdf' | 'jpg'): Schemas['Media'] & { uri: string } {
  const mimetype = extension === 'pdf' ? 'application/pdf' : 'image/jpeg';
  const uri = `https://media.example/${kind.toLowerCase()}/${id}.${extension}`;
  return { identifier: `${kind}-${id}`, mimetype, uri, attributes: [{ key: 'language', value: 'en' }] };
}

/** Creates the id with which a customer tracks a job or an order. */
export function createTrackingId(faker: Faker): string {
  return `TRK-${faker.string.alphanumeric({ length: 8, casing: 'upper' })}`;
}
