// The widget in one file; @jupyter/builder makes the labextension.
//
//   node scripts/bundle.mjs    lib/widget/index.js -> ../vizgrad/widgets/static/widget.js
import { readFile, stat } from 'node:fs/promises';
import { build } from 'esbuild';

const outfile = '../vizgrad/widgets/static/widget.js';
await build({
  entryPoints: ['lib/widget/index.js'],
  outfile,
  format: 'esm',
  bundle: true,
  minify: true,
  target: 'es2023',
  banner: { js: '/* vizgrad, BSD-3-Clause; contains other work: see extension/THIRD_PARTY.md. */' },
  logLevel: 'warning',
  loader: { '.raw.css': 'text' }
});

const { size } = await stat(outfile);
const text = await readFile(outfile, 'utf8');
if (/\bfrom\s*["'](?![./])/.test(text.slice(-2000) + text.slice(0, 2000))) {
  throw new Error('widget.js must be one file: it still imports a package by name');
}
console.log(`${outfile}: ${Math.ceil(size / 1024)} KiB`);
