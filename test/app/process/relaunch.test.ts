// A start with the runtime's settings: more calls upstream at once than its own limit of 256, and a collector that keeps little garbage.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { totalmem } from 'node:os'
import { isServe } from '../../../src/app/process/relaunch.ts'
import { catalogueOf } from '../../support/catalogue.ts'
import { startGatewayProcess } from '../../support/gateway-process.ts'
import { answer, ask, wholePath } from '../../support/native.ts'
import { type Answer, startUpstream, whole } from '../../support/upstream.ts'

setDefaultTimeout(60_000)

const CALLS = 400

/** A client without a limit: the test's own fetch has the limit too. */
function statusOf({ url, key }: { url: URL; key: string }): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const headers = { 'x-goog-api-key': key, 'content-type': 'application/json' }
  const call = request(new URL(wholePath(), url), { method: 'POST', headers, agent: false }, (response) => {
    response.resume()
    response.on('end', () => resolve(response.statusCode))
  })
  call.on('error', reject)
  call.end(JSON.stringify(ask()))
  return promise
}

test.each([
  ['serve', true],
  ['serve --listen 127.0.0.1:0', true],
  ['--json --data /srv/gateway serve', true],
  ['', false],
  ['--help', false],
  ['audit --data serve', false],
  ['account create serve', false],
  ['audit-at-start --json --data serve', false],
])('only `tollgate serve` begins again with settings: `%s`', (line, expected) => {
  expect(isServe(line.split(' '))).toBe(expected)
})

test(`a gateway process has ${CALLS} calls upstream at once`, async () => {
  const arrived = Promise.withResolvers<void>()
  let waiting = 0
  await using upstream = await startUpstream(async (): Promise<Answer> => {
    if (++waiting === CALLS) arrived.resolve()
    await arrived.promise
    return whole(answer())
  })
  await using gateway = await startGatewayProcess(catalogueOf({ upstream_url: upstream.url }))
  const statuses = await Promise.all(Array.from({ length: CALLS }, () => statusOf(gateway)))
  expect(statuses.filter((status) => status === 200)).toHaveLength(CALLS)
})

// Only Linux shows the environment of a process.
test.if(process.platform === 'linux').each([
  [
    'that of 1 GB, or of a smaller container',
    undefined,
    Math.min(process.constrainedMemory() || totalmem(), 1024 ** 3),
  ],
  ["the operator's own", '536870912', 536_870_912],
])('the memory that the collector reckons with: %s', async (_, own, expected) => {
  const name = 'BUN_JSC_forceRAMSize'
  const environment = own === undefined ? {} : { [name]: own }
  await using gateway = await startGatewayProcess(
    catalogueOf({ upstream_url: 'http://127.0.0.1:9' }),
    undefined,
    {
      environment,
    },
  )
  const variables = readFileSync(`/proc/${gateway.pid}/environ`, 'utf8').split('\0')
  expect(variables.filter((variable) => variable.startsWith(name))).toEqual([`${name}=${expected}`])
})
