import type { Kernel } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { PortStatus } from '../store';
import type { KernelFollower } from './kernelFollower';
import { accompany } from './beforeMoves';
import { KernelPort } from './kernelPort';

/** A comm that the kernel accepts or, not knowing its target, closes at once. */
class FakeComm {
  isDisposed = false;
  onMsg: (message: unknown) => void = () => undefined;
  onClose: (message?: unknown) => void = () => undefined;
  readonly sent: unknown[] = [];
  readonly opened: unknown[] = [];

  constructor(
    private readonly known: boolean,
    private readonly answers: Promise<void>
  ) {}

  open(data?: unknown): { done: Promise<void> } {
    this.opened.push(data);
    if (!this.known) {
      this.onClose();
    }
    return { done: this.answers };
  }

  send(message: unknown): void {
    this.sent.push(message);
  }

  close(): void {
    this.onClose();
    this.dispose();
  }

  /** Twice would take the subshell away that other comms use. */
  dispose(): void {
    expect(this.isDisposed).toBe(false);
    this.isDisposed = true;
  }
}

let kernels = 0;

class FakeKernel {
  readonly iopubMessage = new Signal<this, unknown>(this);
  readonly statusChanged = new Signal<this, Kernel.Status>(this);
  readonly connectionStatusChanged = new Signal<this, Kernel.ConnectionStatus>(this);
  readonly anyMessage = new Signal<this, unknown>(this);
  connectionStatus: Kernel.ConnectionStatus = 'connected';
  readonly comms: FakeComm[] = [];
  readonly info: Promise<unknown>;
  known: string[] = [];
  /** When it has said what it makes of an open. */
  answers = Promise.resolve();
  readonly id = `kernel ${(kernels += 1)}`;

  constructor(
    public imported: boolean,
    language = 'python'
  ) {
    this.info = Promise.resolve({ language_info: { name: language } });
  }

  requestCommInfo(): Promise<unknown> {
    const comms = Object.fromEntries(this.known.map(id => [id, {}]));
    return Promise.resolve({ content: { status: 'ok', comms } });
  }

  createComm(): FakeComm {
    const comm = new FakeComm(this.imported, this.answers);
    this.comms.push(comm);
    return comm;
  }

  connects(status: Kernel.ConnectionStatus): void {
    this.connectionStatus = status;
    this.connectionStatusChanged.emit(status);
  }

  runs(code: string): void {
    this.starts(code);
    this.ends();
  }

  starts(code: string): void {
    this.tells('execute_input', { code }, 'cell');
  }

  ends(execution = 'cell'): void {
    this.tells('status', { execution_state: 'idle' }, execution);
    this.statusChanged.emit('idle');
  }

  private tells(type: string, content: object, execution: string): void {
    const parent_header = { msg_id: execution };
    this.iopubMessage.emit({ header: { msg_type: type }, parent_header, content });
  }
}

class FakeFollower {
  readonly changed = new Signal<this, unknown>(this);
  kernel: FakeKernel | null = null;
  hasDocument = true;

  goTo(kernel: FakeKernel | null): void {
    this.kernel = kernel;
    this.changed.emit(kernel);
  }
}

/** Lets promises that are settled call back. */
const settled = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) {
    await Promise.resolve();
  }
};

let follower: FakeFollower;
let port: KernelPort;
let status: PortStatus;

beforeEach(() => {
  follower = new FakeFollower();
  port = new KernelPort(follower as unknown as KernelFollower);
  port.onStatus(now => {
    status = now;
  });
});

test('a panel that is never shown opens nothing', async () => {
  const kernel = new FakeKernel(true);
  follower.goTo(kernel);
  await settled();
  expect(kernel.comms).toHaveLength(0);
});

test('without a kernel it says so', () => {
  port.wake();
  expect(status.reason).toContain('No kernel');
});

test('it opens a comm to a kernel that has vizgrad', async () => {
  const kernel = new FakeKernel(true);
  const heard: unknown[] = [];
  port.onMessage(message => heard.push(message));
  follower.goTo(kernel);
  port.wake();
  await settled();
  expect(status).toEqual({ state: 'open' });

  port.send({ type: 'list_sessions', request: 1 });
  expect(kernel.comms[0]?.sent).toEqual([{ type: 'list_sessions', request: 1 }]);
  kernel.comms[0]?.onMsg({ content: { data: { type: 'sessions' } } });
  expect(heard).toEqual([{ type: 'sessions' }]);
});

