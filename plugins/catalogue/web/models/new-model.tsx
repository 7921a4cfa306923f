// The form of a new model: kind, provider, and price beside cost; then a review of its price.
import { type FocusEvent, useState } from 'react'
import { Button } from '../../../console/web/parts/button.tsx'
import { CommittedInput } from '../../../console/web/parts/committed-input.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import { Form, FormActions, SubmitButton, SubmitOrCancel } from '../../../console/web/parts/form.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { Select } from '../../../console/web/parts/select.tsx'
import { Loaded } from '../../../console/web/parts/states.tsx'
import { BelowCost, ChangeList, isBelowCost } from '../parts/changes.tsx'
import { useFile } from '../parts/draft.ts'
import { useKnown } from '../parts/known.ts'
import { MODEL } from '../parts/labels.ts'
import { ModelPrice } from '../parts/price-fields.tsx'
import { KINDS } from '../parts/price-units.ts'
import type { SavedFile } from '../parts/saving.ts'
import { FurtherFields, SchemaFields, useBlockFields } from '../parts/schema-fields.tsx'
import { type Block, blocksOf, type CatalogueFile, textAt } from '../parts/values.ts'
import { type NewModelEditing, type Reviewed, useNewModel } from './new-model-editing.ts'

interface NewModelProps {
  /** The provider that was just added, with the model of its test. */
  tested: { provider: string; model: string } | null
  /** @param id the name that callers use */
  onDone: (id: string, saved: SavedFile) => void
  onCancel: () => void
}

export function NewModel(props: NewModelProps) {
  const file = useFile()
  return <Loaded query={file}>{(read) => <NewModelForm {...props} file={read} />}</Loaded>
}

function NewModelForm({ file, tested, onDone, onCancel }: NewModelProps & { file: CatalogueFile }) {
  const blocks = blocksOf(file.values as Block | null, 'providers')
  const providers = blocks.map((provider) => textAt(provider, 'name'))
  const newest = blocks.findLast((provider) => textAt(provider, 'base_url') !== 'simulator') ?? blocks[0]
  const [first] = useState(() => tested ?? { provider: textAt(newest, 'name'), model: '' })
  const editing = useNewModel(file, first)
  const [reviewed, setReviewed] = useState<Reviewed | null>(null)
  const [is_wrong, setWrong] = useState(false)

  async function review(): Promise<void> {
    const answer = await editing.review()
    setReviewed(answer)
    setWrong(answer === null)
  }
  async function save(): Promise<void> {
    onDone(textAt(editing.model, 'id'), await editing.save())
  }
  if (providers.length === 0) return <Notice tone="warn">Add a provider first: it serves the model.</Notice>
  return (
    <Form submit={reviewed ? save : review} aria-label="New model">
      {reviewed ? (
        <Review reviewed={reviewed} back={() => setReviewed(null)} />
      ) : (
        <>
          <ModelFields editing={editing} providers={providers} />
          {editing.other_mistakes.map(({ path, message }) => (
            <Notice key={path} tone="bad">
              <code>{path}</code> {message}
            </Notice>
          ))}
          {is_wrong && (
            <p className="field-error" role="status">
              Complete the fields marked above.
            </p>
          )}
          <SubmitOrCancel onCancel={onCancel}>Review model</SubmitOrCancel>
        </>
      )}
    </Form>
  )
}

function Review({ reviewed: { changes }, back }: { reviewed: Reviewed; back: () => void }) {
  return (
    <>
      <ChangeList changes={changes} />
      <BelowCost changes={changes} />
      <FormActions>
        <Button onClick={back}>Back</Button>
        <SubmitButton>{isBelowCost(changes) ? 'Save below cost' : 'Save model'}</SubmitButton>
      </FormActions>
    </>
  )
}

interface ModelFieldsProps {
  editing: NewModelEditing
  providers: readonly string[]
}

function ModelFields({ editing, providers }: ModelFieldsProps) {
  const { path, model } = editing
  const kind = textAt(model, 'kind')
  const fields = useBlockFields().models[kind]
  const shared = { draft: editing, path, block: model, fields, labels: MODEL }
  const changeKind = (next: string) => {
    const { provider = '', model: name = '' } = routeOf(model)
    const value = { id: textAt(model, 'id'), kind: next, routes: [{ provider, model: name }], price: {} }
    void editing.edit([{ op: 'set', path, value }])
  }
  return (
    <>
      <div className="fields">
        <Field label="Kind">
          <Select
            options={KINDS}
            value={KINDS.find(({ value }) => value === kind)?.value ?? 'text'}
            onChange={changeKind}
          />
        </Field>
        <Field label="Provider">
          <Select
            options={providers.map((name) => ({ value: name, label: name }))}
            value={textAt(model, 'routes', 0, 'provider')}
            onChange={(provider) => editing.put([...path, 'routes', 0, 'provider'], provider)}
          />
        </Field>
      </div>
      <Names editing={editing} />
      <ModelPrice key={kind} draft={editing} path={path} model={model} />
      {kind === 'text' && (
        <div className="fields">
          <SchemaFields {...shared} names={['context', 'max_output_tokens']} />
        </div>
      )}
      <FurtherFields {...shared} without={['id', 'routes', 'retired', 'shutdown_date']} />
    </>
  )
}

const routeOf = (model: Block) => ({
  provider: textAt(model, 'routes', 0, 'provider'),
  model: textAt(model, 'routes', 0, 'model'),
})

/** A value that arrived meanwhile is replaced by what is typed. Later, because a click ends the selection that the focus made. */
const selectSoon = ({ currentTarget }: FocusEvent<HTMLInputElement>) =>
  void setTimeout(() => currentTarget.select())

/** The callers' name follows the provider's name until it is changed. */
function Names({ editing }: { editing: NewModelEditing }) {
  const { path, model } = editing
  const route = routeOf(model)
  const known = useKnown()
  const provider = blocksOf(editing.values, 'providers').find(
    (block) => textAt(block, 'name') === route.provider,
  )
  const server = known.find(
    (each) =>
      each.server !== null && [textAt(provider, 'server'), textAt(provider, 'name')].includes(each.server),
  )
  const [id, name] = [
    [...path, 'id'],
    [...path, 'routes', 0, 'model'],
  ]
  const id_text = textAt(model, 'id')
  const shared = { code: true, autoComplete: 'off', onFocus: selectSoon }
  const changeName = (typed: string) =>
    void editing.edit([
      { op: 'set', path: name, value: typed },
      ...(id_text === '' || id_text === route.model ? [{ op: 'set' as const, path: id, value: typed }] : []),
    ])
  return (
    <div className="fields">
      <Field
        label={`Name at ${route.provider}`}
        help="The provider’s own ID of the model."
        error={editing.mistakeAt(name)}
      >
        <CommittedInput {...shared} value={route.model} commit={changeName} list="known-models" />
      </Field>
      <datalist id="known-models">
        {server?.models.map((each) => (
          <option key={each.model} value={each.model} />
        ))}
      </datalist>
      <Field label="Name for callers" help="The model name in requests." error={editing.mistakeAt(id)}>
        <CommittedInput {...shared} value={id_text} commit={(typed) => editing.put(id, typed)} />
      </Field>
    </div>
  )
}
