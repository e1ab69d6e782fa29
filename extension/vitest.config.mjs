import { readFile } from 'node:fs/promises';
import { defineConfig } from 'vitest/config';

const PLAIN = ['{src,tests}/**/*.test.ts'];
const DRAWN = [
  '{src,tests}/**/*.test.tsx',
  'src/mime/saved.test.ts',
  'src/trace/file.test.ts',
  'src/widget/picture.test.ts'
];

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
    restoreMocks: true,
    testTimeout: 120_000, // ends a hang: none needs a second on an idle machine
    // To make a page for a file takes longer than its tests: only those that draw have one.
    projects: [
      {
        extends: true,
        test: { name: 'plain', environment: 'node', isolate: false, include: PLAIN, exclude: DRAWN }
      },
      {
        extends: true,
        test: {
          name: 'drawn',
          environment: 'jsdom',
          pool: 'vmThreads', // a page of its own for each file at a third of the cost
          include: DRAWN,
          setupFiles: ['tests/setup.ts']
        }
      }
    ]
  }
});
