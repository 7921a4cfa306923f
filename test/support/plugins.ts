// Plugins for tests: plugins with routes, replacements of gateway parts, and access to the gateway object that plugins get.
import type { AnyElysia } from 'elysia'
import { definePlugin, type Plugin } from '../../src/app/plugin.ts'
import { createApp } from '../../src/app/process/app.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { createEvents } from '../../src/calls/life/events.ts'
import type { ProcessLogger } from '../../src/observe/log.ts'

/** A plugin with only routes. */
export const routesPlugin = (name: string, routes: (gateway: Gateway) => AnyElysia): Plugin =>
  definePlugin({ name, routes: async () => routes })

/** The plugins, over a gateway with other parts. */
export const pluginsOver = (plugins: readonly Plugin[], change: (gateway: Gateway) => Gateway): Plugin[] =>
  plugins.map((plugin) => ({
    ...plugin,
    open: (gateway, prepared) => plugin.open(change(gateway), prepared),
  }))

/** A gateway without listeners to its events. */
export const withoutEvents = (gateway: Gateway): Gateway => ({
  ...gateway,
  calls: { ...gateway.calls, events: createEvents(gateway.calls.log) },
})

/** A plugin without routes that captures its gateway. */
export function gatewaySpy() {
  let captured: Gateway | undefined
  const plugin: Plugin = definePlugin({
    name: 'spy',
    open(gateway) {
      captured = gateway
    },
  })
  return {
    plugin,
    gateway(): Gateway {
      if (!captured) throw new Error('the plugin was not opened')
      return captured
    },
  }
}

/** The routes of plugins, opened again over a gateway whose events do not reach them. */
export async function routesOf(gateway: Gateway, plugins: readonly Plugin[]) {
  const { calls, operations, requests } = gateway
  const apart = {
    ...withoutEvents(gateway),
    operations: {
      ...operations,
      ...{
        console_routes: [],
        references: [],
        checks: [],
        metrics: [],
        payment_providers: [],
        liabilities: [],
        gifts: [],
        payment_shares: [],
      },
    },
  }
  const { log, catalogue, now } = calls
  const { data_folder } = operations
  const { error_answers } = requests
  const start = {
    data_folder,
    listen: '127.0.0.1:0',
    log: log as ProcessLogger,
    catalogue,
    now,
    error_answers,
    limits: {},
    owns_process: false,
  }
  const routes = await Promise.all(
    plugins.map(async (plugin) => (await plugin.open(apart, await plugin.prepare(start))).loadRoutes()),
  )
  return createApp(
    apart,
    routes.filter((each) => each !== undefined),
  ).routes
}
