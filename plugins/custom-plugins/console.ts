// Console route of custom plugins, for operators: the routes and hooks of each, and counts of the calls that its hooks saw.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { FAILURES, operatorCalls } from '../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { countHooks } from '../../src/calls/hooks/registered.ts'
import type { LoadedPlugin } from './load.ts'
import type { OwnPlugins } from './own-plugins.ts'

const Counted = (description: string) => Type.Integer({ description })

const PluginView = Type.Object({
  name: Type.String(),
  file: Type.String({ description: "in the data folder's plugins/" }),
  routes: Type.Array(Type.String(), { description: 'such as `GET /hello`' }),
  hooks: Type.Object({
    before_call: Counted('hooks that see each call before its price is quoted'),
    after_settle: Counted('hooks that get a record of each call that was settled'),
  }),
  since_start: Type.Object({
    seen: Counted('calls that its hooks before a call saw'),
    refused: Counted('of these, the calls that it refused'),
    changed: Counted('how often it changed a body'),
    failed: Counted('calls that were refused because one of its hooks failed'),
    waiting: Counted('records of calls that its hooks have still to get'),
    delivered: Counted('records of calls that its hooks got'),
    dropped: Counted('records that were dropped because too many waited'),
    failed_after: Counted('failures of its hooks after settle'),
  }),
})

const PluginsView = Type.Object({
  plugins: Type.Array(PluginView, { description: 'in the order in which they run' }),
})

const pluginView = ({ name, file, routes, hooks }: LoadedPlugin) => ({
  name,
  file,
  routes: [...routes],
  hooks: countHooks(hooks),
  since_start: { ...hooks.counts },
})

export function pluginRoutes(
  gateway: Pick<Gateway, 'calls' | 'requests' | 'people'>,
  { loaded }: Pick<OwnPlugins, 'loaded'>,
) {
  return new Elysia({ name: 'console-plugins' })
    .use(operatorCalls(gateway))
    .get('/console/api/plugins', () => ({ plugins: loaded.map(pluginView) }), {
      response: { 200: PluginsView, ...FAILURES },
    })
}
