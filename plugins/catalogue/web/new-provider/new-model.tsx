// The form of a new model: a provider's model, its name and its price for callers.
import { useState } from 'react'
import { Button } from '../../../console/web/parts/button.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import { Form, FormActions, SubmitButton } from '../../../console/web/parts/form.tsx'
import { TextInput, UnitInput } from '../../../console/web/parts/input.tsx'
import { Select } from '../../../console/web/parts/select.tsx'
import { useKnownList } from '../parts/known.ts'
import type { SavedFile } from '../parts/saving.ts'
import { saveModel } from './catalogue-edits.ts'
import { knownModel } from './choices.ts'

interface NewModelProps {
  /** The catalogue's real providers. */
  providers: readonly string[]
  /** The provider that was just added, and the model that it was tested with. */
  tested: { provider: string; model: string } | null
  /** @param id the name that callers use */
  onDone: (id: string, saved: SavedFile) => void
}

export function NewModel({ providers, tested, onDone }: NewModelProps) {
  const { data: list } = useKnownList()
  const known = list?.known ?? []
  const [provider, setProvider] = useState(tested?.provider ?? providers.at(-1) ?? '')
  const [model, setModel] = useState(tested?.model ?? '')
  const [id, setId] = useState(tested?.model ?? '')
  const [input, setInput] = useState('')
  const [output, setOutput] = useState('')

  async function save(): Promise<void> {
    onDone(id, await saveModel({ id, provider, model, input, output }, known))
  }
  const listed = knownModel(known, model)
  return (
    <Form submit={save} aria-label="New model">
      {providers.length > 1 && (
        <Field label="Provider">
          <Select
            options={providers.map((name) => ({ value: name, label: name }))}
            value={provider}
            onChange={setProvider}
          />
        </Field>
      )}
      <div className="fields">
        <Field label="Name for callers" name="id" help="The model name in requests.">
          <TextInput code value={id} onChange={setId} autoComplete="off" />
        </Field>
        <Field label={`Name at ${provider}`} name="model" help="The provider’s name for the model.">
          <TextInput code value={model} onChange={setModel} autoComplete="off" />
        </Field>
      </div>
      <div className="fields">
        <Field label="Price of input" name="input" help="Per million input tokens.">
          <UnitInput unit="USD" value={input} onChange={setInput} />
        </Field>
        <Field label="Price of output" name="output" help="Per million output tokens, including reasoning.">
          <UnitInput unit="USD" value={output} onChange={setOutput} />
        </Field>
      </div>
      {list && listed ? (
        <ListPrice
          of={listed}
          month={list.prices_as_of}
          url={known.find(({ models }) => models.includes(listed))?.prices_url}
          onFill={() => {
            setInput(listed.input)
            setOutput(listed.output)
          }}
        />
      ) : (
        <p className="soft">What callers pay. Enter 0 for a free model.</p>
      )}
      <FormActions>
        <SubmitButton>Save model and price</SubmitButton>
      </FormActions>
    </Form>
  )
}

interface ListPriceProps {
  of: { input: string; output: string }
  month: string
  url: string | undefined
  onFill: () => void
}

/** The provider's list price. The operator decides on the price for callers. */
const ListPrice = ({ of: { input, output }, month, url, onFill }: ListPriceProps) => (
  <div className="stack">
    <p className="soft">
      The provider listed this model at {input} USD of input and {output} USD of output in {month}. Check the{' '}
      <a href={url} target="_blank" rel="noreferrer">
        current prices
      </a>
      , and add what you want to earn.
    </p>
    <div>
      <Button small onClick={onFill}>
        Fill in the list price
      </Button>
    </div>
  </div>
)
