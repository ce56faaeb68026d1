import { testPages } from './pages.ts';

testPages(['docs/getting-started.md', 'docs/index.md', 'README.md']);
