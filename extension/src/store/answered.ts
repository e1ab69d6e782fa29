/** What a message answers. */
import { ANSWERS } from '../protocol';
import type { Message, Unnumbered } from '../protocol';

/** Is it what such a question is answered with, or nobody's answer? */
export function answers({ type }: Message, question: Unnumbered | undefined): boolean {
  const expected: readonly Message['type'][] = question ? ANSWERS[question.type] : [type];
  return type === 'failed' || expected.includes(type);
}

/** The number of the request, also of a message that cannot be read; 0: of none. */
export function requestOf(message: unknown): number {
  const request =
    typeof message === 'object' && message !== null
      ? (message as { request?: unknown }).request
      : undefined;
  return typeof request === 'number' ? request : 0;
}
