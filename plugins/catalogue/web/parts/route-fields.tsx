// The routes of a model as fields: provider, upstream model and order.
import { Plus, Trash2 } from 'lucide-react'
import { Button } from '../../../console/web/parts/button.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import { Select } from '../../../console/web/parts/select.tsx'
import type { Draft } from './draft.ts'
import type { Editing } from './editing.ts'
import { useKnown } from './known.ts'
import { ROUTE } from './labels.ts'
import { FurtherFields, SchemaFields, useBlockFields } from './schema-fields.tsx'
import { type Block, blockAt, blocksOf, listAt, type Path, textAt } from './values.ts'

interface RouteFieldsProps {
  draft: Draft
  path: Path
  model: Block
}

export function RouteFields({ draft, path, model }: RouteFieldsProps) {
  const routes = listAt(model, 'routes')
  const providers = blocksOf(draft.values, 'providers').map((provider) => textAt(provider, 'name'))
  const [first = ''] = providers
  const add = () =>
    void draft.edit([
      {
        op: 'add',
        path: [...path, 'routes'],
        value: { provider: first, model: textAt(model, 'id'), order: routes.length },
      },
    ])
  return (
    <div className="stack">
      {routes.map((_, at) => (
        <RouteLine
          key={String(at)}
          draft={draft}
          path={[...path, 'routes', at]}
          route={blockAt(model, 'routes', at)}
          providers={providers}
          is_only={routes.length === 1}
          model={model}
        />
      ))}
      <div>
        <Button small icon={Plus} onClick={add}>
          Add a route
        </Button>
      </div>
    </div>
  )
}

interface RouteLineProps {
  draft: Draft
  path: Path
  route: Block
  providers: readonly string[]
  is_only: boolean
  model: Block
}

function RouteLine({ draft, path, route, providers, is_only, model }: RouteLineProps) {
  const shared = { draft, path, block: route, fields: useBlockFields().route, labels: ROUTE }
  const kind = textAt(model, 'kind')
  const provider = textAt(route, 'provider')
  const names = providers.includes(provider) ? providers : [provider, ...providers]
  return (
    <div className="stack">
      <div className="route-line">
        <Field label="Provider" error={draft.mistakeAt([...path, 'provider'])}>
          <Select
            options={names.map((value) => ({ value, label: value }))}
            value={provider}
            onChange={(value) => draft.put([...path, 'provider'], value)}
          />
        </Field>
        <SchemaFields {...shared} names={['model', 'order']} />
        <Button
          look="quiet"
          icon={Trash2}
          disabled={is_only}
          aria-label={`Remove the route to ${provider}`}
          onClick={() => draft.put(path, undefined)}
        />
      </div>
      {(kind === 'text' || kind === 'image') && <Generation {...shared} />}
      <FurtherFields
        {...shared}
        without={kind === 'text' ? ['provider'] : ['provider', 'endpoint']}
        label_prefix="Route: "
      />
    </div>
  )
}

/** Shown if the server's models have names that the operator chose, or if the field is set. */
function Generation(props: Parameters<typeof SchemaFields>[0] & { draft: Editing }) {
  const { draft, block: route } = props
  const known = useKnown()
  const provider = blocksOf(draft.values, 'providers').find(
    (block) => textAt(block, 'name') === textAt(route, 'provider'),
  )
  const server = known.find((each) => each.server !== null && each.server === textAt(provider, 'server'))
  if (!server?.has_deployments && textAt(route, 'generation') === '') return null
  return <SchemaFields {...props} names={['generation']} />
}
