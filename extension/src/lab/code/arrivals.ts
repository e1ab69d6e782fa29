/** Waits until something arrives from a kernel, or nothing does any more. */

/** Milliseconds for which a kernel that is idle may leave an answer out, before that counts as lost. */
export const LIMIT = 10_000;
const CHECK = 500;

export class Arrivals {
  private readonly waiting = new Set<() => void>();

  /** Called with all that arrives. */
  tell(): void {
    this.waiting.forEach(end => end());
  }

  /** True with the next arrival; false: none has come although the kernel could answer. */
  next(isBusy: () => boolean): Promise<boolean> {
    return new Promise(resolve => {
      let idle = 0;
      const end = (came: boolean): void => {
        clearInterval(timer);
        this.waiting.delete(told);
        resolve(came);
      };
      const told = (): void => end(true);
      const timer = setInterval(() => {
        idle += isBusy() ? 0 : CHECK;
        if (idle >= LIMIT) {
          end(false);
        }
      }, CHECK);
      this.waiting.add(told);
    });
  }
}