test('who is sure of the kernel asks along with the open, and is told where it was wrong', async () => {
  const sure = new KernelPort(follower as unknown as KernelFollower, { sure: true });
  let done: () => void = () => undefined;
  const [kernel, restarted] = [new FakeKernel(true), new FakeKernel(false)];
  kernel.answers = new Promise<void>(resolve => (done = resolve));
  sure.onStatus(now => {
    status = now;
    if (now.state === 'open') {
      sure.send({ type: 'attach', request: 1 });
      sure.send({ type: 'inspect', request: 2 });
    }
  });
  follower.goTo(kernel);
  sure.wake();
  await settled();
  expect(status).toEqual({ state: 'open' }); // the kernel has not answered
  expect(kernel.comms[0]?.opened).toEqual([{ type: 'attach', request: 1 }]);
  expect(kernel.comms[0]?.sent).toEqual([]);
  done();
  await settled();
  expect(kernel.comms[0]?.sent).toEqual([{ type: 'inspect', request: 2 }]);

  follower.goTo(restarted);
  await settled();
  expect(status).toMatchObject({ state: 'closed' });
  sure.dispose();
});

test('it waits for the import, and knocks only after a cell that mentions vizgrad', async () => {
  const kernel = new FakeKernel(false);
  follower.goTo(kernel);
  port.wake();
  await settled();
  expect(status.reason).toContain('import vizgrad');

  kernel.imported = true;
  kernel.runs('1 + 1');
  await settled();
  expect(kernel.comms).toHaveLength(1);

  kernel.runs('import vizgrad as torch');
  await settled();
  expect(status).toEqual({ state: 'open' });
});

test('it does not knock before the cell that imports has ended', async () => {
  const kernel = new FakeKernel(false);
  follower.goTo(kernel);
  port.wake();
  await settled();
  kernel.starts('import vizgrad');
  kernel.ends('of a comm');
  await settled();
  expect(kernel.comms).toHaveLength(1);
  kernel.imported = true;
  kernel.ends();
  await settled();
  expect(status).toEqual({ state: 'open' });
});

test('who waits knocks where vizgrad is in use already, or comes into use', async () => {
  const [unused, used, other] = [new FakeKernel(true), new FakeKernel(true), new FakeKernel(true)];
  used.known = ['a comm of another page'];
  const waiting = new KernelPort(follower as unknown as KernelFollower, { waits: true });
  waiting.wake();
  follower.goTo(unused);
  await settled();
  expect(unused.comms).toHaveLength(0);
  unused.runs('import vizgrad');
  await settled();
  expect(unused.comms).toHaveLength(1);
  follower.goTo(used);
  await settled();
  expect(used.comms).toHaveLength(1);
  follower.goTo(other);
  await settled();
  expect(other.comms).toHaveLength(0);
  port.wake(); // a view looks
  await settled();
  expect(other.comms).toHaveLength(2);
  waiting.dispose();
});

test('a restarted kernel has forgotten the comm', async () => {
  const kernel = new FakeKernel(true);
  follower.goTo(kernel);
  port.wake();
  await settled();
  kernel.statusChanged.emit('restarting');
  expect(status.reason).toContain('import vizgrad');
  expect(kernel.comms[0]?.isDisposed).toBe(true);

  kernel.runs('import vizgrad');
  await settled();
  expect(status).toEqual({ state: 'open' });
});

test('a kernel that is shut down took its sessions along', async () => {
  follower.goTo(new FakeKernel(true));
  port.wake();
  await settled();
  follower.goTo(null);
  expect(status.reason).toContain('was shut down');
  expect(status.another).toBeUndefined();
});

test('a document that is closed leaves nothing to be shown', async () => {
  follower.goTo(new FakeKernel(true));
  port.wake();
  await settled();
  follower.hasDocument = false;
  follower.goTo(null);
  expect(status).toMatchObject({ state: 'closed', another: true });
});

