import { testPages } from './pages.ts';

testPages(['docs/index.md']);
