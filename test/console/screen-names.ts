/** The screens of the console, by the names in their addresses; the page's own list can't be had without a browser. */
export const screenNames = [
  'live',
  'problems',
  'records',
  'map',
  'callbacks',
  'scenarios',
  'clock',
  'reference',
  'connect',
] as const;
