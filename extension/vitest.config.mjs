import { readFile } from 'node:fs/promises';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [
    {
      name: 'text-imports', // See src/text.d.ts.
      enforce: 'pre',
      async load(id) {
        return /\.raw\.css$/.test(id)
          ? `export default ${JSON.stringify(await readFile(id, 'utf8'))}`
          : null;
      }
    }
  ],
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}', 'tests/**/*.test.{ts,tsx}'],
    setupFiles: ['tests/setup.ts'],
    restoreMocks: true,
    testTimeout: 120_000 // ends a hang: none needs a second on an idle machine
  }
});
