// The page Provider: keys with their cooldowns, and models.
import { FlaskConical, Pencil, Percent } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { FailedFact } from '../../../calls/web/failed/failed.tsx'
import { type AnswerOf, ApiError, type api, pathPart } from '../../../console/web/app/client.ts'
import type { PageProps } from '../../../console/web/app/page-entry.ts'
import { useMay } from '../../../console/web/app/session.tsx'
import { count, duration } from '../../../console/web/parts/amounts.ts'
import { Button, ButtonLink } from '../../../console/web/parts/button.tsx'
import { AsCommand } from '../../../console/web/parts/code.tsx'
import { Facts } from '../../../console/web/parts/facts.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import {
  failureClassWord,
  healthColumns,
  healthSentence,
  LastFailureWords,
} from '../../../console/web/parts/health.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { Page, Section } from '../../../console/web/parts/page.tsx'
import { Select } from '../../../console/web/parts/select.tsx'
import { FailedState, Loaded } from '../../../console/web/parts/states.tsx'
import { type Column, column, endColumn, Table } from '../../../console/web/parts/table.tsx'
import { ClockTime } from '../../../console/web/parts/time.tsx'
import { useTrial } from '../../../console/web/parts/trial.ts'
import { protocolTitle } from '../new-provider/choices.ts'
import { TrialResult } from '../parts/trial-result.tsx'
import { ProviderCondition, ProviderState, useProviders } from './providers.tsx'

type Provider = AnswerOf<typeof api.providers.get>['providers'][number]
type Key = Provider['keys'][number]

export default function ProviderPage({ params }: PageProps) {
  const name = params.name ?? ''
  const providers = useProviders()
  return (
    <Page
      title={name}
      actions={
        <>
          <ButtonLink href={`/providers/${pathPart(name)}/prices`} icon={Percent} right="operate">
            Change prices
          </ButtonLink>
          <ButtonLink href={`/providers/${pathPart(name)}/edit`} icon={Pencil} right="operate">
            Edit provider
          </ButtonLink>
        </>
      }
    >
      <Loaded query={providers}>
        {({ providers }) => {
          const provider = providers.find((each) => each.name === name)
          return provider ? <ProviderSections provider={provider} /> : <FailedState failure={unknown(name)} />
        }}
      </Loaded>
    </Page>
  )
}

const unknown = (name: string): Error =>
  new ApiError(404, `Provider "${name}" not found.`, 'not_found', null, null)

function ProviderSections({ provider }: { provider: Provider }) {
  const { name, why, server, base_url, protocol, responses, settings, headers, health, last_failure } =
    provider
  return (
    <>
      {why !== null && <Notice tone="warn">This provider gets no calls: {why}.</Notice>}
      {health.state === 'failing' && (
        <Notice tone="bad">
          This provider is failing. {healthSentence(health, 'requests')}{' '}
          {last_failure && <LastFailureWords of={last_failure} />}
        </Notice>
      )}
      <Facts
        facts={[
          ['State', <ProviderCondition key="state" provider={provider} />],
          ['Failed in 7 days', <FailedFact key="failed" provider={name} />],
          ['Server', server ?? false],
          ['Address', <code key="address">{base_url}</code>],
          [
            'Protocol',
            responses ? `${protocolTitle(protocol)}, with the Responses API` : protocolTitle(protocol),
          ],
          ['Headers', headers.length > 0 && headers.join(', ')],
          ['Timeout of a call', settings.call_timeout_ms !== undefined && duration(settings.call_timeout_ms)],
          ['First cooldown', settings.cooldown_ms !== undefined && duration(settings.cooldown_ms)],
        ]}
      />
      <Keys provider={provider} />
      <Models provider={provider} />
      <AsCommand command={`tollgate providers test ${name}`} />
    </>
  )
}

