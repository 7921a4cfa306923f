// The page Providers: who serves the models, and which of them is ill.
import { Plus } from 'lucide-react'
import { type AnswerOf, api } from '../../app/client.ts'
import { useAsk } from '../../app/query.ts'
import { count } from '../../parts/amounts.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { Page } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { atEnd, type Column, column, Table } from '../../parts/table.tsx'
import { ClockTime } from '../../parts/time.tsx'
import { ProviderState } from './provider-state.tsx'

const ASK_EVERY_MS = 5_000

export const useProviders = () => useAsk(['providers'], () => api.providers.get(), { every_ms: ASK_EVERY_MS })

type Provider = AnswerOf<typeof api.providers.get>['providers'][number]

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
        (<ClockTime at_ms={last.failed_at_ms} />)
      </span>
    </span>
  )
}

const COLUMNS: Column<Provider>[] = [
  column('name', 'Provider', 'first', ({ name }) => name),
  column('state', 'State', 'first-end', ({ state, why }) => <ProviderState state={state} why={why} />),
  column('address', 'Address', 'second', ({ base_url, protocol }) => (
    <>
      <code>{base_url}</code> <span className="soft">{protocol}</span>
    </>
  )),
  atEnd('keys', 'Keys', 'none', ({ keys }) => count(keys.filter(({ source }) => source !== 'none').length)),
  atEnd('models', 'Models', 'none', ({ routes }) => count(new Set(routes.map(({ id }) => id)).size)),
  atEnd(
    'attempts',
    'Answered / failed',
    'second-end',
    (provider) => `${count(sumOf(provider, 'answered'))} / ${count(sumOf(provider, 'failed'))}`,
  ),
  column('last', 'Last failure', 'none', (provider) => <LastFailure provider={provider} />),
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
