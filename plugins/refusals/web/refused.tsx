// Refused requests on other pages: as a figure, as a fact, as a notice where they are many, and their reasons in a table.
import { Link } from 'wouter'
import { useViewer } from '../../console/web/app/session.tsx'
import { RowAccount } from '../../console/web/parts/account-name.tsx'
import { count, countNoun } from '../../console/web/parts/amounts.ts'
import { Figure } from '../../console/web/parts/figure.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { type Column, column, endColumn, Table } from '../../console/web/parts/table.tsx'
import { useCanPay } from '../../payments/web/add-funds-link.tsx'
import { type Refusals, type RefusalsOf, refusalAdvice, refusalReason, refusedHref } from './refusals.ts'

const MANY = 25

interface ManyRefusedProps {
  /** Absent while they are not known. */
  refusals: Refusals | undefined
  /** AccountScope they are; absent for the viewer's own. */
  account?: { id: number; name: string }
}

/** Nothing while there are few. */
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

/** The fix of a refusal: a person who may pay for the account here adds funds at once. */
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

/** Nothing while none was refused. */
export function RefusedRequests({ refusals, account, ...of }: RefusedProps) {
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
          refusedHref({ ...of, account: side === 'operator' ? account_id : account })
        }
      />
    </Section>
  )
}

const ACCOUNT: Column<Reason> = column('account', 'Account', 'first', (reason) => <RowAccount {...reason} />)
const WHY: Column<Reason> = column('why', 'Why', 'second', ({ code }) => refusalReason(code))
const WORDS: Column<Reason> = column('words', 'Sent to the caller', 'none', ({ sentence }) => (
  <span className="soft overview-words">{sentence}</span>
))
const COUNT: Column<Reason> = endColumn('refused', 'Requests', 'first-end', ({ refused }) => count(refused))

/** Whose they are, and of which time: what links lead to. */
interface RefusedProps extends Omit<RefusalsOf, 'range' | 'zone'> {
  /** Absent while they are not known. */
  refusals: Refusals | undefined
}

/** Stands within `Figures`. @param label with its time, where the page does not say it */
export function RefusedFigure({
  refusals,
  label = 'Refused requests',
  ...of
}: RefusedProps & { label?: string }) {
  const [most] = refusals?.reasons ?? []
  return (
    <Figure
      label={label}
      value={refusals ? count(refusals.refused) : '–'}
      note={most ? <Link href={refusedHref(of)}>{`mostly ${refusalReason(most.code)}`}</Link> : 'none'}
    />
  )
}

/** "12, mostly rate limit", as a link to them. */
export function RefusedFact({ refusals, ...of }: RefusedProps) {
  if (!refusals) return <span className="soft">–</span>
  const [most] = refusals.reasons
  if (!most) return <>none</>
  return (
    <Link href={refusedHref(of)}>
      {count(refusals.refused)}, mostly {refusalReason(most.code)}
    </Link>
  )
}
