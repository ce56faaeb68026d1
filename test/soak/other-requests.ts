/** Random requests about users and locations, and their expected results. */
import type { Dice } from '../model/dice.ts';
import { drawCount, expectOne, type Fate } from './entries.ts';
import { remember } from './life.ts';
import type { Source } from './source.ts';
import { nothing, type Wanted } from './step.ts';

/** A password without a capital letter and a special character. */
const weak = 'secret';

export function drawUser(source: Source): Wanted {
  const { dice, life } = source;
  const isFirst = life.known.users.stored.length === 0;
  return isFirst || dice.often(40) ? drawRegistration(source) : drawUserUpdate(source);
}

function drawRegistration({ dice, bodies, life }: Source): Wanted {
  const { stored } = life.known.users;
  const fate = drawUserFate(dice, stored.length > 0);
  const username = fate === 'impossible' ? dice.of(stored) : life.nextId('user');
  return {
    ...{ operation: 'registerUser', method: 'POST', path: `/projects/${life.project}/users` },
    body: { ...bodies.user(username), ...(fate === 'bad' && { password: weak }) },
    ...{ expected: expectOne(fate, 201, 409), isSeen: fate !== 'bad' },
    onApplied: () => remember(stored, fate === 'good' ? [username] : []),
  };
}

function drawUserUpdate({ dice, bodies, life }: Source): Wanted {
  const fate = drawUserFate(dice, true);
  const username = fate === 'impossible' ? life.nextId('user') : dice.of(life.known.users.stored);
  return {
    ...{ operation: 'updateUser', method: 'PATCH', path: `/projects/${life.project}/users/${username}` },
    body: fate === 'bad' ? { password: weak } : bodies.userChanges(),
    ...{ expected: expectOne(fate, 200, 404), isSeen: fate !== 'bad', onApplied: nothing },
  };
}

/** Rejected in 10 % of draws; impossible, because the user exists or is unknown, in 8 %. */
function drawUserFate(dice: Dice, canBeImpossible: boolean): Fate {
  const kind = dice.below(100);
  if (kind >= 90) return 'bad';
  return canBeImpossible && kind < 8 ? 'impossible' : 'good';
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
    expected: expectOne(isBad ? 'bad' : 'good', 200, 0),
    ...{ isSeen: !isBad, onApplied: nothing },
  };
}
