/** Assigns the colors of the style sheet to drivers and routes. */

/** Number of colors in the style sheet. */
export const colorCount = 12;

interface Driven {
  readonly id: string;
  readonly driver: { readonly deviceId: string };
}

/** A driver and its routes have the same color. The first drivers on the map have different colors. */
export function assignColors(
  devices: readonly { readonly id: string }[],
  routes: readonly Driven[],
): ReadonlyMap<string, number> {
  const groups = new Set([...devices.map(({ id }) => `device:${id}`), ...routes.map(groupOfRoute)]);
  return new Map([...groups].map((group, index) => [group, index % colorCount]));
}

export function groupOfRoute({ id, driver }: Driven): string {
  return driver.deviceId === '' ? `route:${id}` : `device:${driver.deviceId}`;
}
