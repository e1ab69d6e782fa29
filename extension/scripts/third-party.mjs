// What the built front end contains of others' work, with its licenses.
//
//   node scripts/third-party.mjs            writes THIRD_PARTY.md
//   node scripts/third-party.mjs --check    fails where it is not true of what was built
import { readFile, writeFile } from 'node:fs/promises';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const file = 'THIRD_PARTY.md';
const labextension = '../vizgrad/labextension/static/third-party-licenses.json';

/** The package that a file of node_modules belongs to. Folders inside it may have descriptions of their own. */
async function owner(path) {
  const [folder] = /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path);
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8')
  );
  return { folder, name, version, license };
}

const found = new Map();
const add = one => found.set(`${one.name} ${one.version}`, one);

// The widget and the page of a trace: esbuild lists every file that went in.
const { inputs } = JSON.parse(await readFile('lib/bundled.json', 'utf8'));
for (const path of Object.keys(inputs).filter(path => path.includes('node_modules/'))) {
  add(await owner(path));
}
// The labextension: its builder lists packages; what is no package of its own is part of one (preact/jsx-runtime).
const listed = JSON.parse(await readFile(labextension, 'utf8')).packages;
for (const { name, versionInfo } of listed) {
  const folder = join('node_modules', name);
  if (existsSync(folder)) {
    add(await owner(join(folder, 'package.json')));
  } else if (!listed.some(other => existsSync(join('node_modules', other.name, name)))) {
    throw new Error(`${name} ${versionInfo} is in the labextension, and its license is not known`);
  }
}

const lines = [
  '# What the built front end contains',
  '',
  "`vizgrad/debugger/jupyter/widget/static/widget.js`, `trace.js` beside it and the labextension carry, besides vizgrad's own code",
  '(BSD-3-Clause), these packages. Written by `node scripts/third-party.mjs` from what was bundled; the build compares it.'
];
for (const { folder, name, version, license } of [...found.values()].sort((a, b) =>
  a.name.localeCompare(b.name)
)) {
  const text = readdirSync(folder).find(entry => /^(licen[sc]e|copying)/i.test(entry));
  if (!license || !text) {
    throw new Error(`${name} ${version} is bundled and states no license`);
  }
  const quoted = (await readFile(join(folder, text), 'utf8'))
    .trim()
    .split(/\r?\n/)
    .map(line => `> ${line}`.trimEnd());
  lines.push('', `## ${name} ${version}, ${license}`, '', ...quoted);
}
const wanted = `${lines.join('\n')}\n`;

if (!process.argv.includes('--check')) {
  await writeFile(file, wanted);
} else if ((await readFile(file, 'utf8')) !== wanted) {
  throw new Error(
    `${file} is not what is bundled: run \`node scripts/third-party.mjs\` in extension/`
  );
}
