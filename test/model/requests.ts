/** Random requests to all operations, with the response that the model expects. */
import type { Dice } from './dice.ts';
import { type Target, toEndpoint } from './endpoints.ts';
import { drawEntry, drawList, drawStatus, idOf, ids } from './entries.ts';
import { drawLocation, drawUser } from './other-requests.ts';
import { drawRoutes } from './route-requests.ts';
import { createOne, processList, type Step, updateOne } from './steps.ts';

/** Draws a request to any operation. */
export function drawStep(dice: Dice, project: string): Step {
  const kind = dice.below(100);
  if (kind < 8) return drawUser(dice, project);
  if (kind < 18) return drawLocation(dice, project);
  const isLater = dice.often(60);
  const target = { project, sub: dice.often(40) ? dice.of(['north', 'south']) : undefined, isLater };
  if (kind < 32) return drawRoutes(dice, target);
  return kind < 58 ? drawOrders(dice, target) : drawJobs(dice, target);
}

function drawJobs(dice: Dice, target: Target): Step {
  const kind = dice.below(100);
  if (kind < 65) {
    const endpoint = toEndpoint(kind < 40 ? 'importJobs' : 'updateJobs', target);
    const jobs = drawList(dice, () => drawEntry(dice, drawStatus(dice)));
    return { ...endpoint, body: { jobs }, expect: processList('jobs', endpoint, jobs) };
  }
  return kind < 85 ? drawUpdate(dice, target) : drawCreate(dice, target);
}

function drawUpdate(dice: Dice, target: Target): Step {
  const id = dice.of(ids);
  const fixed = target.isLater && dice.often(90) ? { id } : {};
  const body = drawEntry(dice, drawStatus(dice), { status: drawStatus(dice), ...fixed });
  const endpoint = toEndpoint('updateJob', target, id);
  return { ...endpoint, body, expect: updateOne('jobs', endpoint, target.isLater ? id : idOf(body), body) };
}

function drawCreate(dice: Dice, target: Target): Step {
  const endpoint = toEndpoint('createJob', target);
  const fixed = dice.often(85) ? { address: {}, status: dice.of(['READY', 'PENDING']) } : {};
  const body = drawEntry(dice, drawStatus(dice), fixed);
  return { ...endpoint, body, expect: createOne(endpoint, body) };
}

function drawOrders(dice: Dice, target: Target): Step {
  if (dice.often(55)) {
    const endpoint = toEndpoint('importOrders', target);
    const orders = drawList(dice, () => drawEntry(dice, dice.of(['PENDING', 'READY', 'COMPLETE'])));
    return { ...endpoint, body: { orders }, expect: processList('orders', endpoint, orders) };
  }
  const id = dice.of(ids);
  const endpoint = toEndpoint('updateOrder', target, id);
  const body = drawEntry(dice, 'READY', { status: dice.of(['READY', 'CANCELLED']), ...(dice.often(90) && { id }) });
  return { ...endpoint, body, expect: updateOne('orders', endpoint, id, body) };
}
