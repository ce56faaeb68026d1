/** Random requests about users and the locations of devices. */
import type { Dice } from './dice.ts';
import { type Fields, isPassword } from './fields.ts';
import { change, locate, put, toIso } from './rules.ts';
import { rejection, type Step } from './steps.ts';

/** Whether a registration has a type that exists, with the fields that the type requires. */
function isRegistrable({ type, access, locationIds, visibleBy, password }: Fields): boolean {
  if (!isPassword(password)) return false;
  if (type === 'attendant') return locationIds !== undefined && access !== undefined;
  return type === 'driver' && visibleBy !== undefined && ['"DRIVER"', '["DRIVER"]'].includes(JSON.stringify(access));
}

export function drawUser(dice: Dice, project: string): Step {
  const username = dice.of(['ana', 'bo']);
  const password = dice.of(['Secret!', 'secret!', 'Secret', 'A-']);
  if (dice.often(50)) {
    const body: Fields = {
      username,
      password,
      ...(dice.often(90) && { type: dice.of(['attendant', 'driver', 'driver', 'user']) }),
      ...(dice.often(85) && { access: dice.of(['DRIVER', ['DRIVER'], ['HO']]) }),
      ...(dice.often(85) && { visibleBy: dice.of(['S-1', ['S-1']]), locationIds: ['S-1'] }),
      ...(dice.often(30) && { projectId: project, firstName: 'Ana' }),
    };
    return {
      ...{ method: 'POST', path: `/projects/${project}/users`, body },
      expect: (state) => {
        const { password: _secret, projectId: _inPath, ...fields } = body;
        if (!isRegistrable(body)) return rejection(400);
        const failed = put(state, 'users', username, { ...fields, passwordChangedAt: toIso(state.now) });
        return failed
          ? { status: 409, body: { message: failed.reason } }
          : { status: 201, body: { message: `user ${username} created` } };
      },
    };
  }
  const fields: Fields = {
    ...(dice.often(50) && { tags: ['a'] }),
    ...(dice.often(30) && { visibleBy: { siteId: ['S-2'] } }),
  };
  const body: Fields = { ...fields, ...(dice.often(40) && { password }) };
  return {
    ...{ method: 'PATCH', path: `/projects/${project}/users/${username}`, body },
    expect: (state) => {
      if ('password' in body && !isPassword(password)) return rejection(400);
      const failed = change(state, 'users', username, {
        ...fields,
        ...('password' in body && { passwordChangedAt: toIso(state.now) }),
      });
      return failed
        ? { status: 404, body: { message: failed.reason } }
        : { status: 200, body: { message: `user ${username} updated` } };
    },
  };
}

export function drawLocation(dice: Dice, project: string): Step {
  const point = (): Fields => ({
    deviceId: dice.of(['van-1', 'van-2', '__proto__']),
    eventDateTime: dice.of(
      ['09:00:00Z', '19:00:01+10:00', '09:00:02.5Z', '04:00:03-05:00', '09:00:04Z'].map((time) => `2026-03-02T${time}`),
    ),
    geoJson: { type: dice.often(96) ? 'Point' : 'Line', coordinates: [dice.below(180), dice.below(90)] },
  });
  const isOne = dice.often(50);
  // A trail has at most 1,000 locations.
  const many = dice.often(4) ? 1100 : dice.below(4);
  const locations = Array.from({ length: isOne ? 1 : many }, point);
  if (many > 100) {
    for (const [index, one] of locations.entries())
      Object.assign(one, { deviceId: 'van-1', geoJson: { type: 'Point', coordinates: [index % 180, 1] } });
  }
  return {
    method: 'POST',
    path: `/projects/${project}/locations${isOne ? '' : '/batch'}`,
    body: isOne ? locations[0] : { locations },
    expect: (state) => {
      if (locations.some(({ geoJson }) => (geoJson as Fields)['type'] !== 'Point')) return rejection(400);
      for (const one of locations) locate(state, one);
      return { status: 200, body: {} };
    },
  };
}
