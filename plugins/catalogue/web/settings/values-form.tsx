// A form over values of the catalogue: fields in groups, the server's errors at the fields, and both values after a conflict.
import { Save } from 'lucide-react'
import { useEffect } from 'react'
import { useLeaveGuard } from '../../../console/web/app/leave-dialog.tsx'
import { Button } from '../../../console/web/parts/button.tsx'
import { ConflictNotice } from '../../../console/web/parts/changes.tsx'
import { AsCommand } from '../../../console/web/parts/code.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import { Form, FormActions, SubmitButton } from '../../../console/web/parts/form.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { Words } from '../../../console/web/parts/words.tsx'
import { SettingControl } from '../parts/setting-control.tsx'
import { helpOf, isOn, type SectionField } from '../parts/setting-text.ts'
import { useValues, type Values, type ValuesOptions } from './use-values.ts'

interface ValuesFormProps extends ValuesOptions {
  /** Titles of groups, by the first field of each. */
  groups?: Readonly<Record<string, string>> | undefined
  onChange: (has_changes: boolean) => void
}

export function ValuesForm({ groups = {}, onChange, ...options }: ValuesFormProps) {
  const { fields } = options
  const values = useValues({ ...options, onSaved: () => onChange(false) })
  const has_changes = values.names.length > 0
  useLeaveGuard(has_changes)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it changes: the function is a new one each time
  useEffect(() => onChange(has_changes), [has_changes])
  return (
    <Form submit={values.submit} aria-label="Settings">
      <ConflictNotice of={values} labels={values.labels} />
      {groupsOf(fields, groups).map(({ title, fields: own }) => (
        <fieldset key={title} className="settings-group">
          {title !== '' && <legend>{title}</legend>}
          <FixedNote fields={own} />
          <ValueFields values={values} fields={own} labels={options.labels} />
        </fieldset>
      ))}
      {fields.filter(isBeingSwitchedOff(values)).map(({ path }) => {
        const words = options.labels[path.join('.')]?.off
        return (
          words && (
            <Notice key={path.join('.')} tone="warn" alert>
              {words}
            </Notice>
          )
        )
      })}
      {has_changes && (
        <div className="settings-actions">
          <FormActions>
            <SubmitButton icon={Save}>Save changes</SubmitButton>
            <Button onClick={values.discard}>Discard changes</Button>
          </FormActions>
        </div>
      )}
      {has_changes && <AsCommand command={values.command} />}
    </Form>
  )
}

const isBeingSwitchedOff =
  ({ draft, names, pathOf }: Values) =>
  (field: SectionField): boolean => {
    const path = pathOf(field)
    return field.kind === 'switch' && names.includes(path) && !isOn(draft[path] || field.fallback)
  }

interface Group {
  title: string
  fields: SectionField[]
}

/** A group ends where the next one begins. */
function groupsOf(fields: readonly SectionField[], titles: Readonly<Record<string, string>>): Group[] {
  const groups: Group[] = []
  for (const field of fields) {
    const title = titles[field.path.join('.')]
    const last = groups.at(-1)
    if (title !== undefined || !last) groups.push({ title: title ?? '', fields: [field] })
    else last.fields.push(field)
  }
  return groups
}

/** The reason why a group can only be changed on the server, if all of its fields share it. */
function FixedNote({ fields }: { fields: readonly SectionField[] }) {
  const [reason, ...others] = new Set(fields.map(({ fixed }) => fixed))
  if (!reason || others.length > 0) return null
  return (
    <p className="soft small">
      <Words>{fixedWords(reason)}</Words>
    </p>
  )
}

const fixedWords = (reason: string): string => `Changed in the file on the server: ${reason}.`

interface ValueFieldsProps {
  values: Values
  fields: readonly SectionField[]
  labels: ValuesOptions['labels']
}

export function ValueFields({ values, fields, labels }: ValueFieldsProps) {
  const { draft, setDraft, pathOf } = values
  const is_mixed = new Set(fields.map(({ fixed }) => fixed)).size > 1
  return fields.map((field) => {
    const path = pathOf(field)
    const words = labels[field.path.join('.')]
    const help = words ? words.help : helpOf(field)
    const { kind, needs_restart, fixed } = field
    return (
      <Field
        key={path}
        name={path}
        label={values.labels[path] ?? path}
        inline={kind === 'switch' && field.fallback !== null}
        help={[
          help,
          field.is_secret && fixed === null && !/hidden once saved/i.test(String(help))
            ? 'Hidden once saved.'
            : '',
          needs_restart && fixed === null ? 'Needs a restart.' : '',
          fixed !== null && is_mixed ? fixedWords(fixed) : '',
        ]
          .filter(Boolean)
          .join(' ')}
      >
        <SettingControl
          field={field}
          text={draft[path] ?? ''}
          write={(text) => setDraft({ ...draft, [path]: text })}
          code={words?.code}
          rows={words?.rows}
          options={words?.options}
          disabled={fixed !== null}
          empty={fixed === null ? '' : 'Not set'}
        />
      </Field>
    )
  })
}
