// The second step: a model, with its name and its price for callers.
import { useState } from 'react'
import { saveModel } from '../../../catalogue/web/new-provider/catalogue-edits.ts'
import { knownModel, type SetupState } from '../../../catalogue/web/new-provider/choices.ts'
import { Button } from '../../../console/web/parts/button.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import { Form, FormActions, SubmitButton } from '../../../console/web/parts/form.tsx'
import { TextInput, UnitInput } from '../../../console/web/parts/input.tsx'
import { Select } from '../../../console/web/parts/select.tsx'

interface ModelStepProps {
  setup: SetupState
  /** The provider of the first step; empty if it was skipped. */
  provider: string
  /** The model that the first step tested. */
  tested_model: string
  /** Goes on with this model, by the name that callers use. */
  onDone: (model: string) => void
}

const NEW = ''

export function ModelStep({ setup, provider, tested_model, onDone }: ModelStepProps) {
  const models = setup.models.filter(({ providers }) => provider === '' || providers.includes(provider))
  const [chosen, setChosen] = useState(models[0]?.id ?? NEW)
  const options = [
    ...models.map(({ id, input, output }) => ({ value: id, label: id, detail: priceWords(input, output) })),
    ...(provider === '' ? [] : [{ value: NEW, label: 'Another model …' }]),
  ]
  const model = models.find(({ id }) => id === chosen)
  return (
    <>
      {models.length > 0 && (
        <Field label="Model" help={model && priceWords(model.input, model.output)}>
          <Select options={options} value={chosen} onChange={setChosen} />
        </Field>
      )}
      {model ? (
        <Form submit={async () => onDone(model.id)} aria-label="Model">
          <FormActions>
            <SubmitButton>Use {model.id}</SubmitButton>
          </FormActions>
        </Form>
      ) : (
        <NewModel setup={setup} provider={provider} tested_model={tested_model} onDone={onDone} />
      )}
    </>
  )
}

const priceWords = (input: string, output: string): string =>
  `${input} USD per million tokens read, ${output} USD per million written`

function NewModel({ setup, provider, tested_model, onDone }: ModelStepProps) {
  const list = knownModel(setup, tested_model)
  const prices_url = setup.known.find(({ models }) =>
    models.some(({ model }) => model === tested_model),
  )?.prices_url
  const [model, setModel] = useState(tested_model)
  const [id, setId] = useState(tested_model)
  const [input, setInput] = useState('')
  const [output, setOutput] = useState('')

  async function save(): Promise<void> {
    await saveModel({ id, provider, model, input, output }, setup)
    onDone(id)
  }
  return (
    <Form submit={save} aria-label="New model">
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
      {list ? (
        <ListPrice
          of={list}
          month={setup.prices_as_of}
          url={prices_url}
          onFill={() => {
            setInput(list.input)
            setOutput(list.output)
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
