/** What tests take from node. */
declare module 'node:stream/web' {
  export const DecompressionStream: typeof globalThis.DecompressionStream;
}
