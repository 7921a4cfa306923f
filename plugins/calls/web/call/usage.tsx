// Usage of a call: as the provider reported it, and as charged if that differs.
import { count } from '../../../console/web/parts/amounts.ts'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { quantityWord } from '../../../console/web/parts/outcome.tsx'
import { Section } from '../../../console/web/parts/page.tsx'
import { type Column, column, endColumn, Table } from '../../../console/web/parts/table.tsx'
import type { Call } from './call-answer.ts'

interface Row {
  kind: string
  reported: number | null | undefined
  charged: number
}

/** Empty if the call used no tokens and the provider reported none. */
export function UsageTable({ call }: { call: Call }) {
  const { usage, reported, doubt, estimated, free_because } = call
  const rows = rowsOf(usage, reported ?? {})
  if (rows.length === 0) return null
  const is_same = reported !== null && rows.every((row) => row.reported === row.charged)
  return (
    <Section title="Usage">
      {doubt !== null && (
        <Notice tone="warn">
          The provider’s usage report was rejected: {doubt}. The gateway’s own estimate was charged.
        </Notice>
      )}
      <div className="call-table">
        <Table
          label="Usage"
          columns={is_same ? [KIND, REPORTED] : [KIND, REPORTED, CHARGED]}
          rows={rows}
          keyOf={({ kind }) => kind}
        />
      </div>
      <p className="small soft">
        {is_same
          ? `${free_because === null ? 'Charged as reported' : 'Reported'} by the provider.`
          : estimated
            ? 'Figures that the provider did not report are estimated from what was sent and delivered.'
            : 'Parts that have one price with their whole are charged with it.'}
      </p>
    </Section>
  )
}

const KIND: Column<Row> = column('kind', 'Kind', 'first', ({ kind }) => quantityWord(kind))
const REPORTED: Column<Row> = endColumn('reported', 'Reported by the provider', 'first-end', (row) =>
  row.reported === undefined ? (
    <span className="soft">–</span>
  ) : row.reported === null ? (
    'no number'
  ) : (
    <>
      <span className="on-phone">reported </span>
      {count(row.reported)}
    </>
  ),
)
const CHARGED: Column<Row> = endColumn('charged', 'Charged', 'second-end', ({ charged }) => (
  <>
    <span className="on-phone">charged </span>
    {count(charged)}
  </>
))

function rowsOf(usage: Call['usage'], reported: NonNullable<Call['reported']>): Row[] {
  const kinds = new Set([...Object.keys(usage), ...Object.keys(reported)])
  return [...kinds]
    .map((kind) => ({ kind, reported: reported[kind], charged: usage[kind] ?? 0 }))
    .filter((row) => row.charged > 0 || (row.reported !== 0 && row.reported !== undefined))
}
