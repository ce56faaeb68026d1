import { testPages } from './pages.ts';

testPages(['docs/contributing/testing.md']);
