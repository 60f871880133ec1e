# Areas, intervals and tests of pROC on its aSAH data: Rscript make_proc.R > proc.json
# Turck et al. (2010), Intensive Care Medicine 36(1), 107-115, doi:10.1007/s00134-009-1641-y:
# 113 patients, the outcome ("Poor" is the client) and three markers, as numbers of R's package pROC.
suppressMessages(library(pROC))
data(aSAH)
digits <- function(x) paste0("[", paste(format(as.numeric(x), digits = 17, trim = TRUE), collapse = ", "), "]")
names <- c("s100b", "ndka", "wfns")
rocs <- lapply(names, function(name) {
  roc(aSAH$outcome, as.numeric(aSAH[[name]]), direction = "<", levels = c("Good", "Poor"))
})
test <- function(a, b, paired) {
  t <- suppressWarnings(roc.test(rocs[[a]], rocs[[b]], method = "delong", paired = paired))
  ends <- if (paired) c(t$p.value, t$conf.int) else numeric()
  sprintf('    {"a": "%s", "b": "%s", "paired": %s, "found": %s}', names[a], names[b],
          tolower(paired), digits(c(t$statistic, ends)))
}
cat("{\n")
cat(sprintf('  "made_with": "pROC %s, %s",\n', packageVersion("pROC"), R.version.string))
cat('  "data": "aSAH of pROC; Turck et al. (2010), doi:10.1007/s00134-009-1641-y",\n')
cat(sprintf('  "poor": %s,\n', digits(aSAH$outcome == "Poor")))
for (k in 1:3) cat(sprintf('  "%s": %s,\n', names[k], digits(aSAH[[names[k]]])))
for (level in c(0.95, 0.9)) for (k in 1:3) {
  cat(sprintf('  "%s, %g": %s,\n', names[k], level, digits(ci.auc(rocs[[k]], conf.level = level))))
}
cat('  "tests": [\n')
cat(paste(c(test(1, 2, TRUE), test(1, 3, TRUE), test(2, 3, TRUE), test(1, 2, FALSE)), collapse = ",\n"))
cat("\n  ]\n}\n")
