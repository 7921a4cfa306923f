// The page Providers, with their health.
import { Plus } from 'lucide-react'
import { type AnswerOf, api } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { count } from '../../../console/web/parts/amounts.ts'
import { ButtonLink } from '../../../console/web/parts/button.tsx'
import { AsCommand } from '../../../console/web/parts/code.tsx'
import { ExportCsv } from '../../../console/web/parts/export-csv.tsx'
import {
  answeredColumn,
  failureClassWord,
  type HealthAnswer,
  HealthStatus,
  healthSentence,
} from '../../../console/web/parts/health.tsx'
import { Page } from '../../../console/web/parts/page.tsx'
import { Loaded } from '../../../console/web/parts/states.tsx'
import { Status, type Tone } from '../../../console/web/parts/status.tsx'
import { type Column, column, endColumn, Table } from '../../../console/web/parts/table.tsx'
import { ClockTime } from '../../../console/web/parts/time.tsx'

const TONES: Readonly<Record<string, Tone>> = {
  ready: 'good',
  'partly cooling': 'warn',
  cooling: 'bad',
  rejected: 'bad',
  disabled: 'idle',
  unset: 'warn',
}

const WORDS: Readonly<Record<string, string>> = {
  cooling: 'in cooldown',
  'partly cooling': 'some keys in cooldown',
  unset: 'not set',
  unused: 'not used yet',
}

/** The state of a provider: the health of its calls, unless cooldowns or its configuration stop it. */
export function ProviderCondition({ provider }: { provider: Condition }) {
  const { state, why, health } = provider
  const is_health = state === 'ready' || (state === 'partly cooling' && health.state === 'failing')
  return is_health ? (
    <HealthStatus state={health.state} title={healthSentence(health, 'requests')} />
  ) : (
    <ProviderState state={state} why={why} />
  )
}

interface Condition {
  state: string
  why: string | null
  health: HealthAnswer
}

export const ProviderState = ({ state, why }: { state: string; why?: string | null }) => (
  <Status tone={TONES[state] ?? 'idle'} title={why ?? undefined}>
    {WORDS[state] ?? state}
  </Status>
)

const REFRESH_MS = 5_000

export const useProviders = () => useApi(['providers'], () => api.providers.get(), { every_ms: REFRESH_MS })

type Provider = AnswerOf<typeof api.providers.get>['providers'][number]

/** The last failure within 24 hours. */
function LastFailure({ provider: { last_failure: last, why } }: { provider: Provider }) {
  if (!last) return <span className="soft">{why ?? '–'}</span>
  return (
    <span title={last.words}>
      {failureClassWord(last.failure_class)}{' '}
      <span className="soft">
        (<ClockTime at_ms={last.failed_at_ms} />)
      </span>
    </span>
  )
}

const COLUMNS: Column<Provider>[] = [
  column('name', 'Provider', 'first', ({ name }) => name),
  column('state', 'State', 'first-end', (provider) => <ProviderCondition provider={provider} />),
  column('address', 'Address', 'second', ({ base_url, protocol }) => (
    <>
      <code>{base_url}</code> <span className="soft">{protocol}</span>
    </>
  )),
  endColumn('models', 'Models', 'none', ({ routes }) => count(new Set(routes.map(({ id }) => id)).size)),
  answeredColumn(),
  column('last', 'Last failure', 'none', (provider) => <LastFailure provider={provider} />),
]

export default function ProvidersPage() {
  const providers = useProviders()
  return (
    <Page
      title="Providers"
      lead="The providers that serve your models, and their health."
      actions={
        <>
          <ExportCsv list="providers" has_times={false} query={{}} />
          <ButtonLink href="/providers/new" look="primary" icon={Plus} right="operate">
            Add a provider
          </ButtonLink>
        </>
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
