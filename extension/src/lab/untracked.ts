/**
 * Requests of a view do not make the kernel count as busy. It is not: they are answered beside whatever it runs,
 * in a moment or long after it has said to be idle again. But JupyterLab draws its toolbar and the notebook's
 * indicator for each *busy* and *idle*, between the click and its answer, which takes longer than the kernel does.
 *
 * Statuses of some types of messages JupyterLab leaves alone: those its page lists. What says how the kernel does
 * with our requests is given a type of our own, that is listed there.
 */
import { PageConfig } from '@jupyterlab/coreutils';
import { KernelMessage } from '@jupyterlab/services';
import type { Kernel } from '@jupyterlab/services';

const LISTED = 'untracked_message_types';
const OURS = 'vizgrad';

export class Untracked {
  /** Messages for which the kernel has not said yet that it is done with them. */
  private readonly sent = new Set<string>();

  constructor(private readonly kernel: Kernel.IKernelConnection) {
    list();
    kernel.anyMessage.connect(this.hear, this);
  }

  /** `sent` is what a comm gave for a message. */
  add(sent: Kernel.IShellFuture | undefined): void {
    if (sent) {
      this.sent.add(sent.msg.header.msg_id);
    }
  }

  dispose(): void {
    this.kernel.anyMessage.disconnect(this.hear, this);
    this.sent.clear();
  }

  /** Of each message first, before JupyterLab does anything with it. */
  private hear(_: unknown, { msg, direction }: Kernel.IAnyMessageArgs): void {
    if (this.sent.size === 0 || direction !== 'recv' || !KernelMessage.isStatusMsg(msg)) {
      return;
    }
    const parent = msg.parent_header;
    if ('msg_id' in parent && this.sent.has(parent.msg_id)) {
      if (msg.content.execution_state === 'idle') {
        this.sent.delete(parent.msg_id);
      }
      Object.assign(msg, { parent_header: { ...parent, msg_type: OURS } });
    }
  }
}

function list(): void {
  const listed = JSON.parse(PageConfig.getOption(LISTED) || '[]') as string[];
  if (!listed.includes(OURS)) {
    PageConfig.setOption(LISTED, JSON.stringify([...listed, OURS]));
  }
}
