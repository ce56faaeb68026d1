/** Writes a scenario as YAML text, as people write it: each condition and each effect on one line. */

/** Longer texts stay JSON, which is YAML as well: writing them would hold up all other requests. */
const maxYaml = 50_000;

/** `comment`: the first line of the text. */
export async function writeScenario(scenario: object, comment?: string): Promise<string> {
  const json = JSON.stringify(scenario, null, 2);
  if (json.length > maxYaml) return json;
  const { Document, isMap, isScalar, visit } = await import('yaml');
  const document = new Document(scenario);
  document.commentBefore = comment === undefined ? null : ` ${comment}`;
  visit(document, {
    Pair: (_key, { key, value }) => {
      if (isScalar(key) && (key.value === 'when' || key.value === 'then') && isMap(value)) value.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}
