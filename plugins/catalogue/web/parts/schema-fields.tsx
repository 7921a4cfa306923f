// Settings as fields, as the server describes them by the catalogue's schemas; a table of labels has the words of those that most people set.
import { type AnswerOf, api } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { CommittedInput } from '../../../console/web/parts/committed-input.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import { Select } from '../../../console/web/parts/select.tsx'
import { Switch } from '../../../console/web/parts/switch.tsx'
import type { Draft } from './draft.ts'
import type { Labels } from './labels.ts'
import { type Block, listAt, type Path, type Value, valueAt, wholeNumber } from './values.ts'

type Settings = AnswerOf<typeof api.catalogue.settings.get>
type SettingField = Settings['sections'][number]['fields'][number]

/** All settings, as the server describes them. */
export const useSettings = () => useApi(['catalogue', 'settings'], () => api.catalogue.settings.get())

/** The fields of providers, routes, models and prices; none until the server has described them. */
export const useBlockFields = (): Settings['blocks'] => useSettings().data?.blocks ?? NO_FIELDS

const NO_FIELDS: Settings['blocks'] = { provider: [], route: [], models: {}, prices: {} }

/** A section or block of the file. */
export interface BlockProps {
  draft: Draft
  /** Of the block in the file. */
  path: Path
  block: Block
}

interface SchemaFieldsProps extends BlockProps {
  /** All fields of such a block. */
  fields: readonly SettingField[] | undefined
  /** Those to show, in this order; all where absent. */
  names?: readonly string[]
  labels?: Labels
  /** Before each label, where the same settings stand elsewhere on the page. */
  label_prefix?: string
  /** The placeholder of an empty field without a default. */
  empty?: string
}

export function SchemaFields({ fields = [], names, ...shared }: SchemaFieldsProps) {
  const visible = names?.flatMap((name) => fields.find(({ path }) => path[0] === name) ?? []) ?? fields
  return visible.map((field) => <SchemaField key={field.path.join('.')} {...shared} field={field} />)
}

interface FurtherFieldsProps extends SchemaFieldsProps {
  /** Those with a field elsewhere in the form. */
  labels: Labels
  /** Further ones that are not shown here. */
  without?: readonly string[]
}

/** The settings of a block that few change: folded away, under a title that names those that are set. */
export function FurtherFields({ fields = [], labels, without = [], ...shared }: FurtherFieldsProps) {
  const further = fields.filter(
    ({ path: [name = ''] }) => !Object.hasOwn(labels, name) && !without.includes(name),
  )
  const set = further.filter(({ path: [name = ''] }) => name in shared.block)
  if (further.length === 0) return null
  return (
    <details className="folded">
      <summary>
        {shared.label_prefix}More settings
        {set.length > 0 && `: ${set.map(({ path }) => labelOf(path).toLowerCase()).join(', ')}`}
      </summary>
      <div className="stack">
        <SchemaFields {...shared} fields={further} empty="default" />
      </div>
    </details>
  )
}

interface SchemaFieldProps extends Omit<SchemaFieldsProps, 'fields' | 'names'> {
  field: SettingField
}

function SchemaField({
  draft,
  path,
  block,
  field,
  labels = {},
  label_prefix = '',
  empty = '',
}: SchemaFieldProps) {
  const own = [...path, ...field.path]
  const write = (value: Value | undefined) => draft.put(own, value)
  const inline = field.kind === 'switch' && field.fallback !== null
  const ofItems = listAt(block, ...field.path).map((_, at) => draft.mistakeAt([...own, at]))
  const error = draft.mistakeAt(own) ?? ofItems.find((mistake) => mistake !== null)
  const words = labels[field.path.join('.')] ?? { label: labelOf(field.path), help: helpOf(field) }
  return (
    <Field label={label_prefix + words.label} help={words.help} error={error} inline={inline}>
      <Control {...{ field, block, write, empty }} code={words.code} />
    </Field>
  )
}

