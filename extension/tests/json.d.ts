/** What sessions of Python told, as text of unknown content: it goes through the readers like a message. */
declare module '*.json' {
  const value: unknown;
  export default value;
}
