// Notice on each page of a suspended account: the reason, the debt, and how to get the account resumed.
import { Link } from 'wouter'
import { brand } from '../../console/web/app/brand.ts'
import { useViewer, type Viewer } from '../../console/web/app/session.tsx'
import { exactUsd } from '../../console/web/parts/amounts.ts'
import { Notice } from '../../console/web/parts/notice.tsx'
import { dayWords } from '../../console/web/parts/time-words.ts'
import { useCanPay } from '../../payments/web/add-funds-link.tsx'

type Suspension = NonNullable<Viewer['suspension']>

export function SuspendedNotice() {
  const { account, suspension } = useViewer()
  if (!suspension) return null
  return (
    <div className="above-page">
      <Notice tone="bad">
        <p>
          <b>{account} is suspended.</b> <Reason suspension={suspension} /> Calls are refused until it is
          resumed. You can still see and export its data.
        </p>
        <p>
          <WayBack suspension={suspension} />
        </p>
      </Notice>
    </div>
  )
}

function Reason({ suspension: { reason, words, suspended_at_ms } }: { suspension: Suspension }) {
  const since = suspended_at_ms === null ? '' : ` on ${dayWords(suspended_at_ms)}`
  if (reason === 'lost_dispute') return `A payment was disputed and taken back by the bank${since}.`
  return words === ''
    ? `The operator suspended it${since}.`
    : `The operator suspended it${since}: “${words}”.`
}

/** Asks for payment of the debt first, because the operator would ask for it before resuming the account. */
function WayBack({ suspension: { reason, debt_nanos } }: { suspension: Suspension }) {
  const can_pay = useCanPay()
  if (debt_nanos === null) return 'Ask an owner of the account to get it resumed.'
  if (debt_nanos > 0)
    return (
      <>
        It owes {exactUsd(debt_nanos)} USD. {can_pay && <Link href="/add-funds">Add funds</Link>}
        {can_pay ? ' to pay it, then write to ' : 'To pay it, write to '}
        <Support />
        {can_pay && ' to have it resumed'}.
      </>
    )
  return (
    <>
      {reason === 'lost_dispute' && 'The debt is paid. '}Write to <Support /> to have it resumed.
    </>
  )
}

const Support = () =>
  brand.support_url === null ? (
    'the operator'
  ) : (
    <a href={brand.support_url} target="_blank" rel="noreferrer">
      {brand.name} support
    </a>
  )
