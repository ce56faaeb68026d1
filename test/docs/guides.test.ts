import { testPages } from './pages.ts';

testPages(['docs/guides/callbacks.md', 'docs/guides/client.md']);
