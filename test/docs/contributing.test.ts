import { testFolder } from './pages.ts';

testFolder('docs/contributing');
