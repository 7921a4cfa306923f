// Errors that plugins throw outside of their hooks, in a real process: logged without secrets; calls under way end whole and are charged once.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { catalogueOf, PROVIDER_KEYS } from '../support/catalogue.ts'
import { prepareDataFolder } from '../support/data-folder.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { ANSWER_NANOS, answer, ask, streamPath, wholePath } from '../support/native.ts'
import { eventBytes, startUpstream, stream } from '../support/upstream.ts'

setDefaultTimeout(60_000)

/** A plugin whose hook still runs, at its second call, when the error is thrown. */
const hookThat = (strays: string) => `
let calls = 0
export default ({ gateway }) => gateway.beforeCall(async () => {
  calls += 1
  if (calls === 1) return
  setTimeout(() => { ${strays} }, 1)
  // The stray error comes while the hook still runs.
  await Bun.sleep(50)
})`

const afterSettleThat = (strays: string) => `
export default ({ gateway }) => gateway.afterSettle(() => { ${strays} })`

const STREAMED = Buffer.concat([eventBytes(answer())]).toString()

test.each([
  ['a timer that throws', hookThat(`throw new Error("stray ${PROVIDER_KEYS[0]}")`)],
  ['a promise that nobody awaits', hookThat('void Promise.reject(new Error("stray"))')],
  ['a promise that rejects with nothing', hookThat('void Promise.reject()')],
  ['a task of the next tick, which throws a text', hookThat('process.nextTick(() => { throw "stray" })')],
  [
    'a value that throws when it is read',
    hookThat('throw new Proxy({}, { get() { throw new Error("stray") } })'),
  ],
  [
    'an error whose stack throws when it is read',
    hookThat('throw Object.defineProperty(new Error("x"), "stack", { get() { throw new Error("stray") } })'),
  ],
  ['a promise of a hook after settle', afterSettleThat('void Promise.reject(new Error("stray"))')],
])('%s', async (_name, plugin) => {
  const rest = Promise.withResolvers<void>()
  await using upstream = await startUpstream((seen) =>
    seen.path.includes(':stream')
      ? stream({ wait: rest.promise }, { event: answer() })
      : { headers: { 'content-type': 'application/json' }, steps: [{ send: JSON.stringify(answer()) }] },
  )
  const folder = await prepareDataFolder(catalogueOf({ upstream_url: upstream.url }))
  const plugins = join(folder.path, 'plugins')
  mkdirSync(plugins)
  writeFileSync(join(plugins, 'stray.ts'), plugin)
  const log_path = join(folder.path, 'log')
  await using gateway = await startGatewayProcess('', folder, { log_path })
  const post = (path: string) =>
    fetch(new URL(path, gateway.url), {
      method: 'POST',
      headers: { 'x-api-key': gateway.key },
      body: JSON.stringify(ask()),
    })
  const streamed = post(streamPath())
  await upstream.waitForRequest(1)
  for (let calls = 0; calls < 2; calls++) expect((await post(wholePath())).status).toBe(200)
  rest.resolve()
  expect(await (await streamed).text()).toBe(STREAMED)
  gateway.signal('SIGTERM')
  expect(await gateway.ended).toBe(0)
  const log = readFileSync(log_path, 'utf8')
  expect(log).toContain('an error that nothing caught, most likely of a plugin')
  expect(log).not.toContain(PROVIDER_KEYS[0])
  const { calls, holds } = gateway.books()
  expect(await gateway.findings()).toEqual([])
  expect(holds.map(({ state }) => state)).toEqual(Array(3).fill('posted'))
  expect(calls.map(({ cost_nanos }) => cost_nanos)).toEqual(Array(3).fill(ANSWER_NANOS))
})
