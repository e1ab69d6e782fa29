/**
 * Files that are imported as text.
 *
 * Two builds share these sources: @jupyter/builder makes the labextension, esbuild the widget; vitest
 * reads them a third way. All three treat exactly this ending as text.
 */
declare module '*.raw.css' {
  const text: string;
  export default text;
}