interface ControlProps {
  field: SettingField
  block: Block
  /** @param value undefined takes the setting out of the file */
  write: (value: Value | undefined) => void
  empty: string
  code: boolean | undefined
}

const NO_CHOICE = ''

function Control({ field, block, write, empty, code }: ControlProps) {
  const { path, kind, options, fallback } = field
  const written = valueAt(block, ...path)
  if (kind === 'switch') return <OnOrOff {...{ written, fallback, write }} />
  if (kind === 'choice')
    return (
      <Select
        options={[
          ...(fallback === null ? [{ value: NO_CHOICE, label: 'Default' }] : []),
          ...options.map((value) => ({ value, label: value })),
        ]}
        value={String(written ?? fallback ?? NO_CHOICE)}
        onChange={(chosen) => write(chosen === (fallback ?? NO_CHOICE) ? undefined : chosen)}
      />
    )
  const text = kind === 'list' ? listAt(block, ...path).join(', ') : String(written ?? '')
  return (
    <CommittedInput
      code={code}
      unit={kind === 'amount' ? 'USD' : kind === 'percent' ? '%' : undefined}
      value={kind === 'amount' ? withDecimals(text) : text}
      inputMode={
        kind === 'number' ? 'numeric' : kind === 'amount' || kind === 'percent' ? 'decimal' : undefined
      }
      placeholder={fallback === null ? empty : String(fallback)}
      commit={(typed) => write(fieldValue(field, typed))}
    />
  )
}

/** With two decimals at least, as prices are written. */
function withDecimals(text: string): string {
  const [whole, decimals = ''] = text.split('.')
  return /^\d+(\.\d+)?$/.test(text) ? `${whole}.${decimals.padEnd(2, '0')}` : text
}

/** "pass" is the older word for true. */
const isOn = (value: SettingField['fallback']): boolean => value === true || value === 'pass'

interface OnOrOffProps {
  written: string | number | boolean | undefined
  fallback: SettingField['fallback']
  write: (is_on: boolean | undefined) => void
}

/** A switch; without a default, a choice that can be left to the server. */
function OnOrOff({ written, fallback, write }: OnOrOffProps) {
  if (fallback !== null)
    return (
      <Switch
        checked={isOn(written ?? fallback)}
        onChange={(is_on) => write(is_on === fallback ? undefined : is_on)}
      />
    )
  const value = written === undefined ? NO_CHOICE : String(written)
  return (
    <Select
      options={[
        { value: NO_CHOICE, label: 'Default' },
        { value: 'true', label: 'On' },
        { value: 'false', label: 'Off' },
      ]}
      value={value}
      onChange={(chosen) => write(chosen === NO_CHOICE ? undefined : chosen === 'true')}
    />
  )
}

/** An emptied field is taken out of the file, unless its block is known by it. */
function fieldValue({ kind, is_required }: SettingField, typed: string): Value | undefined {
  if (typed === '' && !(is_required && kind === 'text')) return undefined
  if (kind === 'number') return wholeNumber(typed)
  if (kind !== 'list') return typed
  return typed
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
}

/** `account.requests_per_minute` as "Account: requests per minute". */
function labelOf(path: readonly string[]): string {
  const words = path
    .map((name) => name.replace(/_(ms|mb)(?=_|$)/, '').replaceAll('_', ' '))
    .join(': ')
    .replace(/\b(cors|http|tls|url)\b/g, (name) => name.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const UNITS: readonly [RegExp, string][] = [
  [/_ms$/, 'in milliseconds'],
  [/_mb(_|$)/, 'in megabytes'],
]

function helpOf({ path, kind, description, options }: SettingField): string {
  const name = path.at(-1) ?? ''
  const unit = UNITS.find(([ending]) => ending.test(name))?.[1]
  const among = kind === 'list' && options.length > 0 ? `of ${options.join(', ')}` : undefined
  const parts = [description, unit, among, kind === 'list' ? 'separated by commas' : undefined].filter(
    Boolean,
  )
  const words = parts.join(', ')
  return words === '' ? '' : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}
