// Why requests were refused in the overview's time, the most frequent reasons first; for the operator by account.
import { useViewer } from '../../console/web/app/session.tsx'
import { RowAccount } from '../../console/web/parts/account-name.tsx'
import { count } from '../../console/web/parts/amounts.ts'
import { Section } from '../../console/web/parts/page.tsx'
import { atEnd, type Column, column, Table } from '../../console/web/parts/table.tsx'
import { type Refusals, refusedHref } from './refusals.ts'
import { refusalReason } from './words.ts'

type Reason = Refusals['reasons'][number]

/** Nothing while none was refused. */
export function RefusedRequests({ refusals }: { refusals: Refusals | undefined }) {
  const { role } = useViewer()
  if (!refusals || refusals.reasons.length === 0) return null
  return (
    <Section title="Refused requests">
      <Table
        label="Refused requests"
        columns={
          role === 'operator' ? [ACCOUNT, WHY, WORDS, COUNT] : [{ ...WHY, phone: 'first' }, WORDS, COUNT]
        }
        rows={refusals.reasons}
        keyOf={({ account_id, code }) => `${account_id} ${code}`}
        linkNameOf={({ code }) => `refused requests, ${code}`}
        hrefOf={({ account_id }) => refusedHref(role === 'operator' ? { account: account_id } : {})}
      />
    </Section>
  )
}

const ACCOUNT: Column<Reason> = column('account', 'Account', 'first', (reason) => <RowAccount {...reason} />)
const WHY: Column<Reason> = column('why', 'Why', 'second', ({ code }) => refusalReason(code))
const WORDS: Column<Reason> = column('words', 'Sent to the caller', 'none', ({ sentence }) => (
  <span className="soft overview-words">{sentence}</span>
))
const COUNT: Column<Reason> = atEnd('refused', 'Requests', 'first-end', ({ refused }) => count(refused))