test('over a connection that comes back another comm is opened before the old one goes', async () => {
  const kernel = new FakeKernel(true);
  follower.goTo(kernel);
  port.wake();
  await settled();
  kernel.connects('connecting');
  expect(status.state).toBe('connecting');
  expect(status.reason).toContain('lost');
  const [before] = kernel.comms;
  kernel.connects('connected');
  expect(before?.isDisposed).toBe(false);
  await settled();
  expect(status).toEqual({ state: 'open' });
  expect(kernel.comms.map(comm => comm.isDisposed)).toEqual([true, false]);
  port.send({ type: 'list_sessions', request: 1 });
  expect(kernel.comms[1]?.sent).toHaveLength(1);
});

test('a kernel that was restarted while nobody was connected is not taken for the old one', async () => {
  const kernel = new FakeKernel(true);
  follower.goTo(kernel);
  port.wake();
  await settled();
  kernel.connects('connecting');
  kernel.imported = false;
  kernel.connects('connected');
  await settled();
  expect(status).toMatchObject({ state: 'closed' });
  expect(status.reason).toContain('was restarted');
  expect(kernel.comms.map(comm => comm.isDisposed)).toEqual([true, false]);
});

test('a connection that is given up is said', async () => {
  const kernel = new FakeKernel(true);
  follower.goTo(kernel);
  port.wake();
  await settled();
  kernel.connects('disconnected');
  expect(status.state).toBe('closed');
  expect(status.reason).toContain('Reload');
});

test('another notebook comes to the front: its kernel is the one that answers', async () => {
  const [one, other] = [new FakeKernel(true), new FakeKernel(true)];
  follower.goTo(one);
  port.wake();
  await settled();
  follower.goTo(other);
  await settled();
  expect(one.comms[0]?.isDisposed).toBe(true);
  port.send({ type: 'list_sessions', request: 1 });
  expect(other.comms[0]?.sent).toHaveLength(1);
});

test('a kernel of another language is not knocked at', async () => {
  const kernel = new FakeKernel(true, 'R');
  follower.goTo(kernel);
  port.wake();
  await settled();
  expect(kernel.comms).toHaveLength(0);
  expect(status.reason).toContain('Python');
});

describe('a move', () => {
  let kernel: FakeKernel;
  let goOn: () => void;
  let end: () => void;
  const step = { type: 'step', session: 's1', request: 1 };
  const sent = (): unknown[] => kernel.comms.at(-1)?.sent ?? [];
  const accompanied = (kernelId: string | undefined, ready: Promise<void> | null): void => {
    end = accompany({ kernelId, ready: session => (session === 's1' ? ready : null) });
  };

  beforeEach(async () => {
    kernel = new FakeKernel(true);
    follower.goTo(kernel);
    port.wake();
    await settled();
  });
  afterEach(() => end());

  test('waits until its session may be moved, and what is sent after it, too', async () => {
    accompanied(
      kernel.id,
      new Promise(resolve => {
        goOn = resolve;
      })
    );
    const look = { type: 'look', session: 's1', request: 2 };
    const other = { type: 'step', session: 's2', request: 3 };
    port.send(step);
    port.send(look);
    port.send(other);
    await settled();
    expect(sent()).toEqual([]);
    goOn();
    await settled();
    expect(sent()).toEqual([step, look, other]);
  });

  test('is made at once where nobody waits for it, or who does is of another kernel', () => {
    accompanied('another', Promise.resolve());
    port.send(step);
    end();
    accompanied(kernel.id, null);
    port.send(step);
    expect(sent()).toEqual([step, step]);
  });

  test('is no question, which is asked at once', () => {
    accompanied(kernel.id, Promise.resolve());
    port.send({ ...step, type: 'look' });
    expect(sent()).toHaveLength(1);
  });

  test('is made although what it waits for has failed', async () => {
    accompanied(kernel.id, Promise.reject(new Error('no')));
    port.send(step);
    await settled();
    expect(sent()).toEqual([step]);
  });

  test('is not made over the comm of a kernel that came later', async () => {
    accompanied(
      kernel.id,
      new Promise(resolve => {
        goOn = resolve;
      })
    );
    port.send(step);
    kernel.statusChanged.emit('restarting');
    kernel.runs('import vizgrad');
    await settled();
    goOn();
    await settled();
    expect(kernel.comms.flatMap(each => each.sent)).toEqual([]);
  });
});
