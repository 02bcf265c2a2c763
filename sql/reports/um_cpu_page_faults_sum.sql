-- CPU page faults of unified memory by place in the program (the layout of nsys stats).
-- set: nsys
-- question: memory
-- alias: umcpupagefaults
-- position: 66
-- unit: run
-- key: symbol
-- measure: faults
-- empty: no_host_faults
CREATE VIEW um_cpu_page_faults_sum AS
SELECT
  run AS run, -- [text] name of the run
  sum(host_faults) AS faults, -- "CPU Page Faults" [integer] number of page faults of the host
  symbol AS symbol -- "CPU Instruction Address" [text] function or address of the instruction; NULL where not recorded
FROM nsys_unified
WHERE host_faults > 0
GROUP BY run, symbol
ORDER BY run, faults DESC, symbol;
