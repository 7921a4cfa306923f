// Headers of a provider, and fields that it sets in requests. The values of headers are write-only.
import { useState } from 'react'
import { Dialog } from '../../../console/web/parts/dialog.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import { Form, SubmitOrCancel } from '../../../console/web/parts/form.tsx'
import { TextArea, TextInput } from '../../../console/web/parts/input.tsx'
import { PasswordInput } from '../../../console/web/parts/password-input.tsx'
import type { Draft } from './draft.ts'
import { HiddenLines } from './hidden-lines.tsx'
import { type Block, blockAt, type Path, textAt, type Value, valueIn } from './values.ts'

export interface ProviderFieldsProps {
  draft: Draft
  path: Path
  provider: Block
}

export function HeaderFields({ draft, path, provider }: ProviderFieldsProps) {
  // The name of the header in the dialog; empty for a new one.
  const [edited, setEdited] = useState<string | null>(null)
  const list = [...path, 'headers']
  const headers = Object.keys(blockAt(provider, 'headers'))
  return (
    <div className="stack">
      <HiddenLines
        draft={draft}
        list={list}
        lines={headers.map((name) => ({
          at: name,
          words: `${name}: ${visibleValue(textAt(provider, 'headers', name))}`,
          name: `header ${name}`,
        }))}
        noun="header"
        onReplace={(at) => setEdited(String(at))}
        onAdd={() => setEdited('')}
      />
      <HeaderDialog
        key={edited}
        edited={edited}
        onClose={() => setEdited(null)}
        write={async (name, value) => {
          await draft.edit([{ op: 'set', path: [...list, name], value }])
          setEdited(null)
        }}
      />
    </div>
  )
}

/** Shows the name of a variable, or the mark of a saved value; an unsaved value has no mark yet. */
const visibleValue = (written: string): string => (/^(?:env|hidden):/.test(written) ? written : '(new)')

interface HeaderDialogProps {
  edited: string | null
  onClose: () => void
  write: (name: string, value: string) => Promise<void>
}

function HeaderDialog({ edited, onClose, write }: HeaderDialogProps) {
  const [name, setName] = useState(edited ?? '')
  const [value, setValue] = useState('')
  const is_new = edited === ''
  return (
    <Dialog
      open={edited !== null}
      onClose={onClose}
      title={is_new ? 'Add a header' : `Replace header ${edited ?? ''}`}
    >
      <Form submit={() => write(name.trim(), value.trim())}>
        {is_new && (
          <Field label="Name">
            <TextInput code value={name} onChange={setName} autoComplete="off" />
          </Field>
        )}
        <Field
          label="Value"
          help={
            <>
              Sent with every request, and not shown again. To read it from an environment variable, enter{' '}
              <code>env:NAME</code>.
            </>
          }
        >
          <PasswordInput what="value" autoComplete="off" value={value} onChange={setValue} />
        </Field>
        <SubmitOrCancel onCancel={onClose} disabled={name.trim() === '' || value.trim() === ''}>
          {is_new ? 'Add header' : 'Replace header'}
        </SubmitOrCancel>
      </Form>
    </Dialog>
  )
}

/** Edited as JSON: the fields depend on the provider. */
export function SetFields({ draft, path, provider }: ProviderFieldsProps) {
  const own = [...path, 'set_fields']
  const written = valueIn(provider, 'set_fields')
  const [typed, setTyped] = useState<string | null>(null)
  const [wrong, setWrong] = useState<string | null>(null)
  const finish = () => {
    if (typed === null) return
    const read = typed.trim() === '' ? { value: undefined } : parseJsonObject(typed)
    setWrong(read ? null : 'Enter a JSON object, such as {"safe_prompt": true}.')
    if (!read) return
    draft.put(own, read.value)
    setTyped(null)
  }
  return (
    <Field
      label="Fields set in requests"
      help={'A JSON object that text requests are sent with, such as {"safe_prompt": true}.'}
      error={wrong ?? draft.mistakeAt(own)}
    >
      <TextArea
        code
        rows={2}
        value={typed ?? (written === undefined ? '' : JSON.stringify(written))}
        onChange={setTyped}
        onBlur={finish}
      />
    </Field>
  )
}

function parseJsonObject(text: string): { value: Value } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { value: value as Value }
      : undefined
  } catch {
    // The caller shows what to enter.
    return undefined
  }
}
