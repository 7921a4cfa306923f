// Keys of a block of the catalogue as fields, with labels of their own.
import { CommittedInput } from '../../../console/web/parts/committed-input.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import type { Draft } from './draft.ts'
import { type Block, type Path, textAt, wholeNumber } from './values.ts'

interface BlockProps {
  draft: Draft
  /** Of the block in the file. */
  path: Path
  block: Block
}

export const TextFields = ({ fields, ...of }: BlockProps & { fields: readonly KeyField[] }) => (
  <div className="fields">
    {fields.map((field) => (
      <TextField key={field.name} {...of} {...field} />
    ))}
  </div>
)

/** A key of a block, as a field. */
export interface KeyField {
  name: string
  label: string
  help?: string
  code?: boolean
  number?: boolean
  placeholder?: string
  /** Emptied, the key is taken out of the file. */
  may_be_empty?: boolean
}

/** One key of a block of the file; a whole number where `number` says so. */
export function TextField({
  draft,
  path,
  block,
  name,
  label,
  help,
  code,
  number,
  may_be_empty,
  placeholder = may_be_empty && number ? 'default' : undefined,
}: BlockProps & KeyField) {
  const own = [...path, name]
  const valueIn = (text: string) => (number ? wholeNumber(text) : text)
  const commit = (text: string) => draft.put(own, text === '' && may_be_empty ? undefined : valueIn(text))
  return (
    <Field label={label} help={help} error={draft.mistakeAt(own)}>
      <CommittedInput
        code={code}
        inputMode={number ? 'numeric' : undefined}
        placeholder={placeholder}
        value={textAt(block, name)}
        commit={commit}
      />
    </Field>
  )
}
