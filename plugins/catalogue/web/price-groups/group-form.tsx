// The fields of a price group, and its block for the catalogue.
import { Field } from '../../../console/web/parts/field.tsx'
import { TextArea, TextInput } from '../../../console/web/parts/input.tsx'
import type { Value } from '../parts/values.ts'
import type { Group } from './price-group-field.tsx'

export interface GroupDraft {
  name: string
  factor: string
  /** One line for each model or pattern, with its factor. */
  models: string
}

export const draftOf = (group: Group | undefined): GroupDraft => ({
  name: group?.name ?? '',
  factor: group?.factor ?? '',
  models: group?.model_factors.map(({ models, factor }) => `${models} ${factor}`).join('\n') ?? '',
})

interface GroupFieldsProps {
  draft: GroupDraft
  onChange: (draft: GroupDraft) => void
  has_accounts: boolean
}

export function GroupFields({ draft, onChange, has_accounts }: GroupFieldsProps) {
  const set = (name: keyof GroupDraft) => (text: string) => onChange({ ...draft, [name]: text })
  return (
    <>
      <Field
        label="Name"
        name="name"
        help={
          has_accounts
            ? 'Accounts keep the name that they have: if you rename the group, move them afterwards.'
            : 'You choose it for accounts on their pages.'
        }
      >
        <TextInput value={draft.name} onChange={set('name')} autoComplete="off" />
      </Field>
      <Field label="Factor" name="factor" help="Of list prices: 0.8 is 20 % off, 0 is free.">
        <TextInput value={draft.factor} onChange={set('factor')} inputMode="decimal" autoComplete="off" />
      </Field>
      <Field
        label="Factors of models"
        name="models"
        help="One per line: a model or a pattern, and its factor, such as gpt-* 0.9. If several patterns match, the longest applies."
      >
        <TextArea code rows={3} value={draft.models} onChange={set('models')} />
      </Field>
    </>
  )
}

/** Returns the block for the file. Invalid factors stay text, so that the server reports them. */
export function blockOf({ name, factor, models }: GroupDraft): Value {
  const lines = models.split('\n').map((line) => line.trim())
  const own = lines
    .filter((line) => line !== '')
    .map((line): [string, Value] => {
      const [pattern = '', ...rest] = line.split(/\s+/)
      return [pattern, { factor: decimalIn(rest.join(' ')) }]
    })
  return {
    name: name.trim(),
    ...(factor.trim() === '' ? {} : { factor: decimalIn(factor) }),
    ...(own.length === 0 ? {} : { models: Object.fromEntries(own) }),
  }
}

/** Returns a number if it prints as the same decimal; otherwise the text. */
function decimalIn(text: string): Value {
  const typed = text.trim()
  return String(Number(typed)) === typed ? Number(typed) : typed
}
