// The page Provider: its keys and their cooldowns, the models that it serves, its settings.
import { FlaskConical, Pencil } from 'lucide-react'
import { useRef, useState } from 'react'
import { Link, Redirect } from 'wouter'
import { FailedFact } from '../../../calls/web/failed/failed.tsx'
import { type AnswerOf, ApiError, type api, part } from '../../../console/web/app/client.ts'
import type { PageProps } from '../../../console/web/app/page-entry.ts'
import { count, duration } from '../../../console/web/parts/amounts.ts'
import { Button } from '../../../console/web/parts/button.tsx'
import { AsCommand } from '../../../console/web/parts/code.tsx'
import { Facts } from '../../../console/web/parts/facts.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import { healthSentence, LastFailureWords, RouteHealth } from '../../../console/web/parts/health.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { Page, Section } from '../../../console/web/parts/page.tsx'
import { Select } from '../../../console/web/parts/select.tsx'
import { FailedState, Loaded } from '../../../console/web/parts/states.tsx'
import { atEnd, type Column, column, Table } from '../../../console/web/parts/table.tsx'
import { ClockTime } from '../../../console/web/parts/time.tsx'
import { protocolTitle } from '../new-provider/choices.ts'
import { keptDraft, useDraft, useFile } from '../parts/draft.ts'
import { ProviderFields } from '../parts/provider-fields.tsx'
import { SaveBar } from '../parts/save-bar.tsx'
import { TrialResult, useTrial } from '../parts/trial-result.tsx'
import { blocksOf, type CatalogueFile } from '../parts/values.ts'
import { DeleteProvider } from './delete-provider.tsx'
import { ProviderCondition, ProviderState, useProviders } from './providers.tsx'

type Provider = AnswerOf<typeof api.providers.get>['providers'][number]
type Key = Provider['keys'][number]

export default function ProviderPage({ params }: PageProps) {
  const name = params.name ?? ''
  const providers = useProviders()
  const place = useRef<number | null>(null)
  return (
    <Page title={name}>
      <Loaded query={providers}>
        {({ providers }) => {
          const provider = providers.find((each) => each.name === name)
          // A rename leaves its place in the file.
          const renamed = providers.find((each) => each.place !== null && each.place === place.current)
          if (!provider && renamed) return <Redirect to={`/providers/${part(renamed.name)}`} replace />
          place.current = provider?.place ?? place.current
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
      <Settings provider={provider} />
      <AsCommand command={`tollgate providers test ${name}`} />
    </>
  )
}

function Keys({ provider }: { provider: Provider }) {
  const columns: Column<Key>[] = [
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
    atEnd('answered', 'Answered since start', 'none', ({ answered }) => count(answered)),
    atEnd('failed', 'Failed', 'none', ({ failed }) => count(failed)),
    column('words', 'Last failure', 'none', (key) => <KeyFailure of={key} />),
  ]
  return (
    <Section title="Keys">
      <div className="stack">
        <Table label="Keys" columns={columns} rows={provider.keys} keyOf={({ id }) => id} />
        {provider.routes.length > 0 && provider.state !== 'disabled' && <KeyTrials provider={provider} />}
      </div>
    </Section>
  )
}

function KeyState({ of: { state, ready_at_ms, answered, failed } }: { of: Key }) {
  const is_unused = state === 'ready' && answered + failed === 0
  return (
    <>
      <ProviderState state={is_unused ? 'unused' : state} />
      {ready_at_ms !== null && (
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
      {(failure_class ?? 'failed').replaceAll('_', ' ')}
      {failures > 1 && `, ${String(failures)} in a row`}, <ClockTime at_ms={failed_at_ms} />
      {words && <p className="trial-words soft">{words}</p>}
    </>
  )
}

/** One request with each key, over a route that is chosen. */
function KeyTrials({ provider: { name, keys, routes } }: { provider: Provider }) {
  const tried = routes.filter(({ kind }) => kind !== 'image')
  const [chosen, setChosen] = useState(tried[0]?.model ?? '')
  const models = [...new Set(tried.map(({ model }) => model))]
  if (tried.length === 0)
    return <p className="soft">This provider serves images only. Test it on a model’s page.</p>
  return (
    <div className="stack">
      <Field label="Try with" help="Sends one small request with each key. It costs a fraction of a cent.">
        <Select
          inline
          options={models.map((value) => ({ value, label: value }))}
          value={chosen}
          onChange={setChosen}
        />
      </Field>
      <ul className="key-lines">
        {keys
          .filter(({ state }) => state !== 'unset')
          .map(({ id, number }) => (
            <KeyTrial
              key={`${id} ${chosen}`}
              id={id}
              order={{ provider: name, model: chosen, key: number }}
            />
          ))}
      </ul>
    </div>
  )
}

function KeyTrial({ id, order }: { id: string; order: { provider: string; model: string; key: number } }) {
  const trial = useTrial()
  return (
    <li>
      <div className="spread">
        <code>{id}</code>
        <Button
          small
          icon={FlaskConical}
          aria-label={`Try ${id}`}
          busy={trial.isPending}
          onClick={() => trial.mutate(order)}
        >
          Try
        </Button>
      </div>
      <TrialResult outcome={trial.data} failure={trial.error} />
    </li>
  )
}

function Models({ provider: { routes } }: { provider: Provider }) {
  return (
    <Section title="Models">
      {routes.length === 0 ? (
        <p className="soft">
          No model uses this provider: <Link href="/models">add one in Models</Link>.
        </p>
      ) : (
        <RouteHealth
          title="Model"
          rows={routes.map(({ id, ...route }) => ({ ...route, name: id }))}
          hrefOf={({ name }) => `/models/${part(name)}`}
        />
      )}
    </Section>
  )
}

function Settings({ provider }: { provider: Provider }) {
  // Where a draft was left, it goes on.
  const [is_open, setOpen] = useState(() => keptDraft()?.made_at === location.pathname)
  const file = useFile()
  const { place } = provider
  if (is_open && file.data && place !== null)
    return <SettingsForm read={file.data} place={place} close={() => setOpen(false)} />
  return (
    <Section
      title="Settings"
      actions={
        <>
          {place !== null && file.data && (
            <DeleteProvider name={provider.name} place={place} file={file.data} />
          )}
          <Button icon={Pencil} disabled={place === null} onClick={() => setOpen(true)}>
            Change keys and settings
          </Button>
        </>
      }
    >
      <p className="soft">
        {place === null
          ? 'The configuration file has mistakes. Fix them first: System, Configuration file.'
          : 'Stored in the configuration file. You can replace keys here; they are never shown.'}
      </p>
    </Section>
  )
}

function SettingsForm({ read, place, close }: { read: CatalogueFile; place: number; close: () => void }) {
  const draft = useDraft(read)
  const block = blocksOf(draft.values, 'providers')[place]
  return (
    <Section
      title="Settings"
      actions={
        <>
          {!draft.is_changed && !draft.is_changing && <Button onClick={close}>Close</Button>}
          <SaveBar draft={draft} />
        </>
      }
    >
      {draft.failure && <Notice tone="bad">{draft.failure}</Notice>}
      {block && <ProviderFields draft={draft} path={['providers', place]} provider={block} />}
    </Section>
  )
}
