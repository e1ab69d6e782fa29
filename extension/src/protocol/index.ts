export * from './model';
export * from './drawing';
export * from './messages';
export * from './commands';
export { Malformed } from './check';
export { readMessage } from './readMessage';
export { checkDrawing, checkNodes, checkStanding, checkStorages, checkUpdate } from './references';
export { readTrace } from './readModel';
