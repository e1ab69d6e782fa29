export * from './model';
export * from './messages';
export { Malformed } from './check';
export { readMessage } from './readMessage';
export { checkUpdate } from './references';
export { readTrace } from './readModel';
