/** A port over the custom messages of a widget's comm. */
import type { Port } from '../store';

/** The part of anywidget's model used here. No trait is synced: state travels as messages. */
export interface WidgetModel {
  send(content: unknown): void;
  on(event: 'msg:custom', callback: (content: unknown) => void): void;
  off(event: 'msg:custom', callback: (content: unknown) => void): void;
}

export function modelPort(model: WidgetModel): Port {
  return {
    send: message => model.send(message),
    onMessage(callback) {
      model.on('msg:custom', callback);
      return () => model.off('msg:custom', callback);
    }
  };
}
