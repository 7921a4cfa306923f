// A section of settings as fields, as the server describes them; what a section has by names of the operator's own is in the text.
import type { AnswerOf, api } from '../../app/client.ts'
import { CommittedInput } from '../committed-input.tsx'
import { Field } from '../field.tsx'
import { Select } from '../select.tsx'
import { Switch } from '../switch.tsx'
import type { Draft } from './draft.ts'
import { type Block, listAt, type Value, valueAt, wholeNumber } from './values.ts'

type Settings = AnswerOf<typeof api.catalogue.settings.get>
export type SettingSection = Settings['sections'][number]
type SettingField = SettingSection['fields'][number]

export interface SettingFieldsProps {
  draft: Draft
  section: SettingSection
}

export function SettingFields({ draft, section }: SettingFieldsProps) {
  return (
    <div className="stack">
      {section.fields.map((field) => (
        <Setting key={field.path.join('.')} draft={draft} field={field} />
      ))}
    </div>
  )
}

function Setting({ draft, field }: { draft: Draft; field: SettingField }) {
  const { path, kind, fallback } = field
  const write = (value: Value | undefined) => draft.put(path, value)
  return (
    <Field
      label={labelOf(path)}
      help={helpOf(field)}
      error={draft.mistakeAt(path)}
      inline={kind === 'switch'}
    >
      <Control field={field} values={draft.values ?? {}} fallback={fallback} write={write} />
    </Field>
  )
}

interface ControlProps {
  field: SettingField
  values: Block
  fallback: SettingField['fallback']
  /** @param value undefined takes the setting out of the file */
  write: (value: Value | undefined) => void
}

function Control({ field: { path, kind, options }, values, fallback, write }: ControlProps) {
  const written = valueAt(values, ...path)
  if (kind === 'switch')
    return (
      <Switch
        checked={(written ?? fallback) === true}
        onChange={(is_on) => write(is_on === fallback ? undefined : is_on)}
      />
    )
  if (kind === 'choice')
    return (
      <Select
        options={options.map((value) => ({ value, label: value }))}
        value={String(written ?? fallback ?? '')}
        onChange={(chosen) => write(chosen === fallback ? undefined : chosen)}
      />
    )
  const text = kind === 'list' ? listAt(values, ...path).join(', ') : String(written ?? '')
  return (
    <CommittedInput
      value={text}
      inputMode={kind === 'number' ? 'numeric' : undefined}
      placeholder={fallback === null ? 'none' : String(fallback)}
      commit={(typed) => write(typed === '' ? undefined : meantBy(kind, typed))}
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

/** `limits.account.requests_per_minute` as "Account: requests per minute". */
function labelOf([, ...names]: readonly string[]): string {
  const words = names
    .map((name) => name.replace(/_(ms|mb)(?=_|$)/, '').replaceAll('_', ' '))
    .join(': ')
    .replace(/\b(cors|http|tls|url)\b/g, (name) => name.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const UNITS: readonly [RegExp, string][] = [
  [/_ms$/, 'in milliseconds'],
  [/_mb(_|$)/, 'in megabytes'],
]

function helpOf({ path, kind, description }: SettingField): string {
  const name = path.at(-1) ?? ''
  const unit = UNITS.find(([ending]) => ending.test(name))?.[1]
  const parts = [description, unit, kind === 'list' ? 'separated by commas' : undefined].filter(Boolean)
  const words = parts.join(', ')
  return words === '' ? '' : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}
