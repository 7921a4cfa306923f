// Failures with --json: one JSON object on standard error, nothing on standard output, for every command.
import { describe, expect, test } from 'bun:test'
import { appendFileSync } from 'node:fs'
import { takeLock } from '../../../src/store/lock.ts'
import { createScene, sceneOfFile } from './scene.ts'

const scene = sceneOfFile()
await scene.run('account', 'create', 'anna')

async function failing(line: string) {
  const { status, out, err } = await scene.run(...line.split(' ').filter(Boolean), '--json')
  expect(out).toBe('')
  expect(err.split('\n')).toHaveLength(1)
  const { error, ...more } = JSON.parse(err)
  expect(more).toEqual({})
  expect(Object.keys(error).sort()).toEqual(['code', 'exit_status', 'message'])
  expect(error.exit_status).toBe(status)
  return error
}

describe('a command that fails has status 1', () => {
  const cases: [line: string, code: string, message: string][] = [
    ['serve', 'failed', 'not in this test'],
    ['account create anna', 'invalid_request', 'Account "anna" already exists.'],
    ['account show bert', 'not_found', 'Account "bert" not found'],
    ['account suspend bert', 'not_found', 'Account "bert" not found'],
    ['account resume bert', 'not_found', 'Account "bert" not found'],
    ['credit bert 5', 'not_found', 'Account "bert" not found'],
    ['debit anna 5', 'unprocessable', 'Not enough available balance'],
    ['key create bert', 'not_found', 'Account "bert" not found'],
    ['key list bert', 'not_found', 'Account "bert" not found'],
    ['key revoke 9', 'not_found', 'Key "9" not found'],
    ['key rotate 9', 'not_found', 'Key "9" not found'],
    ['usage --account bert', 'not_found', 'Account "bert" not found'],
    ['providers test nobody', 'not_found', 'Provider "nobody" not found'],
    ['backup no/such/b.db', 'not_found', 'Folder not found: no/such'],
    ['restore no.db', 'not_found', 'File not found: no.db'],
  ]
  test.each(cases)('tollgate %s: %s', async (line, code, message) => {
    expect(await failing(line)).toEqual({ code, message: expect.stringContaining(message), exit_status: 1 })
  })

  test('a restore into the data folder of a running gateway', async () => {
    const unlock = takeLock(scene.path('serve.lock'))
    expect(await failing('restore x.db')).toMatchObject({ code: 'conflict' })
    unlock?.()
  })

  test.each(['account list', 'key list', 'usage', 'audit', 'backup b.db'])(
    'tollgate %s, without a database',
    async (line) => {
      using empty = createScene('nothing')
      const { status, out, err } = await empty.run(...line.split(' '), '--json')
      expect([status, out]).toEqual([1, ''])
      expect(JSON.parse(err)).toMatchObject({ error: { code: 'not_found', exit_status: 1 } })
    },
  )

  test('`models` and `providers test` list the mistakes of a catalogue, a line each', async () => {
    const bad = createScene()
    appendFileSync(bad.path('tollgate.toml'), '\n[[models]]\nid = 1\n')
    for (const line of ['models', 'providers test']) {
      const { status, out, err } = await bad.run(...line.split(' '), '--json')
      expect([status, out]).toEqual([1, ''])
      expect(JSON.parse(err).error).toMatchObject({
        code: 'unprocessable',
        message: expect.stringMatching(/^The catalogue has mistakes:\n.*tollgate\.toml:\d+: models\[/),
      })
    }
    bad.remove()
  })
})

describe('wrong usage has status 2', () => {
  test.each([
    ['', 'Name a command: --help lists them.'],
    ['acount list', "unknown command 'acount' (Did you mean account?)"],
    ['account', 'Name a command: --help lists them.'],
    ['providers', 'Name a command: --help lists them.'],
    ['account create', "missing required argument 'name'"],
    ['account list --verbose', "unknown option '--verbose'"],
    ['credit anna $5', '"$5" is not an amount in USD'],
    ['key create anna --expires soon', 'Write a date such as'],
    ['serve --listen nowhere', 'Write address:port'],
    ['usage --limit 0', 'a whole number from 1 to 1000'],
    ['providers test --image', "unknown option '--image'"],
  ])('tollgate %s', async (line, message) => {
    const error = await failing(line)
    expect(error).toEqual({ code: 'usage', message: expect.stringContaining(message), exit_status: 2 })
    expect(error.message).not.toStartWith('error:')
  })

  test('--json after -- is an argument, not the option', async () => {
    const { status, err } = await scene.run('account', 'show', '--', '--json')
    expect(status).not.toBe(0)
    expect(err).toStartWith('error: ')
  })
})

test('a warning is JSON on standard error, beside the result', async () => {
  const { status, out, err } = await scene.run('key', 'create', 'anna', '--models', 'none-*', '--json')
  expect(status).toBe(0)
  expect(JSON.parse(out).models).toEqual(['none-*'])
  expect(JSON.parse(err)).toEqual({
    warning: 'no model of the catalogue matches none-* (see `tollgate models`)',
  })
})

test('a report of mistakes goes to standard output, with status 1', async () => {
  const bad = createScene()
  appendFileSync(bad.path('tollgate.toml'), '\n[[models]]\nid = 1\n')
  const { status, out, err } = await bad.run('config', 'check', '--json')
  expect([status, JSON.parse(out).ok, err]).toEqual([1, false, ''])
  bad.remove()
})
