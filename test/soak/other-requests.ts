/** Random requests about users and locations, and what should come of them. */
import { drawCount, foreseeOne } from './entries.ts';
import { remember } from './life.ts';
import { nothing, type Wanted } from './step.ts';
import type { Source } from './way.ts';

/** Without a capital letter and a special character. */
const weak = 'secret';

export function drawUser({ dice, bodies, life }: Source): Wanted {
  const { stored } = life.known.users;
  const kind = dice.below(100);
  const isBad = kind >= 90;
  if (stored.length === 0 || dice.often(40)) {
    const isThere = stored.length > 0 && kind < 8;
    const username = isThere ? dice.of(stored) : life.nextId('user');
    const fate = isBad ? 'bad' : isThere ? 'impossible' : 'good';
    return {
      ...{ operation: 'registerUser', method: 'POST', path: `/projects/${life.project}/users` },
      body: { ...bodies.user(username), ...(isBad && { password: weak }) },
      ...{ foreseen: foreseeOne(fate, 201, 409), isSeen: !isBad },
      took: () => remember(stored, fate === 'good' ? [username] : []),
    };
  }
  const isThere = kind >= 8;
  const username = isThere ? dice.of(stored) : life.nextId('user');
  return {
    ...{ operation: 'updateUser', method: 'PATCH', path: `/projects/${life.project}/users/${username}` },
    body: isBad ? { password: weak } : bodies.userChanges(),
    foreseen: foreseeOne(isBad ? 'bad' : isThere ? 'good' : 'impossible', 200, 404),
    ...{ isSeen: !isBad, took: nothing },
  };
}

export function drawLocations({ dice, bodies, life }: Source): Wanted {
  const isOne = dice.often(50);
  const count = isOne ? 1 : drawCount(dice);
  const locations = Array.from({ length: count }, () => bodies.location(`van-${dice.below(5)}`));
  const isBad = dice.often(10);
  if (isBad) locations[count - 1] = { deviceId: 'van-0', eventDateTime: 'yesterday' };
  return {
    operation: isOne ? 'submitLocation' : 'submitLocations',
    method: 'POST',
    path: `/projects/${life.project}/locations${isOne ? '' : '/batch'}`,
    body: isOne ? (locations[0] ?? {}) : { locations },
    foreseen: foreseeOne(isBad ? 'bad' : 'good', 200, 0),
    ...{ isSeen: !isBad, took: nothing },
  };
}
