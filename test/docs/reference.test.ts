import { testPages } from './pages.ts';

testPages([
  'docs/reference/options.md',
  'docs/reference/commands.md',
  'docs/reference/api.md',
  'docs/reference/control-api.md',
  'docs/reference/scenarios.md',
  'docs/reference/shipped-scenarios.md',
  'docs/reference/profile.md',
  'docs/reference/errors.md',
  'docs/reference/http.md',
]);
