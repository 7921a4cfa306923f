// What a call used: as its provider told it, and as it was charged where that is not the same.
import { count } from '../../../console/web/parts/amounts.ts'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { countedWord } from '../../../console/web/parts/outcome.tsx'
import { Section } from '../../../console/web/parts/page.tsx'
import { atEnd, type Column, column, Table } from '../../../console/web/parts/table.tsx'
import type { Call } from './call-answer.ts'

interface Row {
  kind: string
  told: number | null | undefined
  charged: number
}

/** Nothing where a call used no tokens and nothing was told. */
export function UsageTable({ call }: { call: Call }) {
  const { usage, told, doubt, estimated } = call
  const rows = rowsOf(usage, told ?? {})
  if (rows.length === 0) return null
  const is_same = told !== null && rows.every((row) => row.told === row.charged)
  return (
    <Section title="Usage">
      {doubt !== null && (
        <Notice tone="warn">
          What the provider reported was not believed, for {doubt}. The gateway’s own estimate was charged.
        </Notice>
      )}
      <div className="call-table">
        <Table
          label="Usage"
          columns={is_same ? [KIND, TOLD] : [KIND, TOLD, CHARGED]}
          rows={rows}
          keyOf={({ kind }) => kind}
        />
      </div>
      <p className="small soft">
        {is_same
          ? 'Charged as reported by the provider.'
          : estimated
            ? 'Figures that the provider did not report are estimated from what was sent and delivered.'
            : 'Parts that have one price with their whole are charged with it.'}
      </p>
    </Section>
  )
}

const KIND: Column<Row> = column('kind', 'Kind', 'first', ({ kind }) => countedWord(kind))
const TOLD: Column<Row> = atEnd('told', 'Reported by the provider', 'first-end', ({ told }) =>
  told === undefined ? <span className="soft">–</span> : told === null ? 'no number' : count(told),
)
const CHARGED: Column<Row> = atEnd('charged', 'Charged', 'second-end', ({ charged }) => count(charged))

function rowsOf(usage: Call['usage'], told: NonNullable<Call['told']>): Row[] {
  const kinds = new Set([...Object.keys(usage), ...Object.keys(told)])
  return [...kinds]
    .map((kind) => ({ kind, told: told[kind], charged: usage[kind] ?? 0 }))
    .filter((row) => row.charged > 0 || (row.told !== 0 && row.told !== undefined))
}
