// Last week's calls at other prices: how far the reckoning is, and what it found.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api, ask, part } from '../../app/client.ts'
import { useAsk } from '../../app/query.ts'
import { count, exactUsd, roundedUsd, share } from '../amounts.ts'
import { Money } from '../money.tsx'
import { FailedState } from '../states.tsx'
import { type Column, Table } from '../table.tsx'
import { Words } from '../words.tsx'

const ASK_EVERY_MS = 300

export function Rating({ id }: { id: string }) {
  const queries = useQueryClient()
  const key = ['catalogue-rating', id]
  const known = queries.getQueryData<{ state: string }>(key)
  const is_running = known === undefined || known.state === 'running'
  const { data, error } = useAsk(key, () => api.catalogue.previews({ id: part(id) }).get(), {
    ...(is_running ? { every_ms: ASK_EVERY_MS } : {}),
  })
  // Whoever closes it no longer waits for it: its thread ends.
  useEffect(() => {
    return () => {
      ask(api.catalogue.previews({ id: part(id) }).delete()).catch(() => {
        // It is over already, or the connection is lost: another preview replaces it.
      })
    }
  }, [id])

  if (error) return <FailedState failure={error} />
  if (!data || data.state === 'running') return <Progress done={data?.done ?? 0} total={data?.total ?? 0} />
  if (data.state === 'failed')
    return (
      <p className="soft">
        Last week’s calls could not be rated: <Words>{data.message}</Words>. Prices can be saved all the same.
      </p>
    )
  return <Result result={data} />
}

function Progress({ done, total }: { done: number; total: number }) {
  const part_done = total === 0 ? 0 : done / total
  return (
    <div className="stack">
      <label className="stack">
        <span>Rating last week’s calls at the new prices: {share(part_done)}</span>
        <progress max={1} value={part_done} />
      </label>
    </div>
  )
}

interface Sum {
  calls: number
  charged_nanos: number
  would_cost_nanos: number
  difference_nanos: number
  unrated_calls: number
  known_calls: number
  margin_nanos: number
  new_margin_nanos: number
}

interface ResultProps {
  result: {
    all: Sum
    models: readonly (Sum & { model: string })[]
    accounts: readonly (Sum & { account: string })[]
  }
}

/** Below a USD cents would hide the difference. */
const MAX_EXACT_NANOS = 1_000_000_000
const isSmall = ({ charged_nanos }: Sum): boolean => charged_nanos < MAX_EXACT_NANOS

function Result({ result: { all, models, accounts } }: ResultProps) {
  if (all.calls === 0)
    return <p className="soft">No call of the last seven days was to a model whose price changes.</p>
  return (
    <div className="stack">
      <p>
        {count(all.calls)} calls of the last seven days cost{' '}
        <Money nanos={all.charged_nanos} exact={isSmall(all)} />. At the new prices they would have cost{' '}
        <Money nanos={all.would_cost_nanos} exact={isSmall(all)} />:{' '}
        <strong title={`${exactUsd(all.difference_nanos)} USD`}>{moreOrLess(all)}</strong>.
        {all.unrated_calls > 0 && (
          <>
            {' '}
            {count(all.unrated_calls)} of them cannot be rated at the new prices, and count as they were
            charged.
          </>
        )}
      </p>
      {all.known_calls > 0 && <Margin {...all} />}
      <Table
        label="By model"
        columns={columns('Model', (row: Sum & { model: string }) => row.model)}
        rows={models}
        keyOf={({ model }) => model}
      />
      {accounts.length > 0 && (
        <Table
          label="By account, the largest change first"
          columns={columns('Account', (row: Sum & { account: string }) => row.account)}
          rows={accounts}
          keyOf={({ account }) => account}
        />
      )}
    </div>
  )
}

/** Of those calls alone whose provider cost was recorded. */
function Margin(sum: Sum) {
  const { calls, known_calls, margin_nanos, new_margin_nanos } = sum
  return (
    <p>
      Their margin was <Money nanos={margin_nanos} exact={isSmall(sum)} />, and would have been{' '}
      <strong className={new_margin_nanos < 0 ? 'tone-bad' : undefined}>
        <Money nanos={new_margin_nanos} exact={isSmall(sum)} />
      </strong>
      {known_calls < calls && `: of the ${count(known_calls)} whose provider cost is known`}.
    </p>
  )
}

function moreOrLess({ charged_nanos, difference_nanos }: Sum): string {
  if (difference_nanos === 0) return 'the same'
  const words = `${roundedUsd(Math.abs(difference_nanos))} USD ${difference_nanos > 0 ? 'more' : 'less'}`
  return charged_nanos === 0 ? words : `${words} (${share(Math.abs(difference_nanos) / charged_nanos)})`
}

const columns = <Row extends Sum>(title: string, nameOf: (row: Row) => string): Column<Row>[] => [
  { key: 'name', title, cell: nameOf },
  { key: 'calls', title: 'Calls', cell: ({ calls }) => count(calls), end: true, phone: 'none' },
  {
    key: 'charged',
    title: 'Charged',
    cell: (row) => <Money nanos={row.charged_nanos} exact={isSmall(row)} />,
    end: true,
    phone: 'second-end',
  },
  {
    key: 'would',
    title: 'At the new price',
    cell: (row) => <Money nanos={row.would_cost_nanos} exact={isSmall(row)} />,
    end: true,
    phone: 'none',
  },
  {
    key: 'difference',
    title: 'Difference',
    cell: (row) => <Money nanos={row.difference_nanos} exact={isSmall(row)} />,
    end: true,
    phone: 'first-end',
  },
]
