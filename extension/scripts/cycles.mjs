/**
 * Fails where modules of src import each other in a circle, imports of types included: no module of a circle
 * can be understood before the others. A part of `jlpm lint`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import ts from 'typescript';

/** Groups of names of which each leads to all others of its group. */
export function cycles(imports) {
  const reached = new Map();
  for (const start of imports.keys()) {
    const seen = new Set();
    const open = [start];
    while (open.length > 0) {
      for (const next of imports.get(open.pop()) ?? []) {
        if (!seen.has(next)) {
          seen.add(next);
          open.push(next);
        }
      }
    }
    reached.set(start, seen);
  }
  const groups = new Set();
  for (const [name, seen] of reached) {
    if (seen.has(name)) {
      groups.add(
        [...seen]
          .filter(other => reached.get(other)?.has(name))
          .sort()
          .join(' ')
      );
    }
  }
  return [...groups].sort().map(group => group.split(' '));
}

/** By file, the files of `folder` that it imports: those for types alone, late ones and re-exports, too. */
export function importsIn(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => /\.tsx?$/.test(file))
    .map(file => join(folder, file));
  const known = new Set(files);
  const found = new Map();
  for (const file of files) {
    const named = ts.preProcessFile(readFileSync(file, 'utf8'), true, true).importedFiles;
    const targets = named
      .filter(({ fileName }) => fileName.startsWith('.'))
      .map(({ fileName }) => resolve(dirname(file), fileName))
      .flatMap(path => [path, `${path}.ts`, `${path}.tsx`, join(path, 'index.ts')])
      .filter(path => known.has(path));
    found.set(file, new Set(targets));
  }
  return found;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const folder = resolve(dirname(fileURLToPath(import.meta.url)), '..', 'src');
  const found = cycles(importsIn(folder));
  for (const group of found) {
    console.error(`import cycle: ${group.map(file => relative(folder, file)).join(', ')}`);
  }
  process.exit(found.length > 0 ? 1 : 0);
}
