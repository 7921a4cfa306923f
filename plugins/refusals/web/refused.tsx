// Refused requests on other pages: a figure, a fact, a notice if there are many, and a table of reasons.
import { Link } from 'wouter'
import { useViewer } from '../../console/web/app/session.tsx'
import { RowAccount } from '../../console/web/parts/account-name.tsx'
import { count, countNoun } from '../../console/web/parts/amounts.ts'
import { Figure } from '../../console/web/parts/figure.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { type Column, column, endColumn, Table } from '../../console/web/parts/table.tsx'
import { useCanPay } from '../../payments/web/add-funds-link.tsx'
import { type RefusalQuery, type Refusals, refusalAdvice, refusalReason, refusedHref } from './refusals.ts'

const MANY = 25

interface ManyRefusedProps {
  /** Undefined while they are loading. */
  refusals: Refusals | undefined
  /** The owner; absent for the viewer's own account. */
  account?: { id: number; name: string }
}

/** A notice, only if many requests were refused in the last hour. */
export function ManyRefused({ refusals, account }: ManyRefusedProps) {
  if (!refusals || refusals.last_hour < MANY) return null
  const { last_hour, reasons_of_hour } = refusals
  const [most] = reasons_of_hour
  return (
    <Notice tone="warn">
      <p>
        <b>
          {account?.name ?? 'Your account'} had {countNoun(last_hour, 'request')} refused in the last hour
          {most ? `: ${refusalReason(most.code)}.` : '.'}
        </b>
      </p>
      {most?.sentence && <p className="soft">“{most.sentence}”</p>}
      <p>
        {most && (
          <>
            <RefusalAdvice code={most.code} />{' '}
          </>
        )}
        <Link href={refusedHref({ account: account?.id })}>See refused requests</Link>
      </p>
    </Notice>
  )
}

/** The advice on a refusal, with a link to add funds for a person who may pay for the account. */
export function RefusalAdvice({ code }: { code: string }) {
  const { side } = useViewer()
  const can_pay = useCanPay()
  const after = ADDED_FUNDS[code]
  if (!can_pay || after === undefined) return refusalAdvice(code, side)
  return (
    <>
      <Link href="/add-funds">Add funds</Link>
      {after}
    </>
  )
}

const ADDED_FUNDS: Readonly<Record<string, string>> = {
  insufficient_balance: ', or raise the spend limit of your key.',
  OUTSTANDING_DEBT: '. They pay the debt first.',
}

type Reason = Refusals['reasons'][number]

/** A table of reasons; nothing if no request was refused. */
export function RefusedRequests({ refusals, account, ...filter }: RefusedProps) {
  const { side } = useViewer()
  if (!refusals || refusals.reasons.length === 0) return null
  return (
    <Section title="Refused requests">
      <Table
        label="Refused requests"
        columns={
          side === 'operator' ? [ACCOUNT, WHY, WORDS, COUNT] : [{ ...WHY, phone: 'first' }, WORDS, COUNT]
        }
        rows={refusals.reasons}
        keyOf={({ account_id, code }) => `${account_id} ${code}`}
        linkNameOf={({ code }) => `refused requests, ${code}`}
        hrefOf={({ account_id }) =>
          refusedHref({ ...filter, account: side === 'operator' ? account_id : account })
        }
      />
    </Section>
  )
}

const ACCOUNT: Column<Reason> = column('account', 'Account', 'first', (reason) => <RowAccount {...reason} />)
const WHY: Column<Reason> = column('why', 'Why', 'second', ({ code }) => refusalReason(code))
const WORDS: Column<Reason> = column('words', 'Error message', 'none', ({ sentence }) => (
  <span className="soft overview-words">{sentence}</span>
))
const COUNT: Column<Reason> = endColumn('refused', 'Requests', 'first-end', ({ refused }) => count(refused))

/** The refusals, and the filter for links to their list. */
interface RefusedProps extends Omit<RefusalQuery, 'range' | 'zone'> {
  /** Undefined while they are loading. */
  refusals: Refusals | undefined
}

/** A figure, for use within `Figures`. @param label includes the period if the page does not show it */
export function RefusedFigure({
  refusals,
  label = 'Refused requests',
  ...filter
}: RefusedProps & { label?: string }) {
  const [most] = refusals?.reasons ?? []
  return (
    <Figure
      label={label}
      value={refusals ? count(refusals.refused) : '–'}
      note={most ? <Link href={refusedHref(filter)}>{`mostly ${refusalReason(most.code)}`}</Link> : 'none'}
    />
  )
}

/** A fact such as "12, mostly rate limit", with a link to the list. */
export function RefusedFact({ refusals, ...filter }: RefusedProps) {
  if (!refusals) return <span className="soft">–</span>
  const [most] = refusals.reasons
  if (!most) return <>none</>
  return (
    <Link href={refusedHref(filter)}>
      {count(refusals.refused)}, mostly {refusalReason(most.code)}
    </Link>
  )
}
