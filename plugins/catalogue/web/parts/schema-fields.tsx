// Settings as fields, as the server describes them by the catalogue's schemas; a table of labels has the words of those that most people set.
import { api } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { CommittedInput } from '../../../console/web/parts/committed-input.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import type { Editing } from './editing.ts'
import type { Labels } from './labels.ts'
import { SettingControl } from './setting-control.tsx'
import { helpOf, labelOf, type SettingField, type Settings, textOf, valueFrom } from './setting-text.ts'
import { type Block, listAt, type Path } from './values.ts'

/** All settings, as the server describes them. */
export const useSettings = () => useApi(['catalogue', 'settings'], () => api.catalogue.settings.get())

/** The fields of providers, routes, models and prices; none until the server has described them. */
export const useBlockFields = (): Settings['blocks'] => useSettings().data?.blocks ?? NO_FIELDS

const NO_FIELDS: Settings['blocks'] = { provider: [], route: [], models: {}, prices: {} }

/** A section or block of the file. */
interface BlockProps {
  draft: Pick<Editing, 'put' | 'mistakeAt'>
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
