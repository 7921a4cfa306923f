// Settings as form fields, described by the server from the catalogue's schemas. Common settings have labels in a table.
import { api } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { CommittedInput } from '../../../console/web/parts/committed-input.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import type { Editing } from './editing.ts'
import type { Labels } from './labels.ts'
import { SettingControl } from './setting-control.tsx'
import { helpOf, labelOf, type SettingField, type Settings, textOf, valueFrom } from './setting-text.ts'
import { type Block, listAt, type Path } from './values.ts'

export const useSettings = () => useApi(['catalogue', 'settings'], () => api.catalogue.settings.get())

/** The fields of providers, routes, models and prices; empty until loaded. */
export const useBlockFields = (): Settings['blocks'] => useSettings().data?.blocks ?? NO_FIELDS

const NO_FIELDS: Settings['blocks'] = { provider: [], route: [], models: {}, prices: {} }

interface BlockProps {
  draft: Pick<Editing, 'put' | 'mistakeAt'>
  path: Path
  block: Block
}

interface SchemaFieldsProps extends BlockProps {
  fields: readonly SettingField[] | undefined
  /** Names of the fields to show, in order; all if absent. */
  names?: readonly string[]
  labels?: Labels
  /** A prefix of each label, if the page has the same settings elsewhere. */
  label_prefix?: string
  /** The placeholder of an empty field without a default. */
  empty?: string
}

export function SchemaFields({ fields = [], names, ...shared }: SchemaFieldsProps) {
  const visible = names?.flatMap((name) => fields.find(({ path }) => path[0] === name) ?? []) ?? fields
  return visible.map((field) => <SchemaField key={field.path.join('.')} {...shared} field={field} />)
}

interface FurtherFieldsProps extends SchemaFieldsProps {
  /** Labels of fields that are elsewhere in the form, and therefore not shown here. */
  labels: Labels
  without?: readonly string[]
}

/** Rarely changed settings of a block, folded. The title names those that are set. */
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
  const inline = field.kind === 'switch' && field.fallback !== null
  const ofItems = listAt(block, ...field.path).map((_, at) => draft.mistakeAt([...own, at]))
  const error = draft.mistakeAt(own) ?? ofItems.find((mistake) => mistake !== null)
  const words = labels[field.path.join('.')] ?? { label: labelOf(field.path), help: helpOf(field) }
  return (
    <Field label={label_prefix + words.label} help={words.help} error={error} inline={inline}>
      <SettingControl
        {...{ field, empty }}
        code={words.code}
        text={textOf(field, block)}
        write={(text) => draft.put(own, valueFrom(field, text))}
        input={CommittedText}
      />
    </Field>
  )
}

const CommittedText: Parameters<typeof SettingControl>[0]['input'] = ({ onChange, ...rest }) => (
  <CommittedInput {...rest} commit={onChange} />
)
