/** Before each file of tests. */
import { DecompressionStream } from 'node:stream/web';

import { configure } from '@testing-library/preact';

// What a test waits for ends a hang on a busy machine, too, and measures nothing.
configure({ asyncUtilTimeout: 60_000 });

// Every browser has it; the page that is made for tests does not.
globalThis.DecompressionStream = DecompressionStream;
// Nothing is laid out there: no place can be scrolled to.
globalThis.Element.prototype.scrollIntoView = () => undefined;
