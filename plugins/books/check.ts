// The doctor's check of the books: when all rows were last audited, and up to which call the newer ones. It audits nothing itself.
import { type CheckContext, type Diagnosis, diagnosesOf } from '../../src/app/checks/check.ts'
import { openToRead } from '../../src/app/checks/database.ts'
import { DAY_MS } from '../../src/domain/ranges.ts'
import { markFromRow } from '../../src/money/ledger/audit-mark.ts'
import { auditMark } from '../../src/store/audit-marks.ts'

const { ok, warn } = diagnosesOf('books')
/** A running gateway audits all rows once a week. */
const MAX_AGE_DAYS = 9

/** Returns no diagnosis if no audit mark is stored: each start then audits all rows. */
export async function checkBooks(
  context: Pick<CheckContext, 'data_folder' | 'storage' | 'now'>,
): Promise<Diagnosis[]> {
  await using db = await openToRead(context)
  const row = db && (await auditMark(db))
  if (!row) return []
  const mark = markFromRow(row)
  if (!mark)
    return [
      warn(
        'the mark of the last audit is damaged, or of another version',
        'The next start looks at all rows. `tollgate audit` does so now.',
      ),
    ]
  const { whole_at_ms, call_id } = mark
  const found = `all rows were checked on ${new Date(whole_at_ms).toISOString().slice(0, 10)}; clean up to call ${call_id}`
  return context.now() - whole_at_ms > MAX_AGE_DAYS * DAY_MS
    ? [warn(found, 'Run `tollgate audit`: a running gateway does so once a week.')]
    : [ok(found)]
}
