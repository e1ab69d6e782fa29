export * from './model';
export * from './messages';
export { Malformed } from './check';
export { readAnswer } from './readAnswer';
export { readGraph, readRun, readVisit } from './readModel';
