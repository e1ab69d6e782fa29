import type { IEditorServices } from '@jupyterlab/codeeditor';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import type { CodeFile } from '../../protocol';
import type { NotebookCode } from './notebookCode';
import type { MainArea } from './shell';
import { Sources } from './sources';
import type { SourceHandlers } from './sourceView';

/** A view of a file, without the editor of JupyterLab. */
const { Fake, made } = vi.hoisted(() => {
  const made: InstanceType<typeof Fake>[] = [];
  class Fake {
    readonly node = document.createElement('div');
    isDisposed = false;
    isVisible = true;
    isTrue = true;
    readonly lines: number[] = [];
    readonly read = vi.fn();
    readonly tell = vi.fn();
    constructor(
      readonly path: string,
      _: unknown,
      readonly handlers: SourceHandlers
    ) {
      made.push(this);
    }
    showLine(line: number): void {
      this.lines.push(line);
    }
    dispose(): void {
      this.isDisposed = true;
    }
  }
  return { Fake, made };
});
vi.mock('./sourceView', () => ({ SourceView: Fake }));
vi.mock('./shell', () => ({ bringToFront: () => true }));

const file = (path: string): CodeFile => ({ file: path, name: path, cell: '', text: '' });
const FILES = [
  file('/a.py'),
  file('/b.py'),
  { file: '/tmp/1.py', name: 'In [1]', cell: 'x', text: 'y' }
];

let code: {
  program: { session: string; files: readonly CodeFile[] } | null;
  follower: { program: unknown; ask: ReturnType<typeof vi.fn> };
  [name: string]: unknown;
};
let sources: Sources;
let gone = '';

/** Another session, or none, is the one that is marked. */
function become(session: string | null, files: readonly CodeFile[] = FILES): void {
  code.program = code.follower.program = session === null ? null : { session, files };
  sources.refresh();
}
const open = (): string[] => made.filter(view => !view.isDisposed).map(({ path }) => path);
const asked = (): unknown[] =>
  code.follower.ask.mock.calls.map(([question]: { session: string; file: string }[]) => [
    question?.session,
    question?.file
  ]);

beforeEach(() => {
  vi.useFakeTimers();
  made.length = 0;
  gone = '';
  const ask = vi.fn(({ session, file }: { session: string; file: string }) =>
    Promise.resolve({ type: 'source', session, file, text: '', changed: false, gone })
  );
  code = {
    program: null,
    follower: { program: null, ask },
    marks: new Map(),
    stops: { of: () => new Set(), meet: vi.fn() },
    told: () => ({}),
    panel: {}
  };
  const area: MainArea = { add: () => undefined, activate: () => undefined };
  sources = new Sources(code as unknown as NotebookCode, {} as IEditorServices, area);
  become('s1');
});
afterEach(() => {
  sources.dispose();
  vi.useRealTimers();
});

async function show(...given: Parameters<Sources['show']>): Promise<void> {
  const shown = sources.show(...given);
  await vi.advanceTimersByTimeAsync(100);
  await shown;
}

describe('a view of a file', () => {
  test.each([
    ['followed', []],
    ['stopped', ['/b.py']],
    ['selected', ['/b.py']],
    ['asked', ['/b.py']]
  ] as const)('opens for who looks, not for each step (%s)', async (why, expected) => {
    await show(1, 7, why);
    expect(open()).toEqual(expected);
    expect(made.flatMap(({ lines }) => lines)).toEqual(expected.length > 0 ? [7] : []);
  });

  test('is found by its path, and steps go from file to file where one is open', async () => {
    await show(1, 7, 'stopped');
    await show(1, 9, 'followed');
    expect(made.map(({ lines }) => lines)).toEqual([[7, 9]]);
    await show(0, 3, 'followed');
    expect(open()).toEqual(['/b.py', '/a.py']);
  });

  test('that a person closes stays closed until they ask for it', async () => {
    await show(0, 1, 'stopped');
    made[0]?.handlers.closed();
    await show(0, 1, 'stopped');
    await show(1, 1, 'selected');
    expect(open()).toEqual([]);
    await show(1, 1, 'asked');
    expect(open()).toEqual(['/b.py']);
    await show(0, 1, 'stopped');
    expect(open()).toEqual(['/b.py', '/a.py']);
    made.at(-1)?.handlers.closed(); // another stays
    await show(0, 1, 'stopped');
    expect(open()).toEqual(['/b.py', '/a.py']);
  });

  test('with no text is opened by who looks for it, who is told why', async () => {
    gone = 'it is gone';
    await show(0, 1, 'stopped');
    expect(open()).toEqual([]);
    await show(0, 1, 'selected');
    expect(made[0]?.read).toHaveBeenCalledWith(expect.objectContaining({ gone }));
  });

  test('asked for twice at once is one', async () => {
    await Promise.all([show(0, 1, 'asked'), show(0, 2, 'asked')]);
    expect(open()).toEqual(['/a.py']);
  });
});

describe('when the session is over', () => {
  beforeEach(() => show(0, 1, 'asked'));

  test('it is let go of, and another session may open it again', async () => {
    become(null);
    await vi.advanceTimersByTimeAsync(2900);
    expect(open()).toEqual(['/a.py']);
    await vi.advanceTimersByTimeAsync(200);
    expect(open()).toEqual([]);
    become('s2');
    await show(0, 1, 'stopped');
    expect(open()).toEqual(['/a.py']);
  });

  test('it stays for another that was recorded there, whose text is read anew', async () => {
    become(null);
    await vi.advanceTimersByTimeAsync(1000);
    become('s2');
    await vi.advanceTimersByTimeAsync(9000);
    expect(open()).toEqual(['/a.py']);
    expect(asked()).toEqual([
      ['s1', '/a.py'],
      ['s2', '/a.py']
    ]);
    expect(made[0]?.read).toHaveBeenLastCalledWith(expect.anything(), true);
  });

  test('not for one that was not', async () => {
    become('s2', FILES.slice(1));
    await vi.advanceTimersByTimeAsync(3100);
    expect(open()).toEqual([]);
  });

  test.each([1000, 9000])(
    'steps of another still go from file to file (%i ms later)',
    async time => {
      become('s2', FILES.slice(1));
      await vi.advanceTimersByTimeAsync(time);
      await show(0, 7, 'followed');
      expect(open()).toContain('/b.py');
    }
  );

  test('steps open nothing any more if a person closed it before it was let go of', async () => {
    become('s2', FILES.slice(1));
    made[0]?.handlers.closed();
    await vi.advanceTimersByTimeAsync(9000);
    await show(0, 7, 'followed');
    expect(open()).toEqual([]);
  });

  test('with the notebook all go at once', () => {
    sources.dispose();
    expect(open()).toEqual([]);
  });
});

test('who comes back to the window is told what changed meanwhile', async () => {
  await show(0, 1, 'asked');
  window.dispatchEvent(new Event('focus'));
  await vi.advanceTimersByTimeAsync(0);
  expect(asked()).toHaveLength(2);
  expect(made[0]?.read).toHaveBeenLastCalledWith(expect.anything(), false);
});
