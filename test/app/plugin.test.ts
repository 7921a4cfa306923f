// The parts of a plugin: each is opened once, receives events, sweeps, and closes in reverse order; every part is optional.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'
import { Elysia } from 'elysia'
import type { CheckTime, GatewayCheck } from '../../src/app/checks/check.ts'
import { createCheckRun } from '../../src/app/checks/look.ts'
import { definePlugin } from '../../src/app/plugin.ts'
import { checksOf, commandsOf, openPlugins, preparePlugins, tablesOf } from '../../src/app/plugins.ts'
import type { StartParts } from '../../src/app/process/serve-options.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { createEvents } from '../../src/calls/life/events.ts'
import { addSections, defineSection } from '../../src/catalogue/sections.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { unownedTable } from '../../src/store/stored-table.ts'
import { CORE_TABLES } from '../../src/store/tables/core.ts'
import { makeEmptyDatabase } from '../support/empty-database.ts'
import { memoryLog } from '../support/memory-log.ts'
import { temporary } from '../support/temporary.ts'

function gateway() {
  const { log, lines } = memoryLog()
  const events = createEvents(log)
  const made = {
    calls: { events, log },
    operations: { console_routes: [], references: [], checks: [] },
  } as unknown as Gateway
  return { made, events, lines }
}

/** A plugin that records each of its steps. */
const tracing = (name: string, steps: string[]) =>
  definePlugin({
    name,
    async open() {
      steps.push(`${name} opens`)
      return { name }
    },
    on: { started: (own) => steps.push(`${own.name} hears that the gateway started`) },
    routes: async () => (_, own) => new Elysia({ name }).get(`/${name}`, () => own.name),
    console_routes: async () => (_, own) =>
      new Elysia({ name: `console-${name}` }).get(`/console/${name}`, () => own.name),
    sweeps: [{ name, sweep: (own) => steps.push(`${own.name} sweeps`) }],
    close: (own) => void steps.push(`${own.name} closes`),
  })

test('a plugin opens its state once, passes it to all its parts, and closes it after plugins opened later', async () => {
  const steps: string[] = []
  const { made, events } = gateway()
  const opened = await openPlugins(made, [tracing('first', steps), tracing('second', steps)])
  events.raise('started', undefined)
  for (const { sweep } of opened.sweeps) await sweep()
  await opened.close()
  expect(steps).toEqual([
    'first opens',
    'second opens',
    'first hears that the gateway started',
    'second hears that the gateway started',
    'first sweeps',
    'second sweeps',
    'second closes',
    'first closes',
  ])
})

test('a plugin’s routes are served, and the routes of its pages are loaded on the first request', async () => {
  const { made } = gateway()
  const opened = await openPlugins(made, [tracing('one', [])])
  const [routes] = opened.routes
  expect(await (await routes?.handle(new Request('http://localhost/one')))?.text()).toBe('one')
  const [load] = made.operations.console_routes
  const console_routes = await load?.()
  expect(await (await console_routes?.handle(new Request('http://localhost/console/one')))?.text()).toBe(
    'one',
  )
})

test('a name alone is a plugin', async () => {
  const { made } = gateway()
  const opened = await openPlugins(made, [definePlugin({ name: 'nothing' })])
  expect([opened.routes, opened.sweeps]).toEqual([[], []])
  expect(await made.operations.console_routes[0]?.()).toBeUndefined()
  await opened.close()
})

test('a plugin that fails to open prevents the start', async () => {
  const { made } = gateway()
  const broken = definePlugin({
    name: 'broken',
    open() {
      throw new Error('Its table is missing. Run the migration.')
    },
  })
  expect(openPlugins(made, [broken])).rejects.toThrow('Its table is missing')
})

test('a listener that throws is logged, and the event continues', async () => {
  const { made, events, lines } = gateway()
  const failing = definePlugin({
    name: 'failing',
    on: {
      started() {
        throw new TypeError('a bug in a plugin')
      },
    },
  })
  await openPlugins(made, [failing])
  events.raise('started', undefined)
  expect(lines()).toMatchObject([{ level: 'error', event: 'started' }])
})

test('commands come in the order of their plugins', () => {
  const add = async () => () => {}
  const commands = commandsOf([
    definePlugin({ name: 'one', commands: { b: add } }),
    definePlugin({ name: 'two' }),
    definePlugin({ name: 'three', commands: { a: add } }),
  ])
  expect(Object.keys(commands)).toEqual(['b', 'a'])
})

