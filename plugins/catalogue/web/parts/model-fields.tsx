// A model of the catalogue as fields; what they do not have is in the text.

import { Field } from '../../../console/web/parts/field.tsx'
import { Switch } from '../../../console/web/parts/switch.tsx'
import type { Draft } from './draft.ts'
import { KnownModels } from './known-models.tsx'
import { ModelPrice } from './price-fields.tsx'
import { RouteFields } from './route-fields.tsx'
import { FurtherFields, useSettings } from './setting-fields.tsx'
import { type KeyField, TextFields } from './text-field.tsx'
import { type Block, blockAt, type Path, textAt } from './values.ts'

interface ModelFieldsProps {
  draft: Draft
  path: Path
  model: Block
}

export function ModelFields({ draft, path, model }: ModelFieldsProps) {
  const { data } = useSettings()
  const kind = textAt(model, 'kind')
  return (
    <div className="stack">
      <TextFields {...{ draft, path }} block={model} fields={NAMES} />
      <h3>Price</h3>
      <ModelPrice draft={draft} path={[...path, 'price']} price={blockAt(model, 'price')} kind={kind} />
      <KnownModels draft={draft} path={path} model={model} />
      <h3>Routes</h3>
      <RouteFields draft={draft} path={path} model={model} />
      <LimitFields draft={draft} path={path} model={model} />
      <FurtherFields
        {...{ draft, path }}
        block={model}
        fields={data?.blocks.models[kind]}
        by_hand={BY_HAND}
      />
    </div>
  )
}

const NAMES: readonly KeyField[] = [
  { name: 'id', label: 'Id', help: 'The name that callers use.', code: true },
  { name: 'display_name', label: 'Display name', may_be_empty: true },
]
const END: readonly KeyField[] = [
  {
    name: 'shutdown_date',
    label: 'Shutdown date',
    help: 'Such as 2027-03-31. Callers see it. Leave empty to use the latest date of its routes.',
    may_be_empty: true,
  },
]
const TOKENS: readonly KeyField[] = [
  {
    name: 'context',
    label: 'Context',
    help: 'In tokens, prompt and answer together.',
    number: true,
    may_be_empty: true,
  },
  {
    name: 'max_output_tokens',
    label: 'Max output',
    help: 'In tokens. Applies to requests that set no limit.',
    number: true,
    may_be_empty: true,
  },
]
const BY_HAND = [...NAMES, ...END, ...TOKENS].map(({ name }) => name).concat('retired')

/** The bounds of a call, and the model's end. */
export function LimitFields({ draft, path, model }: ModelFieldsProps) {
  const own = [...path, 'retired']
  return (
    <>
      <TextFields {...{ draft, path }} block={model} fields={END} />
      {model.kind === 'text' && <TextFields {...{ draft, path }} block={model} fields={TOKENS} />}
      <Field
        inline
        label="Retired"
        help="Calls of a retired model are refused. Its history is kept."
        error={draft.mistakeAt(own)}
      >
        <Switch checked={model.retired === true} onChange={(is_on) => draft.put(own, is_on || undefined)} />
      </Field>
    </>
  )
}
