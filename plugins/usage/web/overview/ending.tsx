// The models and routes that are shut down soon, or have been.
import { part } from '../../../console/web/app/client.ts'
import { ENDING_HELP, endWords } from '../../../console/web/parts/end-words.ts'
import { Section } from '../../../console/web/parts/page.tsx'
import { Status } from '../../../console/web/parts/status.tsx'
import { atEnd, type Column, column, Table } from '../../../console/web/parts/table.tsx'
import type { Overview } from './overview-answer.ts'

type Ending = NonNullable<Overview['ending']>[number]

/** Nothing while none is near: then there is nothing to do. */
export function EndingModels({ ending }: { ending: readonly Ending[] }) {
  if (ending.length === 0) return null
  return (
    <Section title="Models that end">
      <Table
        label="Models that end"
        columns={COLUMNS}
        rows={ending}
        keyOf={({ model, route }) => `${model} ${route ?? ''}`}
        hrefOf={({ model }) => `/models/${part(model)}`}
      />
      <p className="small soft">{ENDING_HELP}</p>
    </Section>
  )
}

const COLUMNS: Column<Ending>[] = [
  column('model', 'Model', 'first', ({ model }) => model),
  column('route', 'Route', 'second', ({ route }) => route ?? 'all routes'),
  column('when', 'When', 'second-end', (ending) => <Status tone="warn">{endWords(ending)}</Status>),
  atEnd('date', 'Date', 'first-end', ({ date }) => date),
]
