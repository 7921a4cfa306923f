// The page Models: callable models with inputs and prices; for the operator also cost and routes.
import { Boxes, Percent, Plus } from 'lucide-react'
import { type AnswerOf, api } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { useMay, useViewer } from '../../../console/web/app/session.tsx'
import { useZone } from '../../../console/web/app/zone.ts'
import { useAddressState } from '../../../console/web/parts/address-state.ts'
import { briefCount, count, share } from '../../../console/web/parts/amounts.ts'
import { ButtonLink } from '../../../console/web/parts/button.tsx'
import { AsCommand } from '../../../console/web/parts/code.tsx'
import { Copy } from '../../../console/web/parts/copy.tsx'
import { ExportCsv } from '../../../console/web/parts/export-csv.tsx'
import { FilterSearch } from '../../../console/web/parts/filter-fields.tsx'
import { Page } from '../../../console/web/parts/page.tsx'
import { EmptyState, Loaded } from '../../../console/web/parts/states.tsx'
import { type Column, column, endColumn, Table, withWeekHint } from '../../../console/web/parts/table.tsx'
import { CommaList } from '../../../console/web/parts/words.tsx'
import { CostOfModel, PriceWords } from '../../../prices/web/price-words.tsx'
import { ImportPrices } from './import-prices.tsx'
import { ModelState, TryLink } from './model-state.tsx'

type Row = AnswerOf<typeof api.models.get>['models'][number]
/** A column with its sort key. Rows without a key come last. */
type Sortable = Column<Row> & { by: (row: Row) => string | number | null }

const sortable = (one: Column<Row>, by: Sortable['by']): Sortable => ({ ...one, sorts: true, by })

const providersOf = ({ routes = [] }: Row): string[] => [...new Set(routes.map(({ provider }) => provider))]
const routeWords = (row: Row): string => providersOf(row).join(', ')

const MODEL = sortable(
  column('id', 'Model', 'first', ({ id, kind }) => (
    <>
      {id}
      {kind !== 'text' && <span className="soft"> {kind}</span>}
    </>
  )),
  ({ id }) => id,
)

const TAKES = sortable(
  column('takes', 'Takes', 'none', ({ takes }) =>
    takes ? takes.join(', ') : <span title="Nothing else is known of this model.">text</span>,
  ),
  ({ takes }) => takes?.length ?? 1,
)

const CONTEXT = sortable(
  endColumn('context', 'Context', 'none', ({ context_tokens }) =>
    context_tokens === null ? (
      ''
    ) : (
      <span title={`${count(context_tokens)} tokens`}>{briefCount(context_tokens)}</span>
    ),
  ),
  ({ context_tokens }) => context_tokens,
)

const PRICE = sortable(
  column('price', 'Price in USD', 'second', ({ kind, price }) => <PriceWords kind={kind} price={price} />),
  ({ price }) => price[0]?.price_nanos ?? null,
)

const COST = sortable(
  column('cost', 'Cost in USD', 'none', (row) => <CostOfModel {...row} />),
  ({ routes = [] }) => routes.find(({ cost }) => cost)?.cost?.[0]?.price_nanos ?? null,
)

const ROUTES = sortable(
  column('routes', 'Routes', 'none', (row) => <CommaList words={providersOf(row)} />),
  routeWords,
)

const STATE = sortable(
  column('state', 'State', 'second-end', (model) => <ModelState {...model} />),
  ({ state, health_state }) => `${state} ${health_state}`,
)

const CALLS = sortable(
  withWeekHint(
    endColumn('calls', 'Calls, 7 days', 'none', ({ week }) => (
      <>
        {count(week.calls)}
        {week.failed > 0 && <span className="soft"> ({share(week.failed / week.calls)} failed)</span>}
      </>
    )),
  ),
  ({ week }) => week.calls,
)

const ACTIONS: Column<Row> = endColumn('actions', '', 'first-end', ({ id, kind, state }) => (
  <span className="model-actions">
    <Copy text={id} what={`id ${id}`} />
    <TryLink small {...{ id, kind, state }} />
  </span>
))

const OPERATOR_COLUMNS = [MODEL, PRICE, COST, ROUTES, STATE, CALLS]
const ACCOUNT_COLUMNS = [MODEL, TAKES, CONTEXT, PRICE, STATE, CALLS]

/** Whether a row matches a search by id, name, kind, inputs or, for the operator, providers. */
const matches = (row: Row, words: string): boolean =>
  [row.id, row.display_name, row.kind, ...(row.takes ?? []), routeWords(row)].some((text) =>
    text.toLowerCase().includes(words.trim().toLowerCase()),
  )

/** @param by a column's key, with `-` before it for descending order; empty: the catalogue's order */
function sortRows(rows: readonly Row[], columns: readonly Sortable[], by: string): readonly Row[] {
  const keyOf = columns.find(({ key }) => key === by.replace(/^-/, ''))?.by
  if (!keyOf) return rows
  const sign = by.startsWith('-') ? -1 : 1
  return rows.toSorted((one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)]
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    return (
      sign * (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)))
    )
  })
}

export default function ModelsPage() {
  const query = { zone: useZone() }
  const models = useApi(['models', query], () => api.models.get({ query }))
  const is_operator = useViewer().side === 'operator'
  const operates = useMay('operate')
  return (
    <Page
      title="Models"
      lead={
        is_operator
          ? 'The models you sell, their prices and costs.'
          : 'The models you can call, and their prices.'
      }
      actions={
        <>
          <ExportCsv list="models" has_times={false} query={query} />
          {is_operator && (
            <ButtonLink icon={Percent} href="/models/price-groups">
              Price groups
            </ButtonLink>
          )}
          {operates && (
            <>
              <ImportPrices />
              <ButtonLink href="/models/new" look="primary" icon={Plus}>
                Add a model
              </ButtonLink>
            </>
          )}
        </>
      }
    >
      <Loaded query={models}>
        {({ models }) =>
          models.length === 0 ? (
            <EmptyState icon={Boxes} title="No model yet">
              {operates
                ? 'Add a model, with its price and a provider that serves it.'
                : 'No models available. Ask your operator.'}
            </EmptyState>
          ) : (
            <ModelList models={models} columns={is_operator ? OPERATOR_COLUMNS : ACCOUNT_COLUMNS} />
          )
        }
      </Loaded>
      {is_operator && <AsCommand command="tollgate models" />}
    </Page>
  )
}

function ModelList({ models, columns }: { models: readonly Row[]; columns: readonly Sortable[] }) {
  const [{ q, sort }, change] = useAddressState({ q: '', sort: '' })
  const found = models.filter((row) => matches(row, q))
  return (
    <>
      <FilterSearch
        label="Search models"
        placeholder="Search by name, kind or input"
        value={q}
        onChange={(text) => change({ q: text })}
      />
      {found.length === 0 ? (
        <p className="soft">No results for “{q}”.</p>
      ) : (
        <Table
          label="Models"
          columns={[...columns, ACTIONS]}
          rows={sortRows(found, columns, sort)}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => `/models/${encodeURIComponent(id)}`}
          sorting={{ by: sort, onSort: (by) => change({ sort: by }) }}
        />
      )}
    </>
  )
}
