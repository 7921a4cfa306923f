// The fields of a model. Other settings can be edited in the text.
import type { Draft } from './draft.ts'
import { MODEL } from './labels.ts'
import { ModelPrice, type ModelProps } from './price-fields.tsx'
import { RouteFields } from './route-fields.tsx'
import { FurtherFields, SchemaFields, useBlockFields } from './schema-fields.tsx'
import { textAt } from './values.ts'

export function ModelFields({ draft, path, model }: ModelProps & { draft: Draft }) {
  const fields = useBlockFields().models[textAt(model, 'kind')]
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
      <div className="fields">
        <SchemaFields {...shared} names={['shutdown_date']} />
      </div>
      <div className="fields">
        <SchemaFields {...shared} names={['context', 'max_output_tokens']} />
      </div>
      <SchemaFields {...shared} names={['retired']} />
      <FurtherFields {...shared} />
    </div>
  )
}
