// The relaunch of `tollgate serve` with settings of the runtime: more simultaneous upstream calls than its limit of 256, and little garbage in memory.
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

/** Calls by a client without a limit: `fetch` in this test has the limit, too. */
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
])('only `tollgate serve` relaunches itself with settings: `%s`', (line, expected) => {
  expect(isServe(line.split(' '))).toBe(expected)
})

test(`a gateway process makes ${CALLS} upstream calls at once`, async () => {
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
    '1 GB, or less in a smaller container',
    undefined,
    Math.min(process.constrainedMemory() || totalmem(), 1024 ** 3),
  ],
  ["the operator's setting", '536870912', 536_870_912],
])('the garbage collector assumes a memory of %s', async (_, own, expected) => {
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
