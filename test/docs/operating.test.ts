import { testPages } from './pages.ts';

testPages(['docs/operating/security.md']);
