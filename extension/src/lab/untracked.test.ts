import { PageConfig } from '@jupyterlab/coreutils';
import { KernelMessage } from '@jupyterlab/services';
import type { Kernel } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';
import { beforeEach, expect, test } from 'vitest';

import { Untracked } from './untracked';

class FakeKernel {
  readonly anyMessage = new Signal<this, unknown>(this);

  /** What JupyterLab makes of a status: nothing if its request is of a listed type. */
  says(state: 'busy' | 'idle', to: KernelMessage.IMessage): 'tracked' | 'untracked' {
    const msg = KernelMessage.createMessage({
      msgType: 'status',
      channel: 'iopub',
      session: 'kernel',
      content: { execution_state: state },
      parentHeader: to.header
    } as unknown as KernelMessage.IOptions<KernelMessage.IStatusMsg>);
    this.anyMessage.emit({ msg, direction: 'recv' });
    const listed = JSON.parse(PageConfig.getOption('untracked_message_types')) as string[];
    const { msg_type, msg_id } = msg.parent_header as KernelMessage.IHeader;
    expect(msg_id).toBe(to.header.msg_id);
    return listed.includes(msg_type) ? 'untracked' : 'tracked';
  }
}

function request(): KernelMessage.ICommMsgMsg<'shell'> {
  return KernelMessage.createMessage({
    msgType: 'comm_msg',
    channel: 'shell',
    session: 'page',
    content: { comm_id: 'ours', data: {} }
  });
}

const future = (msg: KernelMessage.IMessage) => ({ msg }) as unknown as Kernel.IShellFuture;

let kernel: FakeKernel;
let untracked: Untracked;

beforeEach(() => {
  PageConfig.setOption('untracked_message_types', '["stream"]');
  kernel = new FakeKernel();
  untracked = new Untracked(kernel as unknown as Kernel.IKernelConnection);
});

test('a request of a view does not make the kernel count as busy, and its end not as idle', () => {
  const ours = request();
  untracked.add(future(ours));
  expect(kernel.says('busy', ours)).toBe('untracked');
  expect(kernel.says('idle', ours)).toBe('untracked');
});

test('what others send does, over a comm or not', () => {
  untracked.add(future(request()));
  expect(kernel.says('busy', request())).toBe('tracked');
  expect(kernel.says('idle', request())).toBe('tracked');
});

test('types that were listed stay so', () => {
  const listed = JSON.parse(PageConfig.getOption('untracked_message_types')) as string[];
  expect(listed).toContain('stream');
  const again = new Untracked(kernel as unknown as Kernel.IKernelConnection);
  expect(JSON.parse(PageConfig.getOption('untracked_message_types'))).toEqual(listed);
  again.dispose();
});

test('who is done hears nothing more', () => {
  const ours = request();
  untracked.add(future(ours));
  untracked.dispose();
  expect(kernel.says('busy', ours)).toBe('tracked');
});