function Keys({ provider }: { provider: Provider }) {
  const { name, keys, routes, state } = provider
  const testable = routes.filter(({ kind }) => kind !== 'image')
  const models = [...new Set(testable.map(({ model }) => model))]
  const [chosen, setChosen] = useState(models[0] ?? '')
  const operates = useMay('operate')
  const can_test = operates && models.length > 0 && state !== 'disabled'
  const test = column<Key>('test', 'Test', 'second-end', (key) =>
    key.state === 'unset' ? null : (
      <KeyTrial key={chosen} id={key.id} order={{ provider: name, model: chosen, key: key.number }} />
    ),
  )
  return (
    <Section title="Keys">
      <Table
        label="Keys"
        columns={can_test ? [...KEY_COLUMNS, test] : KEY_COLUMNS}
        rows={keys}
        keyOf={({ id }) => id}
      />
      {can_test && models.length > 1 && (
        <Field label="Model to test" help="A test is one small request. It costs a fraction of a cent.">
          <Select
            inline
            options={models.map((value) => ({ value, label: value }))}
            value={chosen}
            onChange={setChosen}
          />
        </Field>
      )}
      {operates && testable.length === 0 && routes.length > 0 && (
        <p className="soft">This provider serves images only. Test it on a model’s page.</p>
      )}
    </Section>
  )
}

const KEY_COLUMNS: Column<Key>[] = [
  column('id', 'Key', 'first', ({ id }) => <code className="no-wrap">{id}</code>),
  column('state', 'State', 'first-end', (key) => <KeyState of={key} />),
  column('source', 'From', 'second', ({ source, mark }) => (
    <>
      {source === 'none' ? 'no key' : source}
      {mark !== null && (
        <>
          {' '}
          <code className="soft" title="A fingerprint that tells keys apart without revealing them.">
            {mark}
          </code>
        </>
      )}
    </>
  )),
  endColumn('answered', 'Answered since start', 'none', ({ answered }) => count(answered)),
  endColumn('failed', 'Failed since start', 'none', ({ failed }) => count(failed)),
  column('words', 'Failing now', 'none', (key) => <KeyFailure of={key} />),
]

function KeyState({ of: { state, ready_at_ms, answered, failed } }: { of: Key }) {
  const is_unused = state === 'ready' && answered + failed === 0
  return (
    <>
      <ProviderState state={is_unused ? 'unused' : state} />
      {state === 'cooling' && ready_at_ms !== null && (
        <span className="soft">
          {' '}
          until <ClockTime at_ms={ready_at_ms} />
        </span>
      )}
    </>
  )
}

function KeyFailure({ of: { failed_at_ms, failure_class, words, failures } }: { of: Key }) {
  if (failed_at_ms === null) return <span className="soft">–</span>
  return (
    <>
      {failureClassWord(failure_class ?? 'failed')}
      {failures > 1 && `, ${String(failures)} in a row`}, <ClockTime at_ms={failed_at_ms} />
      {words && <p className="trial-words soft">{words}</p>}
    </>
  )
}

function KeyTrial({ id, order }: { id: string; order: { provider: string; model: string; key: number } }) {
  const trial = useTrial()
  return (
    <div className="trial">
      <Button
        small
        icon={FlaskConical}
        aria-label={`Test ${id}`}
        busy={trial.isPending}
        onClick={() => trial.mutate(order)}
      >
        Test
      </Button>
      <TrialResult outcome={trial.data} failure={trial.error} />
    </div>
  )
}

type Route = Provider['routes'][number]

const ROUTE_COLUMNS: Column<Route>[] = [
  column('id', 'Model', 'first', ({ id }) => id),
  ...healthColumns<Route>(),
]

function Models({ provider: { routes } }: { provider: Provider }) {
  return (
    <Section title="Models">
      {routes.length === 0 ? (
        <p className="soft">
          No model uses this provider yet. <Link href="/models/new">Add a model</Link>
        </p>
      ) : (
        <Table
          label="Routes"
          columns={ROUTE_COLUMNS}
          rows={routes}
          keyOf={({ id, model }) => `${id} ${model}`}
          hrefOf={({ id }) => `/models/${pathPart(id)}`}
        />
      )}
    </Section>
  )
}
