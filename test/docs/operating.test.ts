import { testPages } from './pages.ts';

testPages([
  'docs/operating/data.md',
  'docs/operating/shared.md',
  'docs/operating/limits.md',
  'docs/operating/partner-keys.md',
  'docs/operating/security.md',
]);
