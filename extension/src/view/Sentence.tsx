/** What the kernel says, with code in it between backticks, as in Python's messages: drawn as code. */
import type { JSX } from 'preact';

const CODE = /(`+)([^`\n]+)\1/g;

export function Sentence({ text }: { readonly text: string }): JSX.Element {
  const parts = text.split(CODE); // What is not code, the backticks, the code, what is not code, ...
  return (
    <>
      {parts.map((part, i) =>
        i % 3 === 0 ? part : i % 3 === 2 && <code class="vg-code-word">{part}</code>
      )}
    </>
  );
}

/** The first code in it; '': none. */
export function codeIn(text: string): string {
  return text.split(CODE)[2] ?? '';
}

/** The same where only text can be: spoken, in a tooltip, in the drawing. */
export function unquoted(text: string): string {
  return text.replace(CODE, '$2');
}
