// The page Providers: who serves the models, and which of them is ill.
import { Plus } from 'lucide-react'
import { api } from '../../app/client.ts'
import { useAsk } from '../../app/query.ts'
import { count } from '../../parts/amounts.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { Page } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { ProviderState } from './provider-state.tsx'

const ASK_EVERY_MS = 5_000

export const useProviders = () => useAsk(['providers'], () => api.providers.get(), { every_ms: ASK_EVERY_MS })

type Provider = NonNullable<ReturnType<typeof useProviders>['data']>['providers'][number]

const sumOf = ({ keys }: Provider, what: 'answered' | 'failed'): number =>
  keys.reduce((sum, key) => sum + key[what], 0)

/** The last failure of any key, unless the key has answered since. */
function LastFailure({ provider: { keys, why } }: { provider: Provider }) {
  const [last] = keys
    .filter(({ failed_at_ms }) => failed_at_ms !== null)
    .sort((one, other) => (other.failed_at_ms ?? 0) - (one.failed_at_ms ?? 0))
  if (!last) return <span className="soft">{why ?? '–'}</span>
  return (
    <span title={last.words ?? undefined}>
      {(last.failure_class ?? 'failed').replaceAll('_', ' ')}{' '}
      <span className="soft">
        (<Time at_ms={last.failed_at_ms} />)
      </span>
    </span>
  )
}

const COLUMNS: Column<Provider>[] = [
  { key: 'name', title: 'Provider', cell: ({ name }) => name },
  {
    key: 'state',
    title: 'State',
    cell: ({ state, why }) => <ProviderState state={state} why={why} />,
    phone: 'first-end',
  },
  {
    key: 'address',
    title: 'Address',
    cell: ({ base_url, protocol }) => (
      <>
        <code>{base_url}</code> <span className="soft">{protocol}</span>
      </>
    ),
    phone: 'second',
  },
  {
    key: 'keys',
    title: 'Keys',
    cell: ({ keys }) => count(keys.filter(({ source }) => source !== 'none').length),
    end: true,
    phone: 'none',
  },
  {
    key: 'models',
    title: 'Models',
    cell: ({ routes }) => count(new Set(routes.map(({ id }) => id)).size),
    end: true,
    phone: 'none',
  },
  {
    key: 'attempts',
    title: 'Answered / failed',
    cell: (provider) => `${count(sumOf(provider, 'answered'))} / ${count(sumOf(provider, 'failed'))}`,
    end: true,
    phone: 'second-end',
  },
  {
    key: 'last',
    title: 'Last failure',
    cell: (provider) => <LastFailure provider={provider} />,
    phone: 'none',
  },
]

export default function ProvidersPage() {
  const providers = useProviders()
  return (
    <Page
      title="Providers"
      lead="Who serves the models. Attempts are counted since the gateway started."
      actions={
        <ButtonLink href="/providers/new" look="primary" icon={Plus}>
          Add a provider
        </ButtonLink>
      }
    >
      <Loaded query={providers}>
        {({ providers }) => (
          <Table
            label="Providers"
            columns={COLUMNS}
            rows={providers}
            keyOf={({ name }) => name}
            hrefOf={({ name }) => `/providers/${encodeURIComponent(name)}`}
          />
        )}
      </Loaded>
      <AsCommand command="tollgate providers test" />
    </Page>
  )
}
