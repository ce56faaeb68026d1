/** Random requests to all operations, with what the model says of each. */
import { type Batch, base, type Dice, drawEntry, drawList, drawStatus, idOf, ids, inPath, named } from './draws.ts';
import { drawLocation, drawUser } from './other-requests.ts';
import { drawRoutes } from './route-requests.ts';
import { batch, changeOne, createOne, type Step } from './tasks.ts';

/** Any request to any operation. */
export function drawStep(dice: Dice, project: string): Step {
  const kind = dice.below(100);
  if (kind < 8) return drawUser(dice, project);
  if (kind < 18) return drawLocation(dice, project);
  const isLater = dice.often(60);
  const sub = dice.often(40) ? dice.of(['north', 'south']) : undefined;
  if (kind < 32) return drawRoutes(dice, { project, sub, isLater, operation: '' });
  if (kind < 58) return drawOrders(dice, { project, sub, isLater, operation: '' });
  return drawJobs(dice, { project, sub, isLater, operation: '' });
}

function drawJobs(dice: Dice, drawn: Batch): Step {
  const entry = (): unknown => drawEntry(dice, drawStatus(dice));
  const kind = dice.below(100);
  if (kind < 40) {
    const how = { ...drawn, operation: named('ImportJobs', drawn) };
    const jobs = drawList(dice, entry);
    const shape = !how.isLater && how.sub !== undefined ? 'createInSubproject' : 'create';
    const path = `${base(how)}/jobs${how.isLater ? '' : '/batch'}`;
    return { method: 'POST', path, body: { jobs }, expect: batch('jobs', shape, how, jobs) };
  }
  if (kind < 65) {
    // No operation changes a list at once in a subproject.
    const how = { ...drawn, ...(!drawn.isLater && { sub: undefined }) };
    const jobs = drawList(dice, entry);
    const path = `${base(how)}/jobs${how.isLater ? '' : '/batch'}`;
    const operation = named('UpdateJobs', how);
    return { method: 'PATCH', path, body: { jobs }, expect: batch('jobs', 'update', { ...how, operation }, jobs) };
  }
  if (kind < 85) {
    const id = dice.of(ids);
    const given = drawn.isLater && dice.often(90) ? { id } : {};
    const body = drawEntry(dice, drawStatus(dice), { status: drawStatus(dice), ...given });
    const how = { ...drawn, operation: named('UpdateJob', drawn) };
    const path = `${base(how)}/jobs`;
    if (how.isLater)
      return {
        method: 'PATCH',
        path: `${path}/${inPath(id)}`,
        body,
        expect: changeOne('jobs', 'byPath', how, id, body),
      };
    return { method: 'PATCH', path, body, expect: changeOne('jobs', 'byBody', how, idOf(body), body) };
  }
  const how = { ...drawn, isLater: false };
  const body = drawEntry(
    dice,
    drawStatus(dice),
    dice.often(85) ? { address: {}, status: dice.of(['READY', 'PENDING']) } : {},
  );
  return { method: 'POST', path: `${base(how)}/jobs`, body, expect: createOne(how, body) };
}

function drawOrders(dice: Dice, drawn: Batch): Step {
  if (dice.often(55)) {
    const how = { ...drawn, operation: named('ImportOrders', drawn) };
    const orders = drawList(dice, () => drawEntry(dice, dice.of(['PENDING', 'READY', 'COMPLETE'])));
    return {
      method: 'POST',
      path: `${base(how)}/orders`,
      body: { orders },
      expect: batch('orders', 'order', how, orders),
    };
  }
  const id = dice.of(ids);
  const how = { ...drawn, operation: named('UpdateOrder', drawn) };
  const body = drawEntry(dice, 'READY', { status: dice.of(['READY', 'CANCELLED']), ...(dice.often(90) && { id }) });
  return {
    method: 'PATCH',
    path: `${base(how)}/orders/${inPath(id)}`,
    body,
    expect: changeOne('orders', 'orderUpdate', how, id, body),
  };
}
