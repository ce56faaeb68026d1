import { testPages } from './pages.ts';

testPages([
  'docs/guides/callbacks.md',
  'docs/guides/ci.md',
  'docs/guides/client.md',
  'docs/guides/console.md',
  'docs/guides/containers.md',
  'docs/guides/coverage.md',
  'docs/guides/drift.md',
  'docs/guides/generated-clients.md',
  'docs/guides/java.md',
  'docs/guides/node-kit.md',
  'docs/guides/python.md',
  'docs/guides/qa.md',
  'docs/guides/replay.md',
  'docs/guides/robust-client.md',
  'docs/guides/schemathesis-specmatic.md',
  'docs/guides/shrink.md',
  'docs/guides/sweep.md',
  'docs/guides/tls.md',
  'docs/guides/verify-receiver.md',
  'docs/guides/your-api.md',
]);
