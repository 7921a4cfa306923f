// The fields of a provider. Its keys are write-only: the page shows only their marks.
import { useState } from 'react'
import { Button } from '../../../console/web/parts/button.tsx'
import { Dialog, DialogActions } from '../../../console/web/parts/dialog.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import { Form, SubmitButton } from '../../../console/web/parts/form.tsx'
import { type Option, Select } from '../../../console/web/parts/select.tsx'
import { PROTOCOLS, type Protocol, protocolOptions, protocolTitle } from '../new-provider/choices.ts'
import { KeyField } from '../new-provider/key-input.tsx'
import type { Draft } from './draft.ts'
import { HeaderFields, type ProviderFieldsProps, SetFields } from './header-fields.tsx'
import { HiddenLines } from './hidden-lines.tsx'
import { type Known, useKnown } from './known.ts'
import { addressLabels, type Labels, PROVIDER } from './labels.ts'
import { FurtherFields, SchemaFields, useBlockFields } from './schema-fields.tsx'
import { blocksOf, listAt, type Path, textAt } from './values.ts'

/** The option for a server that is not known. */
const NO_SERVER = { value: '', label: 'Other' } as const

export function ProviderFields({ draft, path, provider }: ProviderFieldsProps) {
  const shared = { draft, path, block: provider, fields: useBlockFields().provider, labels: PROVIDER }
  const written = textAt(provider, 'server')
  const servers = useKnown().filter(({ server }) => server !== null)
  const known = servers.find(({ server }) => server === written)
  return (
    <div className="stack">
      <div className="fields">
        <SchemaFields {...shared} draft={withRoutesRenamed({ draft, path, provider })} names={['name']} />
        <Field
          label="Server"
          help="Known servers have a default address."
          error={draft.mistakeAt([...path, 'server'])}
        >
          <Select
            options={serverOptions(servers, written)}
            value={written}
            onChange={(value) => draft.put([...path, 'server'], value === '' ? undefined : value)}
          />
        </Field>
        <ProtocolField {...{ draft, path, provider, known }} />
      </div>
      <ServerFields {...shared} known={known} servers={servers} />
      <SchemaFields {...shared} names={['base_url']} labels={addressLabels(written !== '')} />
      <h3>Keys</h3>
      <KeyFields draft={draft} path={path} provider={provider} known={known} />
      <div className="fields">
        <SchemaFields {...shared} names={['cooldown_ms', 'call_timeout_ms']} />
      </div>
      <h3>Headers</h3>
      <HeaderFields draft={draft} path={path} provider={provider} />
      <SetFields draft={draft} path={path} provider={provider} />
      <FurtherFields {...shared} without={SEPARATE_FIELDS} />
    </div>
  )
}

/** Renames the provider in its routes too. */
function withRoutesRenamed({ draft, path, provider }: ProviderFieldsProps): Draft {
  const name = textAt(provider, 'name')
  const routes = blocksOf(draft.values, 'models').flatMap((model, at) =>
    listAt(model, 'routes').flatMap((_, index): Path[] =>
      textAt(model, 'routes', index, 'provider') === name
        ? [['models', at, 'routes', index, 'provider']]
        : [],
    ),
  )
  return {
    ...draft,
    put: (_, value = '') =>
      void draft.edit([[...path, 'name'], ...routes].map((to) => ({ op: 'set', path: to, value }))),
  }
}

const SEPARATE_FIELDS = ['base_url', 'resource', 'region', 'api_version', 'api_keys']

/** Returns the known servers, and the provider's own one if it is unknown. */
function serverOptions(servers: readonly Known[], written: string): Option<string>[] {
  const all = servers.flatMap(({ server, title }) => (server ? { value: server, label: title } : []))
  const is_listed = written === '' || all.some(({ value }) => value === written)
  return [NO_SERVER, ...all, ...(is_listed ? [] : [{ value: written, label: written }])]
}

