// What a task is done with comes first, what was measured last; else as Sphinx ranks.
var Scorer = {
  score: ([page, title, anchor, descr, score]) => {
    if (/^(howto\/|tutorial)/.test(page)) return score + 12;
    if (/^(changes|architecture|contributing|validation|performance|papers|epc_papers|case_study|atlas|\w+_results)/.test(page)) return score - 8;
    return score;
  },
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
