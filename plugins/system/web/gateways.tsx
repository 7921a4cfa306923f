// The gateways that share the database: marks the one that answers this page, and warns of a wrong clock.
import type { AnswerOf, api } from '../../console/web/app/client.ts'
import { longDuration } from '../../console/web/parts/amounts.ts'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { type Column, column, Table } from '../../console/web/parts/table.tsx'
import { Time } from '../../console/web/parts/time.tsx'

type Sharing = NonNullable<AnswerOf<typeof api.system.get>['gateways']>
type Gateway = Sharing['alive'][number]

/** The same limit as in `tollgate doctor`. */
const MAX_CLOCK_MS = 1_000

export function Gateways({ alive, clock_ahead_ms }: Sharing) {
  return (
    <Section title="Gateways">
      <div className="stack">
        {Math.abs(clock_ahead_ms) > MAX_CLOCK_MS && (
          <Notice tone="warn">
            This machine's clock is {longDuration(Math.abs(clock_ahead_ms))}{' '}
            {clock_ahead_ms > 0 ? 'behind' : 'ahead of'} the database's. Sync both with NTP. The gateways use
            the database's clock.
          </Notice>
        )}
        <Table label="Gateways" rows={alive} keyOf={({ id }) => id} columns={COLUMNS} />
      </div>
    </Section>
  )
}

const COLUMNS: readonly Column<Gateway>[] = [
  column('name', 'Gateway', 'first', ({ id, name, is_this }) => (
    <>
      {name} <span className="soft">{is_this ? `(${id}, answers this page)` : `(${id})`}</span>
    </>
  )),
  column('version', 'Version', 'second', ({ version }) => version),
  column('started', 'Started', 'none', ({ started_at_ms }) => <Time at_ms={started_at_ms} />),
  column('seen', 'Last seen', 'second-end', ({ seen_at_ms }) => <Time at_ms={seen_at_ms} />),
]