interface KnownServerProps extends ProviderFieldsProps {
  /** The server in the file; undefined if it is not a known one. */
  known: Known | undefined
}

function ProtocolField({ draft, path, provider, known }: KnownServerProps) {
  const [main] = known?.protocols ?? []
  const own: Option<Protocol | ''>[] = main ? [{ value: '', label: `${protocolTitle(main)} (default)` }] : []
  const others = protocolOptions(known?.protocols ?? PROTOCOLS).filter(({ value }) => value !== main)
  const written = textAt(provider, 'protocol')
  return (
    <Field label="Protocol" error={draft.mistakeAt([...path, 'protocol'])}>
      <Select<string>
        options={[...own, ...others]}
        value={written === main ? '' : written}
        onChange={(value) => draft.put([...path, 'protocol'], value === '' ? undefined : value)}
      />
    </Field>
  )
}

interface ServerFieldsProps extends Omit<Parameters<typeof SchemaFields>[0], 'labels' | 'names'> {
  known: Known | undefined
  servers: readonly Known[]
}

/** The parts of the server's address. Includes parts of other servers that are set, so that they can be removed. */
function ServerFields({ known, servers, ...shared }: ServerFieldsProps) {
  const own = known?.fields ?? []
  const foreign = servers
    .flatMap(({ fields }) => fields)
    .filter(({ name }) => textAt(shared.block, name) !== '' && !own.some((field) => field.name === name))
    .map(({ name, label }) => ({ name, label }))
  const labels: Labels = Object.fromEntries(
    [...own, ...foreign].map(({ name, ...words }) => [name, { ...words, code: true }]),
  )
  const names = Object.keys(labels)
  if (names.length === 0) return null
  return (
    <div className="fields">
      <SchemaFields {...shared} labels={labels} names={names} />
    </div>
  )
}

/** The label of a key: its variable or file, or its mark; an unsaved key has no mark yet. */
function keyWords(written: string): string {
  if (/^(?:env|file):/.test(written)) return written
  return written.startsWith('hidden:') ? `Key ${written.slice('hidden:'.length)}, in the file` : 'New key'
}

function KeyFields({ draft, path, provider, known }: KnownServerProps) {
  const [replaced, setReplaced] = useState<number | null>(null)
  const keys = listAt(provider, 'api_keys').map(String)
  const list = [...path, 'api_keys']
  return (
    <div className="stack">
      {keys.length === 0 && <p className="soft">No key. The provider is called without one.</p>}
      <HiddenLines
        draft={draft}
        list={list}
        lines={keys.map((key, at) => ({ at, words: keyWords(key), name: `key ${at + 1}` }))}
        noun="key"
        onReplace={(at) => setReplaced(Number(at))}
        onAdd={() => setReplaced(keys.length)}
      />
      <KeyDialog
        open={replaced !== null}
        is_new={replaced === keys.length}
        known={known}
        onClose={() => setReplaced(null)}
        write={async (value) => {
          await draft.edit([{ op: 'set', path: [...list, replaced ?? keys.length], value }])
          setReplaced(null)
        }}
      />
    </div>
  )
}

interface KeyDialogProps extends Pick<KnownServerProps, 'known'> {
  open: boolean
  is_new: boolean
  onClose: () => void
  write: (value: string) => Promise<void>
}

function KeyDialog({ open, is_new, known, onClose, write }: KeyDialogProps) {
  const [value, setValue] = useState('')
  const verb = is_new ? 'Add key' : 'Replace key'
  const submit = async () => {
    await write(value.trim())
    setValue('')
  }
  return (
    <Dialog open={open} onClose={onClose} title={is_new ? 'Add a key' : 'Replace the key'}>
      <Form submit={submit}>
        <KeyField
          value={value}
          onChange={setValue}
          takes_accounts={known?.takes_accounts === true}
          keys_url={known?.keys_url ?? ''}
          may_be_empty={false}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton disabled={value.trim() === ''}>{verb}</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
