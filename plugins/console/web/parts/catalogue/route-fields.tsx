// The routes of a model as fields: which provider serves it, by what name, in which order.
import { Plus, Trash2 } from 'lucide-react'
import { Button } from '../button.tsx'
import { Field } from '../field.tsx'
import { Select } from '../select.tsx'
import { CommittedInput } from './committed-input.tsx'
import type { Draft } from './draft.ts'
import { type Block, blockAt, blocksOf, listAt, type Path, textAt, wholeNumber } from './values.ts'

export interface RouteFieldsProps {
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
}

function RouteLine({ draft, path, route, providers, is_only }: RouteLineProps) {
  const set = (name: string, value: string | number) =>
    void draft.edit([{ op: 'set', path: [...path, name], value }])
  const provider = textAt(route, 'provider')
  const names = providers.includes(provider) ? providers : [provider, ...providers]
  const number = (name: string) => (text: string) =>
    text === ''
      ? void draft.edit([{ op: 'remove', path: [...path, name] }])
      : void draft.edit([{ op: 'set', path: [...path, name], value: wholeNumber(text) }])
  return (
    <div className="route-line">
      <Field label="Provider" error={draft.mistakeAt([...path, 'provider'])}>
        <Select
          options={names.map((value) => ({ value, label: value }))}
          value={provider}
          onChange={(value) => set('provider', value)}
        />
      </Field>
      <Field label="Its name there" error={draft.mistakeAt([...path, 'model'])}>
        <CommittedInput code value={textAt(route, 'model')} commit={(text) => set('model', text)} />
      </Field>
      <Field label="Order" error={draft.mistakeAt([...path, 'order'])}>
        <CommittedInput
          inputMode="numeric"
          placeholder="0"
          value={textAt(route, 'order')}
          commit={number('order')}
        />
      </Field>
      <Button
        look="quiet"
        icon={Trash2}
        disabled={is_only}
        aria-label={`Remove the route to ${provider}`}
        onClick={() => void draft.edit([{ op: 'remove', path }])}
      />
    </div>
  )
}
