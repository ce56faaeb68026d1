/** The screens of the console, by their names in the URL. The console's own list needs a browser. */
export const screenNames = [
  'live',
  'problems',
  'records',
  'map',
  'callbacks',
  'scenarios',
  'sweep',
  'clock',
  'reference',
  'connect',
] as const;
