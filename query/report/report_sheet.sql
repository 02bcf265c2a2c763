-- window_words: what was cut to the selected windows.
SELECT format('Window %s ms: %,d GPU activities, %,d cut (%s ms outside); %,d launched here run %s ms outside it',
  with_commas(max(length_ms)), sum(activities), sum(cut), with_commas(sum(cut_ms)), sum(launched), with_commas(sum(outside_ms)))
FROM window_ledger HAVING count(*);
