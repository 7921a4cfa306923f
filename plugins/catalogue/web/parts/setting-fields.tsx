// Settings as fields, as the server describes them: those of a section, and those of a block that have no field made by hand.
import { type AnswerOf, api } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { CommittedInput } from '../../../console/web/parts/committed-input.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import { Select } from '../../../console/web/parts/select.tsx'
import { Switch } from '../../../console/web/parts/switch.tsx'
import type { Draft } from './draft.ts'
import { type Block, listAt, type Path, type Value, valueAt, wholeNumber } from './values.ts'

type Settings = AnswerOf<typeof api.catalogue.settings.get>
export type SettingSection = Settings['sections'][number]
type SettingField = SettingSection['fields'][number]

/** All settings, as the server describes them. */
export const useSettings = () => useApi(['catalogue', 'settings'], () => api.catalogue.settings.get())

interface SettingFieldsProps {
  draft: Draft
  section: SettingSection
}

export function SettingFields({ draft, section }: SettingFieldsProps) {
  return (
    <div className="stack">
      {section.fields.map((field) => (
        <Setting
          key={field.path.join('.')}
          {...{ draft, field }}
          path={field.path}
          label={labelOf(field.path.slice(1))}
          values={draft.values ?? {}}
          empty="none"
        />
      ))}
    </div>
  )
}

interface FurtherFieldsProps {
  draft: Draft
  /** Of the block in the file. */
  path: Path
  block: Block
  /** All settings of such a block. */
  fields: readonly SettingField[] | undefined
  /** The names of those with a field made by hand. */
  by_hand: readonly string[]
  /** Before each label, where the same settings stand elsewhere on the page. */
  label_prefix?: string
}

/** The settings of a block that few change: folded away, under a title that names those that are set. */
export function FurtherFields({
  draft,
  path,
  block,
  fields = [],
  by_hand,
  label_prefix = '',
}: FurtherFieldsProps) {
  const further = fields.filter(({ path: [name = ''] }) => !by_hand.includes(name))
  const set = further.filter(({ path: [name = ''] }) => name in block)
  if (further.length === 0) return null
  return (
    <details className="folded">
      <summary>
        {label_prefix}More settings
        {set.length > 0 && `: ${set.map(({ path: own }) => labelOf(own).toLowerCase()).join(', ')}`}
      </summary>
      <div className="stack">
        {further.map((field) => (
          <Setting
            key={field.path.join('.')}
            {...{ draft, field }}
            path={[...path, ...field.path]}
            label={label_prefix + labelOf(field.path)}
            values={block}
            empty="default"
          />
        ))}
      </div>
    </details>
  )
}

interface SettingProps {
  draft: Draft
  field: SettingField
  /** In the file. */
  path: Path
  label: string
  /** The block that the field's own path is relative to. */
  values: Block
  /** The placeholder of an empty field without a default. */
  empty: string
}

function Setting({ draft, field, path, label, values, empty }: SettingProps) {
  const write = (value: Value | undefined) => draft.put(path, value)
  const inline = field.kind === 'switch' && field.fallback !== null
  const ofItems = listAt(values, ...field.path).map((_, at) => draft.mistakeAt([...path, at]))
  const error = draft.mistakeAt(path) ?? ofItems.find((mistake) => mistake !== null)
  return (
    <Field label={label} help={helpOf(field)} error={error} inline={inline}>
      <Control {...{ field, values, write, empty }} />
    </Field>
  )
}

interface ControlProps extends Pick<SettingProps, 'field' | 'values' | 'empty'> {
  /** @param value undefined takes the setting out of the file */
  write: (value: Value | undefined) => void
}

const NO_CHOICE = ''

function Control({ field: { path, kind, options, fallback }, values, write, empty }: ControlProps) {
  const written = valueAt(values, ...path)
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
  const text = kind === 'list' ? listAt(values, ...path).join(', ') : String(written ?? '')
  return (
    <CommittedInput
      value={text}
      inputMode={kind === 'number' ? 'numeric' : undefined}
      placeholder={fallback === null ? empty : String(fallback)}
      commit={(typed) => write(typed === '' ? undefined : meantBy(kind, typed))}
    />
  )
}

/** "pass" is the older word for true. */
const isOn = (value: SettingField['fallback']): boolean => value === true || value === 'pass'

interface OnOrOffProps extends Pick<ControlProps, 'write'>, Pick<SettingField, 'fallback'> {
  written: string | number | boolean | undefined
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

function meantBy(kind: SettingField['kind'], typed: string): Value {
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