test('tables of plugins follow those of the core', async () => {
  const notes = unownedTable(sqliteTable('notes', { id: integer().primaryKey() }))
  const tables = await tablesOf([
    definePlugin({ name: 'one' }),
    definePlugin({ name: 'two', tables: async () => [notes] }),
  ])
  expect(tables).toEqual([...CORE_TABLES, notes])
})

test('a plugin reads its settings from the catalogue in use, and `open` gets the result of `prepare`', async () => {
  const { made } = gateway()
  const settings = defineSection({
    name: 'trial',
    schema: Type.Object({ days: Type.Integer({ default: 3 }) }),
    secrets: { at: () => undefined, in: ({ days }) => [String(days)] },
  })
  const catalogue = { sections: new Map([['trial', { days: 4 }]]) } as unknown as Catalogue
  const start = { catalogue: () => catalogue } as StartParts
  const seen: unknown[] = []
  const plugin = definePlugin({
    name: 'trial',
    settings,
    prepare: (_, read) => ({ prepared_with: read().days }),
    open: (_, read, prepared) => void seen.push(read(), prepared),
  })
  const opened = await openPlugins(
    { ...made, calls: { ...made.calls, catalogue: () => catalogue } },
    [plugin],
    await preparePlugins(start, [plugin]),
  )
  expect(seen).toEqual([{ days: 4 }, { prepared_with: 4 }])
  expect(settings.secretsOf(catalogue)).toEqual(['4'])
  expect(() => settings.of({ sections: new Map() })).toThrow('was read without the section [trial]')
  await opened.close()
})

test('a plugin’s section cannot have the name of one of the core', () => {
  const settings = defineSection({ name: 'server', schema: Type.Object({}) })
  expect(() => addSections([settings])).toThrow("a section with the name of the core's: server")
})

test('a check gets the plugin’s state in a gateway, but not in the doctor', async () => {
  const { made } = gateway()
  const plugin = definePlugin({
    name: 'trial',
    open: () => 'open',
    checks: [
      {
        name: 'state',
        when: ['doctor', 'ready'],
        needs: 'folder',
        look: (_, time, own) => [{ check: time, level: 'warn', found: own ?? 'no gateway', advice: 'Look.' }],
      },
      {
        name: 'broken',
        when: ['ready'],
        needs: 'folder',
        look: () => Promise.reject(new Error('no permission')),
      },
    ],
  })
  const opened = await openPlugins(made, [plugin])
  const catalogue = () => ({ storage: {} }) as Catalogue
  const parts = { catalogue, data_folder: '/nowhere', log: made.calls.log, now: Date.now }
  const found = async (checks: readonly GatewayCheck[], time: CheckTime) =>
    (await createCheckRun(checks, time, parts)()).map((each) => each.found)
  expect(await found(opened.checks, 'ready')).toEqual(['open', 'it could not be checked: no permission'])
  expect(await found(checksOf([plugin]), 'doctor')).toEqual(['no gateway'])
  await opened.close()
})

test('a check gets the database from the doctor or the gateway, and is skipped without one', async () => {
  const { made } = gateway()
  const plugin = definePlugin({
    name: 'trial',
    checks: [
      {
        name: 'rows',
        when: ['doctor', 'alert'],
        needs: 'database',
        look: async ({ db }) => {
          const [row] = await db.rows<{ accounts: number }>('SELECT count(*) AS accounts FROM accounts')
          return [{ check: 'rows', level: 'ok', found: `accounts: ${row?.accounts}`, advice: null }]
        },
      },
    ],
  })
  const found = async ([check]: readonly GatewayCheck[], data_folder: string) => {
    if (check?.needs !== 'folder') throw new Error('the check is missing')
    const context = {
      data_folder,
      storage: { database: undefined, files: undefined },
      env: {},
      now: Date.now,
    }
    return (await check.look(context, 'doctor')).map((each) => each.found)
  }
  using empty = temporary()
  expect(await found(checksOf([plugin]), empty.path)).toEqual([])
  makeEmptyDatabase(empty.at('tollgate.db'))
  expect(await found(checksOf([plugin]), empty.path)).toEqual(['accounts: 0'])
  const db = { rows: async () => [{ accounts: 7 }] } as unknown as Gateway['db']
  const opened = await openPlugins({ ...made, db }, [plugin])
  expect(await found(opened.checks, '/nowhere')).toEqual(['accounts: 7'])
  const older = new Database(empty.at('tollgate.db'))
  older.run('PRAGMA user_version = 3')
  older.close()
  expect(await found(checksOf([plugin]), empty.path)).toEqual([])
})
