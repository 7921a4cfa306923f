// Queries that compare the kept sums with the calls: all of them, or those of the times that calls above a mark changed.
import { addedBy, SUM_KIND, SUMMED, SUMMED_SQL } from './sums.ts'

const SUBJECT = `format('account %s, key %s, %s, %s, from %s', account_id, key_id, model, outcome,
                        datetime(start_s, 'unixepoch'))`
const TEXT = "calls || ' calls'"

/** Compares computed sums with kept ones: selects rows that only one of the two has, or whose counts differ. */
function differing(counted: string, kept: string): string {
  return `SELECT ${SUBJECT} AS subject, 'a stored sum of ' || ${TEXT} AS expected, 'a different sum, or none' AS found
            FROM (${counted} EXCEPT ${kept}) AS recorded
          UNION ALL
          SELECT ${SUBJECT}, 'the sum of the recorded calls', 'a stored sum of ' || ${TEXT} || ' that differs' FROM (${kept} EXCEPT ${counted}) AS summed`
}

/** Compares sums. Above a mark, days are compared with their quarters of an hour instead of with calls, and quarters with calls. */
export function sumsThatDiffer(span_s: 86_400 | 900): { sql: string; above: string } {
  const counted = (where = 'true') =>
    `SELECT started_at_ms / ${span_s * 1_000} * ${span_s} AS start_s, ${SUM_KIND.join()}, ${SUMMED_SQL.join()}, min(id), max(id)
       FROM (${addedBy('calls')}) AS added WHERE ${where} GROUP BY 1, ${SUM_KIND.join()}`
  const kept = `SELECT start_s, ${SUM_KIND.join()}, calls, ${SUMMED.join()}, first_call_id, last_call_id
                  FROM call_sums WHERE span_s = ${span_s}`
  const of_quarters = `
    SELECT start_s / ${span_s} * ${span_s} AS start_s, ${SUM_KIND.join()}, ${SUMMED_SQL.join()}, min(first_call_id), max(last_call_id)
      FROM call_sums WHERE span_s = 900 AND start_s >= $day_s GROUP BY 1, ${SUM_KIND.join()}`
  const sql = differing(counted(), kept)
  if (span_s === 86_400) return { sql, above: differing(of_quarters, `${kept} AND start_s >= $day_s`) }
  const of_calls = counted('id >= $first_call_id AND started_at_ms >= $quarter_ms')
  return { sql, above: differing(of_calls, `${kept} AND start_s >= $quarter_s`) }
}
