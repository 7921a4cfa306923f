// The routes that failed in the overview's time: how often, why the last time, and the call where it shows.
import { part } from '../../console/web/app/client.ts'
import { count } from '../../console/web/parts/amounts.ts'
import { ClassWords } from '../../console/web/parts/health.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import { atEnd, type Column, column, Table } from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import type { FailingRoute } from '../failing-routes.ts'

type Route = Omit<FailingRoute, 'last_class'>

interface Failing {
  routes: readonly Route[]
  complete: boolean
}

export function FailingRoutes({ routes, complete }: Failing) {
  return (
    <Section title="Failing routes">
      {routes.length === 0 ? (
        <div>
          <Status tone="good">no route failed</Status>
        </div>
      ) : (
        <Table
          label="Failing routes"
          columns={COLUMNS}
          rows={routes}
          keyOf={({ provider, upstream_model }) => `${provider} ${upstream_model}`}
          hrefOf={({ last_request_id }) => `/calls/${part(last_request_id)}`}
        />
      )}
      {!complete && <p className="small soft">Based on the latest 500 calls with a failed route.</p>}
    </Section>
  )
}

const COLUMNS: Column<Route>[] = [
  column('route', 'Route', 'first', ({ provider, upstream_model }) => (
    <span className="no-wrap">
      {provider}{' '}
      <span className="soft overview-route" title={upstream_model}>
        {upstream_model}
      </span>
    </span>
  )),
  atEnd('failures', 'Failures', 'first-end', ({ failures }) => count(failures)),
  column('why', 'Why', 'second', ({ classes }) => <ClassWords classes={classes} />),
  column('words', 'Error', 'none', ({ last_words }) => (
    <span className="soft overview-words">{last_words}</span>
  )),
  atEnd('last', 'Last', 'second-end', ({ last_at_ms }) => <ClockTime at_ms={last_at_ms} />),
]
