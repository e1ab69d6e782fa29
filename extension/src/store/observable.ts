import { nextFrame } from './frame';
import type { Schedule } from './frame';

/**
 * A value and those who want to know when it changes. However often it is set, they are told once
 * a frame: a hundred messages in one frame make one drawing.
 */
export class Observable<T> {
  private listeners = new Set<() => void>();
  private scheduled = false;

  constructor(
    private current: T,
    private readonly schedule: Schedule = nextFrame
  ) {}

  get value(): T {
    return this.current;
  }

  set value(next: T) {
    if (Object.is(next, this.current)) {
      return;
    }
    this.current = next;
    if (this.scheduled || this.listeners.size === 0) {
      return;
    }
    this.scheduled = true;
    this.schedule(() => this.flush());
  }

  /** Tell now: for what a person does to the view, who must not outrun it (a key after a click). */
  flush(): void {
    if (this.scheduled) {
      this.scheduled = false;
      for (const listener of [...this.listeners]) {
        listener();
      }
    }
  }

  /** Set some fields of a value that is an object. */
  patch(fields: Partial<T>): void {
    this.value = { ...this.current, ...fields };
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }
}
