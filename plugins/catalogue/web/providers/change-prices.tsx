// The page Change prices: changes the prices of a provider's models by per cent, with each price before and after, and a review.
import { useQueryClient } from '@tanstack/react-query'
import { Save } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ApiError, api, pathPart } from '../../../console/web/app/client.ts'
import type { PageProps } from '../../../console/web/app/page-entry.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { countNoun } from '../../../console/web/parts/amounts.ts'
import { Button, ButtonLink } from '../../../console/web/parts/button.tsx'
import { AsCommand } from '../../../console/web/parts/code.tsx'
import { useDebounced } from '../../../console/web/parts/debounced.ts'
import { Field } from '../../../console/web/parts/field.tsx'
import { withoutName } from '../../../console/web/parts/form.tsx'
import { UnitInput } from '../../../console/web/parts/input.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { Page } from '../../../console/web/parts/page.tsx'
import { Select } from '../../../console/web/parts/select.tsx'
import { AwaitedPage, Loaded } from '../../../console/web/parts/states.tsx'
import { Switch } from '../../../console/web/parts/switch.tsx'
import { useFile } from '../parts/draft.ts'
import { ReviewDialog, useReview } from '../parts/review-dialog.tsx'
import { FILE_KEY, useSaveCatalogue } from '../parts/saving.ts'
import { type Block, blocksOf, type CatalogueFile, listAt, textAt } from '../parts/values.ts'
import { ChangedPrices } from './changed-prices.tsx'

export default function ChangePricesPage({ params }: PageProps) {
  const name = params.name ?? ''
  const file = useFile()
  if (!file.data) return <AwaitedPage title={`Change prices of ${name}`} query={file} />
  return <ChangeForm key={name} provider={name} file={file.data} />
}

type Order = Parameters<typeof api.prices.changes.post>[0]

const DIRECTIONS = [
  { value: '', label: 'Up' },
  { value: '-', label: 'Down' },
] as const

const TARGETS = [
  { value: 'price', label: 'My prices', detail: 'What callers pay. Costs stay.' },
  {
    value: 'both',
    label: 'Costs and my prices',
    detail: 'The provider changed its prices, and mine follow.',
  },
  { value: 'cost', label: 'Costs', detail: 'The provider changed its prices. Mine stay.' },
] as const

const SCOPES = [
  { value: 'all', label: 'All models' },
  { value: 'selected', label: 'Selected models' },
] as const

interface ChangeFormProps {
  provider: string
  file: CatalogueFile
}

/** The form's values, and the request that they make; null without a percentage. */
function useChoices({ provider, file }: ChangeFormProps) {
  const [sign, setSign] = useState<'' | '-'>('')
  const [percent, setPercent] = useState('')
  const [target, setTarget] = useState<Order['target']>('price')
  const [scope, setScope] = useState<'all' | 'selected'>('all')
  const [selected, setSelected] = useState<readonly string[]>([])
  const settled = useDebounced(percent.trim())
  const served = blocksOf(file.values as Block | null, 'models').flatMap((model) =>
    listAt(model, 'routes').some((route) => textAt(route as Block, 'provider') === provider)
      ? [textAt(model, 'id')]
      : [],
  )
  const only = scope === 'all' ? undefined : served.filter((id) => selected.includes(id))
  const order: Order | null =
    settled === '' ? null : { provider, percent: `${sign}${settled}`, target, ...(only && { models: only }) }
  const toggle = (id: string, is_on: boolean) =>
    setSelected(is_on ? [...selected, id] : selected.filter((other) => other !== id))
  return {
    ...{ sign, setSign, percent, setPercent, target, setTarget, scope, setScope, served, selected, toggle },
    order,
    is_settled: settled === percent.trim(),
  }
}

