/** Labels of where a scenario is from. */
export const sourceLabels: Readonly<Record<string, string>> = {
  shipped: 'shipped',
  folder: 'from a folder',
  option: 'from an option',
  control: 'own',
  inline: 'inline',
};
