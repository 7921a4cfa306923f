// The one form for a new provider: it is tried by a real call before it is saved.
import { useState } from 'react'
import { Button } from '../button.tsx'
import type { TrialOutcome } from '../catalogue/trial.ts'
import { TrialResult } from '../catalogue/trial-result.tsx'
import { Field } from '../field.tsx'
import { Form, FormActions, SubmitButton } from '../form.tsx'
import { TextInput } from '../input.tsx'
import { Notice } from '../notice.tsx'
import { PasswordInput } from '../password-input.tsx'
import { Select } from '../select.tsx'
import { messageOf } from '../thrown.ts'
import { type ProviderDraft, saveProvider, tryProvider } from './catalogue-edits.ts'
import { type Choice, choicesOf, newChoicesOf, PROTOCOLS, type SetupState } from './choices.ts'
import { ProviderChoice } from './provider-choice.tsx'

interface AddProviderProps {
  setup: SetupState
  /** It is always a further one, under a name of its own. Otherwise one that is there can be chosen. */
  is_new?: boolean
  /** Goes on with this provider, and the model that answered. */
  onDone: (provider: string, model: string) => void
}

export function AddProvider({ setup, is_new = false, onDone }: AddProviderProps) {
  const choices = is_new ? newChoicesOf(setup) : choicesOf(setup)
  const [title, setTitle] = useState(choices[0]?.title ?? '')
  const choice = choices.find((one) => one.title === title) ?? choices[0]
  if (!choice) return null
  return (
    <>
      <ProviderChoice choices={choices} value={choice.title} onChange={setTitle} />
      <ProviderForm key={choice.title} choice={choice} is_new={is_new} onDone={onDone} />
    </>
  )
}

interface Draft extends ProviderDraft {
  model: string
}

const draftOf = ({ name, server, protocols, base_url, models }: Choice): Draft => ({
  name,
  server,
  protocol: protocols[0] ?? 'openai',
  base_url,
  resource: '',
  region: '',
  api_key: '',
  model: models[0] ?? '',
})

interface ProviderFormProps extends Required<Pick<AddProviderProps, 'is_new' | 'onDone'>> {
  choice: Choice
}

function ProviderForm({ choice, is_new, onDone }: ProviderFormProps) {
  const [draft, setDraft] = useState(() => draftOf(choice))
  const [trial, setTrial] = useState<TrialOutcome | null>(null)
  const [refusal, setRefusal] = useState('')
  const { saved } = choice

  const type = (field: keyof Draft) => (value: string) => {
    setDraft((before) => ({ ...before, [field]: value }))
    setTrial(null)
  }
  const { model, ...provider } = draft

  async function tryIt(): Promise<void> {
    setTrial(null)
    setTrial(await tryProvider(provider.name, model.trim(), saved ? undefined : provider))
  }
  async function goOn(): Promise<void> {
    if (!saved) await saveProvider(provider)
    onDone(provider.name, model.trim())
  }
  function goOnAnyway(): void {
    setRefusal('')
    goOn().catch((thrown: unknown) => setRefusal(messageOf(thrown)))
  }

  return (
    <Form submit={trial?.ok ? goOn : tryIt} aria-label={choice.title}>
      {!saved && <ProviderFields choice={choice} is_new={is_new} draft={draft} type={type} />}
      <Field
        label="Model to try"
        name="model"
        help="The provider’s own name of it. The trial costs a fraction of a cent."
      >
        <TextInput code value={model} onChange={type('model')} list="models-to-try" autoComplete="off" />
      </Field>
      <datalist id="models-to-try">
        {choice.models.map((known) => (
          <option key={known} value={known} />
        ))}
      </datalist>
      <TrialResult outcome={trial} />
      {refusal && (
        <Notice tone="bad" alert>
          {refusal}
        </Notice>
      )}
      <FormActions>
        <SubmitButton>{submitWords(trial, saved)}</SubmitButton>
        {trial && !trial.ok && (
          <Button onClick={goOnAnyway}>{saved ? 'Use it all the same' : 'Save it all the same'}</Button>
        )}
      </FormActions>
    </Form>
  )
}

const submitWords = (trial: TrialOutcome | null, saved: boolean): string => {
  if (!trial) return 'Try it'
  if (!trial.ok) return 'Try again'
  return saved ? 'Use this provider' : 'Save this provider'
}

interface ProviderFieldsProps extends Pick<ProviderFormProps, 'choice' | 'is_new'> {
  draft: Draft
  type: (field: keyof Draft) => (value: string) => void
}

function ProviderFields({ choice, is_new, draft, type }: ProviderFieldsProps) {
  const is_free = choice.server === null && choice.base_url === ''
  const spoken = PROTOCOLS.filter(({ value }) => choice.protocols.includes(value))
  return (
    <>
      {(is_free || is_new || spoken.length > 1) && (
        <div className="fields">
          {(is_free || is_new) && (
            <Field label="Name" name="name" help="What it is called here: a-z, 0-9, _ and -.">
              <TextInput code value={draft.name} onChange={type('name')} autoComplete="off" />
            </Field>
          )}
          {spoken.length > 1 && (
            <Field label="Protocol">
              <Select options={spoken} value={draft.protocol} onChange={type('protocol')} />
            </Field>
          )}
        </div>
      )}
      {choice.fields.map((field) => (
        <Field key={field} label={FIELD_LABELS[field]} name={field} help={FIELD_HELP[field]}>
          <TextInput
            code
            value={field === 'region' ? draft.region : draft.resource}
            onChange={type(field === 'region' ? 'region' : 'resource')}
            autoComplete="off"
          />
        </Field>
      ))}
      {is_free && (
        <Field
          label="Address"
          name="base_url"
          help="With its version, such as http://127.0.0.1:11434/v1 for Ollama."
        >
          <TextInput
            code
            value={draft.base_url}
            onChange={type('base_url')}
            autoComplete="off"
            inputMode="url"
          />
        </Field>
      )}
      {choice.takes_key !== 'no' && (
        <Field label="API key" name="api_key" help={<KeyHelp choice={choice} />}>
          <PasswordInput what="key" autoComplete="off" value={draft.api_key} onChange={type('api_key')} />
        </Field>
      )}
    </>
  )
}

type ServerField = Choice['fields'][number]

const FIELD_LABELS: Readonly<Record<ServerField, string>> = {
  resource: 'Resource',
  region: 'Region',
  api_version: 'API version',
}

const FIELD_HELP: Readonly<Record<ServerField, string>> = {
  resource: 'The name before .openai.azure.com or .services.ai.azure.com.',
  region: 'The region of your account, such as us-east-1.',
  api_version: 'Such as 2024-10-21.',
}

function KeyHelp({ choice: { keys_url, takes_key } }: { choice: Choice }) {
  if (takes_key === 'maybe' || keys_url === '')
    return <>Empty where the server takes none. It is kept in the catalogue file only.</>
  return (
    <>
      Made at{' '}
      <a href={keys_url} target="_blank" rel="noreferrer">
        {new URL(keys_url).host}
      </a>
      . It is kept in the catalogue file only; <code>env:NAME</code> reads an environment variable instead.
    </>
  )
}
