// What a search finds first: pages for users, then those for developers (design notes, rules, packages), the changelog last.
const DEVELOPERS = /^(notebooks\/design|tests|vizgrad|CONTRIBUTING)\b/;
const LAST = /^CHANGELOG$/;
// Read by Sphinx; the numbers are its own.
var Scorer = {
  score: ([page, , , , score]) =>
    DEVELOPERS.test(page) ? score / 1000 : LAST.test(page) ? score / 10000 : score,
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
