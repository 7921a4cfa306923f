// Table of calls and refused requests. Consecutive equal refusals are one row that can be expanded.
import { ChevronDown, ChevronUp } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type AnswerOf, type api, pathPart } from '../../../console/web/app/client.ts'
import { useViewer, type Viewer } from '../../../console/web/app/session.tsx'
import { RowAccount } from '../../../console/web/parts/account-name.tsx'
import { briefCount, duration, exactUsd, roundedUsd } from '../../../console/web/parts/amounts.ts'
import { Button } from '../../../console/web/parts/button.tsx'
import { Money } from '../../../console/web/parts/money.tsx'
import { causeWord, Outcome } from '../../../console/web/parts/outcome.tsx'
import { type Column, chargeColumn, column, endColumn, Table } from '../../../console/web/parts/table.tsx'
import { ClockTime } from '../../../console/web/parts/time.tsx'
import { equalRefusals } from './equal-refusals.ts'

type Row = AnswerOf<typeof api.calls.get>['calls'][number]

/** A row of the table, and the number of equal rows that it represents. */
interface TableRow {
  row: Row
  times: number
  is_open: boolean
  toggle: () => void
}

export function CallTable({ calls }: { calls: readonly Row[] }) {
  const viewer = useViewer()
  const [open, setOpen] = useState<readonly string[]>([])
  const listed = equalRefusals(calls).flatMap((equal): TableRow[] => {
    const [first] = equal
    const is_open = open.includes(first.request_id)
    const toggle = () =>
      setOpen(is_open ? open.filter((id) => id !== first.request_id) : [...open, first.request_id])
    const head = { row: first, times: equal.length, is_open, toggle }
    return is_open ? [head, ...equal.slice(1).map((row) => ({ ...head, row, times: 1 }))] : [head]
  })
  return (
    <Table
      label="Calls"
      columns={columnsFor(viewer)}
      rows={listed}
      keyOf={({ row }) => row.request_id}
      hrefOf={({ row }) => `/calls/${pathPart(row.request_id)}`}
      linkNameOf={({ row }) => `${row.model} ${row.request_id}`}
    />
  )
}

const MODEL: Column<TableRow> = column('model', 'Model', 'first', ({ row }) => (
  <span className="call-model">{row.model || 'no model'}</span>
))
/** The time; on a phone also the account, for the operator, or the key. */
const whenWith = (owner: (row: Row) => ReactNode): Column<TableRow> =>
  column('started', 'When', 'second', ({ row }) => (
    <>
      <ClockTime at_ms={row.started_at_ms} /> <span className="on-phone">{owner(row)}</span>
    </>
  ))
const WHEN_OF_ALL = whenWith((row) => <RowAccount {...row} />)
const WHEN = whenWith(({ key }) => key)
const ACCOUNT: Column<TableRow> = column('account', 'Account', 'none', ({ row }) => (
  <>
    <RowAccount {...row} /> <span className="soft">{row.key}</span>
  </>
))
const KEY: Column<TableRow> = column('key', 'Key', 'none', ({ row }) => row.key)
const OUTCOME: Column<TableRow> = column('outcome', 'Outcome', 'second-end', ({ row, times, ...group }) => (
  <>
    <span className="calls-outcome">
      <Outcome outcome={row.outcome} status={row.status} />
      {times > 1 && <Times times={times} {...group} />}
    </span>
    <Reason {...row} />
  </>
))
const USED: Column<TableRow> = endColumn('used', 'Tokens in / out', 'none', ({ row }) => used(row))
const DURATION: Column<TableRow> = endColumn('duration', 'Duration', 'none', ({ row }) =>
  row.outcome === 'refused' ? <span className="soft">–</span> : duration(row.duration_ms),
)
const CHARGE: Column<TableRow> = chargeColumn(
  'charge',
  'Charge, USD',
  'first-end',
  ({ row }) => chargeOf(row),
  ({ row }, decimals) => (
    <>
      <Money nanos={chargeOf(row)} decimals={decimals} unit={false} />
      {row.paid_by === 'plan' && (
        <div className="small soft">{roundedUsd(row.covered_nanos)} USD by plan</div>
      )}
      {row.refunded_nanos > 0 && (
        <div className="small soft">
          {row.refunded_nanos === row.cost_nanos ? 'refunded' : `${exactUsd(row.refunded_nanos)} refunded`}
        </div>
      )}
    </>
  ),
)
const chargeOf = ({ outcome, cost_nanos }: Row): number | null => (outcome === 'refused' ? null : cost_nanos)

const columnsFor = ({ side }: Viewer): Column<TableRow>[] => [
  side === 'operator' ? WHEN_OF_ALL : WHEN,
  MODEL,
  side === 'operator' ? ACCOUNT : KEY,
  OUTCOME,
  USED,
  DURATION,
  CHARGE,
]

const Times = ({ times, is_open, toggle }: Omit<TableRow, 'row'>) => (
  <Button
    look="quiet"
    small
    icon={is_open ? ChevronUp : ChevronDown}
    aria-expanded={is_open}
    aria-label={`${times} equal requests: ${is_open ? 'show one' : 'show all'}`}
    onClick={toggle}
  >
    {times} ×
  </Button>
)

/** The reason of a refusal or failure, or the number of failed attempts before the answer. */
function Reason({ outcome, refusal, cause, failed_tries }: Row) {
  if (refusal !== null)
    return (
      <span className="calls-refusal small soft" title={refusal}>
        {refusal}
      </span>
    )
  if (cause !== null && cause !== 'interrupted')
    return <span className="small soft"> {causeWord(cause)}</span>
  if (outcome === 'completed' && failed_tries)
    return <span className="small soft"> after {failed_tries} failed</span>
  return null
}

function used({ input_tokens, output_tokens, images, estimated }: Row) {
  if (images > 0) return images === 1 ? '1 image' : `${images} images`
  if (input_tokens + output_tokens === 0) return <span className="soft">–</span>
  return `${estimated ? '~' : ''}${briefCount(input_tokens)} / ${briefCount(output_tokens)}`
}
