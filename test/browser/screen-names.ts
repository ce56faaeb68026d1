/** The screens of the console, by their names in the URL. The console's own list needs a browser. */
export const screenNames = [
  'live',
  'quality',
  'records',
  'map',
  'callbacks',
  'scenarios',
  'clock',
  'reference',
  'connect',
] as const;
