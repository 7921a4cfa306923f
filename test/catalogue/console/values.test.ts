// Single values of the catalogue, saved by forms: beside other changes of the file, never over a value that somebody changed meanwhile.
import { beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { telemetry_section } from '../../../plugins/metrics/settings.ts'
import { FIRST_CATALOGUE } from '../../../src/catalogue/first.ts'
import { fileConsole } from '../../support/console.ts'
import { signedIn } from '../../support/console-session.ts'

const BACKUP = `
[backup]
at = "03:00"
folder = "elsewhere"
`
const { gateway } = await fileConsole({ catalogue: FIRST_CATALOGUE + BACKUP })
const [anna, berta] = [await signedIn(gateway, 'operator'), await signedIn(gateway, 'operator')]
await gateway.account('alice')
const holder = await signedIn(gateway, { account: 'alice' })
const file = () => readFileSync(join(gateway.data_folder, 'tollgate.toml'), 'utf8')
const before = file()
/** Lines of the file before that it no longer has. */
const lost = () => before.split('\n').filter((line) => !file().includes(line))
const inForce = () => gateway.started.catalogue()

interface Change {
  path: (string | number)[]
  value?: unknown
  was?: unknown
}
const sendValues = (client: typeof anna, ...values: Change[]) =>
  client.send('POST', '/catalogue/values', { body: { values } })
async function refusal(client: typeof anna, ...values: Change[]) {
  const response = await sendValues(client, ...values)
  const { error } = (await response.json()) as { error: Record<string, unknown> }
  return { ...error, status: response.status, message: String(error.message) }
}

beforeEach(() => gateway.recatalogue(before))

const RATE = ['limits', 'accounts', 'alice', 'requests_per_minute']

describe('values are saved', () => {
  test.each([
    [['server', 'log_level'], 'warn', () => inForce().server.log_level],
    [['server', 'trusted_proxies'], ['10.0.0.0/8'], () => inForce().server.trusted_proxies],
    [['limits', 'account', 'tokens_per_minute'], 9_000, () => inForce().limits.account?.tokens_per_minute],
    [RATE, 60, () => inForce().limits.accounts?.alice?.requests_per_minute],
    [
      ['limits', 'keys', 'sk-...aB3d', 'concurrent_calls'],
      2,
      () => inForce().limits.keys?.['sk-...aB3d']?.concurrent_calls,
    ],
    [['responses', 'store'], false, () => inForce().responses.store],
    [['responses', 'days'], 10, () => inForce().responses.days],
    [['limits', 'images_per_minute'], 12, () => inForce().limits.images_per_minute],
    [['console', 'idle_hours'], 12, () => inForce().console.idle_hours],
    [['retention', 'traces'], 30, () => inForce().retention.traces],
    [['telemetry', 'sample'], 0.5, () => telemetry_section.of(inForce()).sample],
  ] as const)('%p, and taken out again', async (path, value, is) => {
    const first = is()
    expect((await sendValues(anna, { path: [...path], value })).status).toBe(200)
    expect(is()).toEqual(value as never)
    expect(lost()).toEqual([])
    expect((await sendValues(anna, { path: [...path], was: value })).status).toBe(200)
    expect(is()).toEqual(first as never)
  })

  test('several at once, over another change of the file, comments and all', async () => {
    await gateway.recatalogue(`# Ours.\n${before}`)
    const answer = await anna.json('POST', '/catalogue/values', {
      values: [
        { path: ['backup', 'at'], value: '04:30', was: '03:00' },
        { path: ['server', 'listen'], value: '127.0.0.1:9999', was: '127.0.0.1:8080' },
      ],
    })
    expect(answer.waiting_for_restart).toEqual(['server.listen'])
    expect(file().startsWith('# Ours.\n')).toBe(true)
    expect(file().endsWith('at = "04:30"\nfolder = "elsewhere"\n')).toBe(true)
  })

  test('two people at once change two values, and both hold', async () => {
    const both = await Promise.all([
      sendValues(anna, { path: ['limits', 'images_per_minute'], value: 7 }),
      sendValues(berta, { path: ['limits', 'reads_per_minute'], value: 8 }),
    ])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(inForce().limits).toMatchObject({ images_per_minute: 7, reads_per_minute: 8 })
  })

  test('the audit log names the section', async () => {
    await sendValues(anna, { path: RATE, value: 61 })
    const { actions } = await anna.json('GET', '/audit-log')
    expect(JSON.stringify(actions[0])).toContain('limits')
  })
})

describe('a save is refused', () => {
  const at = (path: Change['path'], value: unknown, was?: unknown): Change => ({ path, value, was })

  test('over a value that somebody changed: 409 with both', async () => {
    await sendValues(berta, at(RATE, 10))
    const both = [at(['server', 'log_level'], 'error'), at(RATE, 20)]
    expect(await refusal(anna, ...both)).toMatchObject({
      status: 409,
      code: 'changed_meanwhile',
      param: RATE.join('.'),
      changed: [{ field: RATE.join('.'), is: 10 }],
    })
    expect(inForce().server.log_level).toBe('info')
    expect((await sendValues(anna, at(RATE, 20, 10))).status).toBe(200)
  })

  test.each([
    ['a mistake, at its field', at(['server', 'log_level'], 'loud'), 422, 'server.log_level', /^Must be/],
    [
      'a mistake in an element',
      at(['server', 'trusted_proxies'], ['10.0.0.0/8', '']),
      422,
      'server.trusted_proxies',
      /IP address/,
    ],
    ['a text in place of a number', at(RATE, 'many'), 422, RATE.join('.'), /whole number/],
    ['too few images', at(['limits', 'images_per_minute'], 0), 422, 'limits.images_per_minute', /1 to 10000/],
    ['too short a session', at(['console', 'idle_hours'], 0), 422, 'console.idle_hours', /1 to 8760/],
    ['no days of responses', at(['responses', 'days'], 0), 422, 'responses.days', /1 to 3650/],
    ['negative days', at(['retention', 'traces'], -1), 422, 'retention.traces', /0 to 36500/],
    ['a share above the whole', at(['telemetry', 'sample'], 2), 422, 'telemetry.sample', /0 to 1/],
    ['no time', at(['backup', 'at'], '25:00', '03:00'), 422, 'backup.at', /time of the day in UTC/],
    ['an unknown setting', at(['server', 'nothing'], 1), 422, 'server.nothing', /./],
    ['two schedules', at(['backup', 'every'], '24h'), 422, 'backup.at', /^Must be left out/],
    [
      'the place of backups',
      at(['backup', 'folder'], '/tmp', 'elsewhere'),
      422,
      'values',
      /in the file on the server/,
    ],
    ['the number of kept backups', at(['backup', 'keep'], 1), 422, 'values', /in the file on the server/],
    [
      'variables of the environment',
      at(['server', 'env_names'], ['*']),
      422,
      'server.env_names',
      /in the file on the server/,
    ],
    ['the database', at(['storage', 'database'], 'postgres://h/d'), 422, 'values', /migrate/],
    ['a value that TOML cannot write', at(RATE, null), 400, 'edits[0].value', /must be text/],
    ['no path', at([], 1), 400, 'values[0].path', /./],
  ])('%s', async (_, change, status, param, words) => {
    const refused = await refusal(anna, change)
    expect(refused).toMatchObject({ status, param })
    expect(refused.message).toMatch(words)
    expect(file() === before).toBe(true)
  })

  test('by an account holder', async () => {
    expect(await refusal(holder, at(RATE, 1_000))).toMatchObject({ status: 403 })
    expect(file() === before).toBe(true)
  })

  test('without values', async () => {
    expect(await refusal(anna)).toMatchObject({ status: 400 })
  })
})
