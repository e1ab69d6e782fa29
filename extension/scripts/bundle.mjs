// The widget, and what a page that shows a trace runs, each in one file; @jupyter/builder makes the labextension.
//
//   node scripts/bundle.mjs    lib/widget/index.js -> ../vizgrad/debugger/jupyter/widget/static/widget.js
//                              lib/trace/page.js   -> ../vizgrad/debugger/jupyter/widget/static/trace.js
import { readFile, stat, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';

const folder = '../vizgrad/debugger/jupyter/widget/static';
const bundles = [
  { from: 'lib/widget/index.js', to: `${folder}/widget.js`, format: 'esm' },
  { from: 'lib/trace/page.js', to: `${folder}/trace.js`, format: 'iife' }
];

// Every file that went in, by its path: `third-party.mjs` reads whose they are.
const inputs = {};
for (const { from, to, format } of bundles) {
  const { metafile } = await build({
    entryPoints: [from],
    outfile: to,
    format,
    bundle: true,
    metafile: true,
    minify: true,
    target: 'es2023',
    banner: {
      js: '/* vizgrad, BSD-3-Clause; contains other work: see extension/THIRD_PARTY.md. */'
    },
    logLevel: 'warning',
    loader: { '.raw.css': 'text' }
  });
  Object.assign(inputs, metafile.inputs);
  const { size } = await stat(to);
  const text = await readFile(to, 'utf8');
  if (/\bfrom\s*["'](?![./])/.test(text.slice(-2000) + text.slice(0, 2000))) {
    throw new Error(`${to} must be one file: it still imports a package by name`);
  }
  console.log(`${to}: ${Math.ceil(size / 1024)} KiB`);
}
await writeFile('lib/bundled.json', JSON.stringify({ inputs }));
