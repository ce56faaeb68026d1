import { testPages } from './pages.ts';

testPages(['docs/contributing/benchmark.md', 'docs/contributing/effects.md', 'docs/contributing/testing.md']);
