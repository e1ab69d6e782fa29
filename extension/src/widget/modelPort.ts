/** A port over the custom messages of a widget's comm. */
import type { Port } from '../store';
import { watchKernel } from './kernelWatch';

/** The part of anywidget's model used here. No state of a run is synced: that travels as messages. */
export interface WidgetModel {
  send(content: unknown): void;
  on(event: 'msg:custom', callback: (content: unknown) => void): void;
  off(event: 'msg:custom', callback: (content: unknown) => void): void;
  /** The host's own: of another shape in each. */
  readonly widget_manager?: unknown;
}

/** How many displays listen to a widget: they share its comm. */
const displays = new WeakMap<WidgetModel, number>();

export function modelPort(model: WidgetModel): Port {
  const count = (by: 1 | -1): number => {
    const now = (displays.get(model) ?? 0) + by;
    displays.set(model, now);
    return now;
  };
  return {
    send(message) {
      // The last one tells the kernel that nobody looks any more.
      if (message.type !== 'detach' || (displays.get(model) ?? 0) === 0) {
        model.send(message);
      }
    },
    onMessage(callback) {
      model.on('msg:custom', callback);
      count(1);
      return () => {
        model.off('msg:custom', callback);
        count(-1);
      };
    },
    onStatus: callback => watchKernel(model.widget_manager, callback)
  };
}
