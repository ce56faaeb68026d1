/** Creates the lines of a job or an order, from articles with codes, prices and cartons. */
import type { Faker } from '@faker-js/faker';
import type { components } from '../../openapi/api.gen.ts';

type Schemas = components['schemas'];

/** `cartons`: number of cartons of one article. */
type Article = readonly [stockCode: string, stockName: string, price: number, weightKg: number, cartons?: number];

/** A line without its id, because the id field has different names in jobs and orders. */
type Line = Omit<Schemas['JobItem'], 'jobItemId'>;

/** Articles that need a van. */
export const largeArticles: readonly Article[] = [
  ['SOFA-3S-GRY', 'Three-seat sofa, grey', 1299.95, 64, 2],
  ['BED-Q-OAK', 'Queen bed frame, oak', 899, 58, 3],
  ['MATT-Q-FRM', 'Queen mattress, firm', 749, 32],
  ['DINE-6-ASH', 'Dining table for six, ash', 1149.5, 45, 2],
  ['WARD-3D-WHT', 'Wardrobe with three doors, white', 679, 88, 4],
  ['FRIDGE-420', 'Refrigerator, 420 l', 1099, 71],
  ['WASH-8KG', 'Washing machine, 8 kg', 749, 68],
  ['DISH-60-SS', 'Dishwasher, 60 cm, stainless', 899.5, 47],
  ['TV-65-4K', 'Television, 65 inches', 1395, 24],
  ['BBQ-4B-BLK', 'Barbecue with four burners', 599, 55, 2],
];

/** Articles that a customer can carry. */
export const smallArticles: readonly Article[] = [
  ['KETTLE-1L7', 'Kettle, 1.7 l', 59.9, 1.2],
  ['TOAST-2S-RED', 'Toaster with two slots, red', 79.95, 1.8],
  ['PAN-28-CI', 'Cast iron pan, 28 cm', 89, 3.4],
  ['LAMP-DESK-BRS', 'Desk lamp, brass', 119, 2.1],
  ['SHEET-Q-LIN', 'Queen sheet set, linen', 189, 1.9],
  ['VAC-STICK', 'Cordless vacuum cleaner', 449, 3.8],
  ['SPKR-BT-BLK', 'Portable speaker, black', 149.5, 0.7],
  ['DRILL-18V', 'Cordless drill, 18 V', 199, 2.6, 2],
];

const maxLines = 4;

/** Creates one to four lines of different articles; small numbers are more frequent. */
export function createLines(faker: Faker, articles: readonly Article[]): readonly Line[] {
  const count = Math.min(faker.number.int({ min: 1, max: maxLines }), faker.number.int({ min: 1, max: maxLines }));
  return faker.helpers.arrayElements(articles, count).map((chosen) => toLine(faker, chosen));
}

function toLine(faker: Faker, [stockCode, stockName, price, weightKg, cartons = 1]: Article): Line {
  const quantity = price < 150 ? faker.number.int({ min: 1, max: 4 }) : 1;
  const subItems = Array.from({ length: cartons }, (_, index) => ({ id: `carton-${index + 1}` }));
  return { stockCode, stockName, quantity, price, attributes: { weightKg }, ...(cartons > 1 && { subItems }) };
}
