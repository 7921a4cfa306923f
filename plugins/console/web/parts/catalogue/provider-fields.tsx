// A provider of the catalogue as fields. Its keys are written, and never read: what is shown of one is its mark.
import { KeyRound, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../app/client.ts'
import { useAsk } from '../../app/query.ts'
import { Button } from '../button.tsx'
import { Dialog, DialogActions } from '../dialog.tsx'
import { Field } from '../field.tsx'
import { Form, SubmitButton } from '../form.tsx'
import { TextInput } from '../input.tsx'
import { Select } from '../select.tsx'
import type { Draft } from './draft.ts'
import { TextField } from './model-fields.tsx'
import { type Block, listAt, type Path, textAt } from './values.ts'

export interface ProviderFieldsProps {
  draft: Draft
  path: Path
  provider: Block
}

const OF_SERVER = { value: '', label: 'Its server’s own' } as const
const PROTOCOLS = (['openai', 'anthropic', 'gemini'] as const).map((value) => ({ value, label: value }))
type Protocol = (typeof PROTOCOLS)[number]['value']

export function ProviderFields({ draft, path, provider }: ProviderFieldsProps) {
  const shared = { draft, path, model: provider }
  const protocol = textAt(provider, 'protocol')
  const server = textAt(provider, 'server')
  return (
    <div className="stack">
      <div className="fields">
        <TextField {...shared} name="name" label="Name" help="As routes and the log name it." code />
        <TextField
          {...shared}
          name="server"
          label="Known server"
          help="Such as mistral or azure. It has a protocol and an address of its own."
          code
          may_be_empty
        />
      </div>
      <div className="fields">
        <Field label="Protocol" error={draft.mistakeAt([...path, 'protocol'])}>
          <Select
            options={server === '' ? PROTOCOLS : [OF_SERVER, ...PROTOCOLS]}
            value={protocol as Protocol | ''}
            onChange={(value) => draft.put([...path, 'protocol'], value === '' ? undefined : value)}
          />
        </Field>
      </div>
      <TextField
        {...shared}
        name="base_url"
        label="Address"
        help="With another server, the keys must be written anew: they are only sent where they were written for."
        code
        may_be_empty={server !== ''}
      />
      {server !== '' && <ServerFields {...shared} />}
      <h3>Keys</h3>
      <KeyFields draft={draft} path={path} provider={provider} />
      <div className="fields">
        <TextField
          {...shared}
          name="cooldown_ms"
          label="Cooldown"
          help="Milliseconds; doubles with each failure in a row."
          number
          may_be_empty
        />
        <TextField
          {...shared}
          name="call_timeout_ms"
          label="Longest call"
          help="Milliseconds."
          number
          may_be_empty
        />
      </div>
    </div>
  )
}

const SERVER_FIELDS = [
  ['resource', 'Resource'],
  ['region', 'Region'],
  ['api_version', 'API version'],
] as const

/** What the server's address is made of, and what the file has beside that. */
function ServerFields({ model, ...shared }: Pick<ProviderFieldsProps, 'draft' | 'path'> & { model: Block }) {
  const asked = useAsk(['catalogue', 'known'], () => api.catalogue.known.get())
  const server = textAt(model, 'server')
  const needed = asked.data?.known.find((each) => each.server === server)?.fields ?? []
  const shown = SERVER_FIELDS.filter(([name]) => needed.includes(name) || textAt(model, name) !== '')
  if (shown.length === 0) return null
  return (
    <div className="fields">
      {shown.map(([name, label]) => (
        <TextField key={name} {...shared} model={model} name={name} label={label} code may_be_empty />
      ))}
    </div>
  )
}

/** What a key is called here: its variable, or its mark; one that is not saved yet has none. */
function keyWords(written: string): string {
  if (written.startsWith('env:')) return written
  return written.startsWith('hidden:') ? `Key ${written.slice('hidden:'.length)}, in the file` : 'New key'
}

export function KeyFields({ draft, path, provider }: ProviderFieldsProps) {
  const [replaced, setReplaced] = useState<number | null>(null)
  const keys = listAt(provider, 'api_keys').map(String)
  const list = [...path, 'api_keys']
  return (
    <div className="stack">
      {draft.mistakeAt(list) && <p className="field-error">{draft.mistakeAt(list)}</p>}
      {keys.length === 0 && <p className="soft">No key: the provider is asked without one.</p>}
      <ul className="key-lines">
        {keys.map((key, at) => (
          <li key={`${key} ${String(at)}`}>
            <span className="spread">
              <span className="code">{keyWords(key)}</span>
              <span className="row">
                <Button small icon={KeyRound} onClick={() => setReplaced(at)}>
                  Replace
                </Button>
                <Button
                  small
                  look="quiet"
                  icon={Trash2}
                  aria-label={`Remove key ${at + 1}`}
                  onClick={() => draft.put([...list, at], undefined)}
                />
              </span>
            </span>
            {draft.mistakeAt([...list, at]) && (
              <p className="field-error">{draft.mistakeAt([...list, at])}</p>
            )}
          </li>
        ))}
      </ul>
      <div>
        <Button small icon={Plus} onClick={() => setReplaced(keys.length)}>
          Add a key
        </Button>
      </div>
      <KeyDialog
        open={replaced !== null}
        is_new={replaced === keys.length}
        onClose={() => setReplaced(null)}
        write={async (value) => {
          await draft.edit([{ op: 'set', path: [...list, replaced ?? keys.length], value }])
          setReplaced(null)
        }}
      />
    </div>
  )
}

export interface KeyDialogProps {
  open: boolean
  is_new: boolean
  onClose: () => void
  write: (value: string) => Promise<void>
}

/** A key is typed once, and is not shown again. */
function KeyDialog({ open, is_new, onClose, write }: KeyDialogProps) {
  const [value, setValue] = useState('')
  const verb = is_new ? 'Add key' : 'Replace key'
  const submit = async () => {
    await write(value.trim())
    setValue('')
  }
  return (
    <Dialog open={open} onClose={onClose} title={is_new ? 'Add a key' : 'Replace the key'}>
      <Form submit={submit}>
        <Field
          label="Key, or env:NAME"
          help="A key is kept in the catalogue file and never shown again. env:NAME names an environment variable of the gateway."
        >
          <TextInput
            type={value.startsWith('env:') ? 'text' : 'password'}
            autoComplete="off"
            code
            value={value}
            onChange={setValue}
          />
        </Field>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton disabled={value.trim() === ''}>{verb}</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
