// The form for a new provider, which it tests with a real call before it is saved.
import { useState } from 'react'
import { api, messageOf } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { Button } from '../../../console/web/parts/button.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import { Form, FormActions, SubmitButton } from '../../../console/web/parts/form.tsx'
import { TextInput } from '../../../console/web/parts/input.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { Select } from '../../../console/web/parts/select.tsx'
import { Loaded } from '../../../console/web/parts/states.tsx'
import type { TrialOutcome } from '../../../console/web/parts/trial.ts'
import { useKnownList } from '../parts/known.ts'
import type { SavedFile } from '../parts/saving.ts'
import { TrialResult } from '../parts/trial-result.tsx'
import { type ProviderDraft, saveProvider, tryProvider } from './catalogue-edits.ts'
import { type Choice, choicesOf, protocolOptions, type ServerField } from './choices.ts'
import { KeyField } from './key-input.tsx'

interface AddProviderProps {
  onDone: (provider: string, model: string, saved: SavedFile) => void
  onCancel: () => void
}

export function AddProvider(props: AddProviderProps) {
  const list = useKnownList()
  const saved_providers = useApi(['providers'], () => api.providers.get())
  return (
    <Loaded query={list}>
      {({ known }) => (
        <Loaded query={saved_providers}>
          {({ providers }) => (
            <ChosenProvider
              choices={choicesOf(
                known,
                providers.map(({ name }) => name),
              )}
              {...props}
            />
          )}
        </Loaded>
      )}
    </Loaded>
  )
}

function ChosenProvider({ choices, ...props }: AddProviderProps & { choices: readonly Choice[] }) {
  const [title, setTitle] = useState(choices[0]?.title ?? '')
  const choice = choices.find((one) => one.title === title) ?? choices[0]
  if (!choice) return null
  return (
    <div className="stack">
      <Field label="Provider">
        <Select
          options={choices.map(({ title, detail }) => ({ value: title, label: title, detail }))}
          value={choice.title}
          onChange={setTitle}
        />
      </Field>
      <ProviderForm key={choice.title} choice={choice} {...props} />
    </div>
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

function ProviderForm({ choice, onDone, onCancel }: AddProviderProps & { choice: Choice }) {
  const [draft, setDraft] = useState(() => draftOf(choice))
  const [trial, setTrial] = useState<TrialOutcome | null>(null)
  const [refusal, setRefusal] = useState('')

  const put = (changes: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...changes }))
    // The name does not affect the test's result; other fields do.
    if (Object.keys(changes).some((field) => field !== 'name')) setTrial(null)
  }
  const type = (field: Typed) => (value: string) => put({ [field]: value })
  const typeField = (field: ServerField) => (value: string) =>
    put({ fields: { ...draft.fields, [field]: value } })
  const { model, ...provider } = draft

  async function testProvider(): Promise<void> {
    setTrial(null)
    setTrial(await tryProvider(provider, model.trim()))
  }
  async function saveAndContinue(): Promise<void> {
    onDone(provider.name, model.trim(), await saveProvider(provider))
  }
  function saveUntested(): void {
    setRefusal('')
    saveAndContinue().catch((thrown: unknown) => setRefusal(messageOf(thrown)))
  }

  return (
    <Form submit={trial?.ok ? saveAndContinue : testProvider} aria-label={choice.title}>
      <ProviderFields {...{ choice, draft, type, typeField }} />
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
        <Button onClick={onCancel}>Cancel</Button>
        <SubmitButton>{submitWords(trial)}</SubmitButton>
        {trial && !trial.ok && <Button onClick={saveUntested}>Save anyway</Button>}
      </FormActions>
    </Form>
  )
}

const submitWords = (trial: TrialOutcome | null): string =>
  trial === null ? 'Test connection' : trial.ok ? 'Save provider' : 'Test again'

interface ProviderFieldsProps {
  choice: Choice
  draft: Draft
  type: (field: Typed) => (value: string) => void
  typeField: (field: ServerField) => (value: string) => void
}

function ProviderFields({ choice, draft, type, typeField }: ProviderFieldsProps) {
  const is_free = choice.server === null && choice.base_url === ''
  return (
    <>
      <div className="fields">
        <Field label="Name" name="name" help="Letters a-z, digits, _ and -. Used by routes and in the log.">
          <TextInput code value={draft.name} onChange={type('name')} autoComplete="off" />
        </Field>
        {choice.protocols.length > 1 && (
          <Field label="Protocol" help="Anthropic for Claude, Gemini for Gemini, OpenAI for most others.">
            <Select
              options={protocolOptions(choice.protocols)}
              value={draft.protocol}
              onChange={type('protocol')}
            />
          </Field>
        )}
      </div>
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
