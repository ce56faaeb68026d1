/** The bytes of every operation are those of `approved/`; README.txt describes them. */
import { testTranscripts } from './runner.ts';

testTranscripts();
