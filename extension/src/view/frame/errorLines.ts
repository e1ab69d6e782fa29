/** An error as three lines: what happened, where, and what to do. The rest is for who wants to know. */

export interface ErrorLines {
  readonly what: string;
  readonly where: string;
  readonly fix: string;
  readonly details: string;
}

/**
 * Of an error's text and the notes below it, as the kernel writes them (`vizgrad.core.errors.Explanation`): a story
 * of what happened, the place and the fix. Without a story, or where that is only which node was running, the error's
 * own text says what.
 */
export function errorLines(text: string): ErrorLines {
  const [first = '', ...notes] = text.trim().split('\n');
  const told = notes.map(line => /^\s*(where|fix): (.*)$/.exec(line));
  const find = (word: string): number => told.findIndex(found => found?.[1] === word);
  const [where, fix] = [find('where'), find('fix')];
  const explained = Math.min(where < 0 ? notes.length : where, fix < 0 ? notes.length : fix);
  const story = explained < notes.length ? (notes[explained - 1] ?? '') : '';
  const isStory = story.trim() !== '' && !story.startsWith('while running ');
  const what = isStory ? story.trim() : short(first);
  const details = [first, ...notes.filter((_, i) => i !== where && i !== fix)].filter(
    line => line.trim() !== '' && line.trim() !== what
  );
  return {
    what,
    where: told[where]?.[2] ?? '',
    fix: told[fix]?.[2] ?? '',
    details: details.join('\n')
  };
}

/** The first sentence of a long one: errors of PyTorch's kind explain themselves at length. */
function short(line: string): string {
  const LONG = 160;
  if (line.length <= LONG) {
    return line;
  }
  const end = line.search(/[.;]\s/);
  const sentence = end > 24 ? line.slice(0, end) : '';
  return sentence !== '' && sentence.length <= LONG ? sentence : `${line.slice(0, LONG - 1)}…`;
}
