// The two bundles that are ours to make; @jupyter/builder makes the third, the labextension.
//
//   node scripts/bundle.mjs worker    src/view/layout/worker.ts -> generated/layoutWorker.txt
//   node scripts/bundle.mjs widget    lib/widget/index.js       -> ../vizgrad/widgets/static/widget.js
//
// The layout worker is imported as text and started from a Blob URL: an address of its own would
// have to be served by every host (Lab, VS Code, Colab, ...), and no page may need a network to draw.
import { readFile, stat } from 'node:fs/promises';
import { build } from 'esbuild';

const common = {
  bundle: true,
  minify: true,
  target: 'es2023',
  banner: { js: '/* vizgrad, BSD-3-Clause; contains other work: see extension/THIRD_PARTY.md. */' },
  logLevel: 'warning',
  loader: { '.raw.css': 'text', '.txt': 'text' }
};

const bundles = {
  worker: {
    entryPoints: ['src/view/layout/worker.ts'],
    outfile: 'generated/layoutWorker.txt',
    format: 'iife'
  },
  widget: {
    entryPoints: ['lib/widget/index.js'],
    outfile: '../vizgrad/widgets/static/widget.js',
    format: 'esm'
  }
};

const name = process.argv[2];
const bundle = bundles[name];
if (!bundle) {
  console.error(`usage: node scripts/bundle.mjs ${Object.keys(bundles).join('|')}`);
  process.exit(2);
}
await build({ ...common, ...bundle });

const { size } = await stat(bundle.outfile);
const text = await readFile(bundle.outfile, 'utf8');
if (name === 'widget' && /\bfrom\s*["'](?![./])/.test(text.slice(-2000) + text.slice(0, 2000))) {
  throw new Error('widget.js must be one file: it still imports a package by name');
}
console.log(`${bundle.outfile}: ${Math.ceil(size / 1024)} KiB`);
