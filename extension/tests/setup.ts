/** Before each file of tests. */
import { configure } from '@testing-library/preact';

// What a test waits for ends a hang on a busy machine, too, and measures nothing.
configure({ asyncUtilTimeout: 60_000 });
