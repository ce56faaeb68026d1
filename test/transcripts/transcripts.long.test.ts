/** A restart between the requests and the advance changes neither the records nor the callbacks of any operation. */
import { testTranscripts } from './runner.ts';

testTranscripts({ restarts: true });
