// The fields of a model. Other settings can be edited in the text.
import type { Draft } from './draft.ts'
import { MODEL } from './labels.ts'
import { ModelPrice, type ModelProps } from './price-fields.tsx'
import { RouteFields } from './route-fields.tsx'
import { FurtherFields, SchemaFields, useBlockFields } from './schema-fields.tsx'
import { type Block, textAt } from './values.ts'

type ModelFieldsProps = ModelProps & { draft: Draft }

export function ModelFields({ draft, path, model }: ModelFieldsProps) {
  const fields = useFieldsOf(model)
  const shared = { draft, path, block: model, fields, labels: MODEL }
  return (
    <div className="stack">
      <div className="fields">
        <SchemaFields {...shared} names={['id', 'display_name']} />
      </div>
      <h3>Price and cost</h3>
      <ModelPrice {...{ draft, path, model }} />
      <h3>Routes</h3>
      <RouteFields {...{ draft, path, model }} />
      <LimitFields {...{ draft, path, model }} />
      <FurtherFields {...shared} />
    </div>
  )
}

const useFieldsOf = (model: Block) => useBlockFields().models[textAt(model, 'kind')]

/** Token limits, shutdown date and retirement. */
function LimitFields({ draft, path, model }: ModelProps) {
  const shared = { draft, path, block: model, fields: useFieldsOf(model), labels: MODEL }
  return (
    <>
      <div className="fields">
        <SchemaFields {...shared} names={['shutdown_date']} />
      </div>
      <div className="fields">
        <SchemaFields {...shared} names={['context', 'max_output_tokens']} />
      </div>
      <SchemaFields {...shared} names={['retired']} />
    </>
  )
}