function ChangeForm({ provider, file }: ChangeFormProps) {
  const choices = useChoices({ provider, file })
  const { order, is_settled } = choices
  const [, go] = useLocation()
  const queries = useQueryClient()
  const href = `/providers/${pathPart(provider)}`
  const preview = useApi(
    ['catalogue', 'price-changes', file.hash, order],
    () => api.prices.changes.post(order ?? { provider, percent: '', target: 'price' }),
    { enabled: order !== null },
  )
  const draft = order && is_settled && !preview.isPlaceholderData ? preview.data : undefined
  const save = useSaveCatalogue(() => go(href))
  const { reviewing, open, cancel } = useReview(() => Promise.resolve(draft?.text ?? null), file, save)
  const reload = () => {
    cancel()
    void queries.invalidateQueries({ queryKey: FILE_KEY })
  }
  const failure = reviewing.failure ?? open.error
  const notice = failure && <Failure failure={failure} reload={reload} />
  const refusal = order ? preview.error : null
  const percent_error =
    refusal instanceof ApiError && refusal.param === 'percent'
      ? withoutName(refusal.message, 'percent')
      : null
  return (
    <Page
      title={`Change prices of ${provider}`}
      lead="Raise or lower them all by one percentage. Nothing changes until you save."
      actions={
        <>
          <ButtonLink href={href}>Close</ButtonLink>
          <Button
            look="primary"
            icon={Save}
            busy={open.isPending}
            disabled={!draft || draft.changes === 0}
            onClick={() => open.mutate()}
          >
            Review and save
          </Button>
        </>
      }
    >
      {reviewing.review === null && notice}
      <ChoiceFields choices={choices} error={percent_error} />
      {order === null ? (
        <p className="soft">Enter a percentage to see each price before and after.</p>
      ) : (
        percent_error === null && (
          <Loaded query={preview}>
            {(data) => <ChangedPrices provider={provider} target={order.target} draft={data} />}
          </Loaded>
        )
      )}
      <AsCommand command={commandOf(provider, order)} />
      <ReviewDialog
        reviewing={reviewing}
        title={`Change prices of ${provider}?`}
        verb="Save prices"
        has_own_failure
      >
        {notice}
      </ReviewDialog>
    </Page>
  )
}

function Failure({ failure, reload }: { failure: Error; reload: () => void }) {
  return (
    <Notice tone="bad" alert>
      <p>{failure.message}</p>
      {failure instanceof ApiError && failure.code === 'configuration_changed' && (
        <Button small onClick={reload}>
          Reload file
        </Button>
      )}
    </Notice>
  )
}

interface ChoiceFieldsProps {
  choices: ReturnType<typeof useChoices>
  error: string | null
}

function ChoiceFields({ choices, error }: ChoiceFieldsProps) {
  const { sign, percent, target, scope, served, selected } = choices
  return (
    <>
      <div className="fields">
        <Field label="Direction">
          <Select options={DIRECTIONS} value={sign} onChange={choices.setSign} />
        </Field>
        <Field label="Per cent" error={error} help={HELP}>
          <UnitInput unit="%" placeholder="10" value={percent} onChange={choices.setPercent} />
        </Field>
        <Field label="What changes" help={TARGETS.find(({ value }) => value === target)?.detail}>
          <Select options={TARGETS} value={target} onChange={choices.setTarget} />
        </Field>
        <Field label="Models" help={`${countNoun(served.length, 'model')} of this provider.`}>
          <Select options={SCOPES} value={scope} onChange={choices.setScope} />
        </Field>
      </div>
      {scope === 'selected' && (
        <fieldset className="settings-group" aria-label="Selected models">
          {served.map((id) => (
            <Field key={id} label={id} inline>
              <Switch checked={selected.includes(id)} onChange={(is_on) => choices.toggle(id, is_on)} />
            </Field>
          ))}
        </fieldset>
      )}
    </>
  )
}

const HELP =
  'Every amount changes: caches, long prompts, images, units and extras, too. Each is rounded up to a nano-dollar.'

function commandOf(provider: string, order: Order | null): string {
  const { percent = '10', target = 'price', models = [] } = order ?? {}
  return [
    `tollgate prices change ${provider} --by ${percent}%`,
    ...(target === 'price' ? [] : [`--target ${target}`]),
    ...models.map((id) => `--model ${id}`),
  ].join(' ')
}
