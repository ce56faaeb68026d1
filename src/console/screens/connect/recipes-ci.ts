/** Recipes that run a sandbox next to the tests: in a CI pipeline, and with docker compose. */
import { quote, type Recipe, type RecipeValues } from './recipe.ts';

/** Escapes `$`, which starts a variable name in these files. */
function quoteDollars(text: string): string {
  return quote(text.replaceAll('$', '$$$$'));
}

/** A placeholder: the image is in no public registry, so users push it to their own registry. */
const image = 'registry.example.com/field-sandbox:0.1.0';
const imageNote = `# The image is not published. Once, in the folder of field-sandbox:
#   docker build -t ${image} . && docker push ${image}`;

function github({ key, project }: RecipeValues): string {
  return `${imageNote}
name: tests
on: [push]
jobs:
  test:
    runs-on: ubuntu-latest
    services:
      sandbox:
        image: ${image}
        ports: ["4600:4600"]
        env:
          SANDBOX_API_KEY: ${quote(key)}
          # Time moves only when a test advances the clock, so no test sleeps.
          SANDBOX_CLOCK: frozen
    env:
      SANDBOX_URL: http://127.0.0.1:4600
      SANDBOX_API_KEY: ${quote(key)}
      SANDBOX_PROJECT: ${quote(project)}
    steps:
      - uses: actions/checkout@v4
      - run: curl --fail --retry 30 --retry-delay 1 --retry-all-errors "$SANDBOX_URL/_sandbox/ready"
      - run: npm ci && npm test
`;
}

function gitlab({ key, project }: RecipeValues): string {
  return `${imageNote}
test:
  image: node:24
  services:
    - name: ${image}
      alias: sandbox
      variables:
        SANDBOX_API_KEY: ${quoteDollars(key)}
        # Time moves only when a test advances the clock, so no test sleeps.
        SANDBOX_CLOCK: frozen
  variables:
    SANDBOX_URL: http://sandbox:4600
    SANDBOX_API_KEY: ${quoteDollars(key)}
    SANDBOX_PROJECT: ${quoteDollars(project)}
  script:
    - curl --fail --retry 30 --retry-delay 1 --retry-all-errors "$SANDBOX_URL/_sandbox/ready"
    - npm ci && npm test
`;
}

function compose({ key, project }: RecipeValues): string {
  return `# First, in the folder of field-sandbox: docker build -t field-sandbox .
services:
  sandbox:
    image: field-sandbox
    ports: ["127.0.0.1:4600:4600"]
    environment:
      SANDBOX_API_KEY: ${quoteDollars(key)}
      # Callbacks are sent to the service client.
      SANDBOX_CALLBACK_URL: http://client:8080/callbacks
  client:
    build: .
    environment:
      SANDBOX_URL: http://sandbox:4600
      SANDBOX_API_KEY: ${quoteDollars(key)}
      SANDBOX_PROJECT: ${quoteDollars(project)}
    depends_on:
      sandbox: { condition: service_healthy }
`;
}

const aboutCi = 'The sandbox runs next to the tests. Its clock is frozen until they advance it.';

export const githubRecipe: Recipe = {
  name: 'github',
  title: 'GitHub Actions',
  file: '.github/workflows/tests.yaml',
  about: aboutCi,
  text: github,
};

export const gitlabRecipe: Recipe = {
  name: 'gitlab',
  title: 'GitLab',
  file: '.gitlab-ci.yml',
  about: aboutCi,
  text: gitlab,
};

export const composeRecipe: Recipe = {
  name: 'compose',
  title: 'docker compose',
  file: 'compose.yaml',
  about: 'Your client starts when the sandbox is ready, and receives its callbacks.',
  text: compose,
};
