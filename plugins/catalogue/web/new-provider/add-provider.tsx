// The one form for a new provider: it is tried by a real call before it is saved.
import { useState } from 'react'
import { Button } from '../../../console/web/parts/button.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import { Form, FormActions, SubmitButton } from '../../../console/web/parts/form.tsx'
import { TextInput } from '../../../console/web/parts/input.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { Select } from '../../../console/web/parts/select.tsx'
import { messageOf } from '../../../console/web/parts/thrown.ts'
import type { SavedFile } from '../parts/saving.ts'
import type { TrialOutcome } from '../parts/trial-result.tsx'
import { TrialResult } from '../parts/trial-result.tsx'
import { type ProviderDraft, saveProvider, tryProvider } from './catalogue-edits.ts'
import { type Choice, choicesOf, newChoicesOf, type ServerField, type SetupState } from './choices.ts'
import { KeyField } from './key-input.tsx'
import { protocolOptions } from './protocols.ts'

interface AddProviderProps {
  setup: SetupState
  /** It is always a further one, under a name of its own. Otherwise one that is there can be chosen. */
  is_new?: boolean
  /** Goes on with this provider, and the model that answered. @param saved undefined if the provider was there before */
  onDone: (provider: string, model: string, saved: SavedFile | undefined) => void
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
type Typed = 'name' | 'protocol' | 'base_url' | 'api_key' | 'model'

const draftOf = ({ name, server, protocols, base_url, models }: Choice): Draft => ({
  name,
  server,
  protocol: protocols[0] ?? 'openai',
  base_url,
  fields: {},
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

  const put = (changes: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...changes }))
    // A name decides on nothing that was tested.
    if (Object.keys(changes).some((field) => field !== 'name')) setTrial(null)
  }
  const type = (field: Typed) => (value: string) => put({ [field]: value })
  const typeField = (field: ServerField) => (value: string) =>
    put({ fields: { ...draft.fields, [field]: value } })
  const { model, ...provider } = draft

  async function tryIt(): Promise<void> {
    setTrial(null)
    setTrial(await tryProvider(provider.name, model.trim(), saved ? undefined : provider))
  }
  async function goOn(): Promise<void> {
    const file = saved ? undefined : await saveProvider(provider)
    onDone(provider.name, model.trim(), file)
  }
  function goOnAnyway(): void {
    setRefusal('')
    goOn().catch((thrown: unknown) => setRefusal(messageOf(thrown)))
  }

  return (
    <Form submit={trial?.ok ? goOn : tryIt} aria-label={choice.title}>
      {!saved && <ProviderFields {...{ choice, is_new, draft, type, typeField }} />}
      <Field
        label="Model to test"
        name="model"
        help={`${choice.model_help} The test is one small request. It costs a fraction of a cent.`.trim()}
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
          <Button onClick={goOnAnyway}>{saved ? 'Use it anyway' : 'Save anyway'}</Button>
        )}
      </FormActions>
    </Form>
  )
}

const submitWords = (trial: TrialOutcome | null, saved: boolean): string => {
  if (!trial) return 'Test connection'
  if (!trial.ok) return 'Test again'
  return saved ? 'Use this provider' : 'Save provider'
}

interface ProviderFieldsProps extends Pick<ProviderFormProps, 'choice' | 'is_new'> {
  draft: Draft
  type: (field: Typed) => (value: string) => void
  /** Of a field of its server. */
  typeField: (field: ServerField) => (value: string) => void
}

function ProviderFields({ choice, is_new, draft, type, typeField }: ProviderFieldsProps) {
  const is_free = choice.server === null && choice.base_url === ''
  const has_protocols = choice.protocols.length > 1
  return (
    <>
      {(is_free || is_new || has_protocols) && (
        <div className="fields">
          {(is_free || is_new) && (
            <Field
              label="Name"
              name="name"
              help="Letters a-z, digits, _ and -. Used by routes and in the log."
            >
              <TextInput code value={draft.name} onChange={type('name')} autoComplete="off" />
            </Field>
          )}
          {has_protocols && (
            <Field label="Protocol" help="Anthropic for Claude, Gemini for Gemini, OpenAI for most others.">
              <Select
                options={protocolOptions(choice.protocols)}
                value={draft.protocol}
                onChange={type('protocol')}
              />
            </Field>
          )}
        </div>
      )}
      {choice.fields.length > 0 && (
        <div className="fields">
          {choice.fields.map(({ name, label, help }) => (
            <Field key={name} label={label} name={name} help={help}>
              <TextInput
                code
                value={draft.fields[name] ?? ''}
                onChange={typeField(name)}
                autoComplete="off"
                autoCapitalize="none"
              />
            </Field>
          ))}
        </div>
      )}
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
        <KeyField
          value={draft.api_key}
          onChange={type('api_key')}
          takes_accounts={choice.takes_accounts}
          keys_url={choice.keys_url}
          may_be_empty={choice.takes_key === 'maybe'}
        />
      )}
    </>
  )
}

interface ProviderChoiceProps {
  choices: readonly Choice[]
  /** The title of the chosen one. */
  value: string
  onChange: (title: string) => void
}

function ProviderChoice({ choices, value, onChange }: ProviderChoiceProps) {
  return (
    <fieldset className="provider-choices">
      <legend className="unseen">Provider</legend>
      {choices.map(({ title, detail }) => (
        <label key={title} className="provider-choice">
          <input type="radio" name="provider" checked={title === value} onChange={() => onChange(title)} />
          <span>
            <b>{title}</b>
            {detail && <span className="small soft">{detail}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
