// The mistakes of a first hour, in real processes: none loses data, and each message names the mistake.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { endedHere } from '../../backups/support.ts'
import { commandOf } from '../../support/programs.ts'
import { folderOfFile } from '../../support/test-folder.ts'

const KEY = /tg_[A-Za-z0-9_-]{43}/

const dir = folderOfFile()

function spawn(...args: string[]) {
  return Bun.spawn([...commandOf('gateway'), ...args], {
    cwd: dir.path,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

async function tollgate(...args: string[]) {
  const ran = spawn(...args)
  const [out, err, status] = await Promise.all([ran.stdout.text(), ran.stderr.text(), ran.exited])
  return { out: out.trimEnd(), err: err.trimEnd(), status }
}

/** Starts a gateway, waits until it answers, stops it, and returns its standard error. */
async function startAndStop(...args: string[]): Promise<string> {
  const server = spawn('serve', '--listen', '127.0.0.1:0', ...args)
  let stderr = ''
  const decoder = new TextDecoder()
  for await (const chunk of server.stderr) {
    stderr += decoder.decode(chunk, { stream: true })
    if (/listens on|"started"/.test(stderr)) server.kill('SIGTERM')
  }
  expect(await server.exited).toBe(0)
  return stderr
}

describe('a first start on a port that is in use', () => {
  let other: Bun.Server<undefined>
  beforeAll(() => {
    other = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('another program') })
  })
  afterAll(() => other.stop(true))
  const data = dir.at('taken')

  test('names the address and --listen, makes no database, and ends', async () => {
    const listen = `127.0.0.1:${other.port}`
    const { status, err } = await tollgate('serve', '--data', data, '--listen', listen)
    expect(err).toBe(
      `error: Cannot listen on ${listen}: another program listens there already. Choose another address with --listen, such as --listen 127.0.0.1:8099, or with listen in [server] of tollgate.toml.`,
    )
    expect(status).toBe(1)
    expect(readdirSync(data).filter((name) => name.startsWith('tollgate.db'))).toEqual([])
  })

  test('the start after it shows the demo key, in 80 columns', async () => {
    const stderr = await startAndStop('--data', data)
    expect(stderr).toMatch(KEY)
    const lines = stderr
      .split('\n')
      .filter((line) => !line.startsWith('  catalogue') && !line.includes(dir.path))
    expect(lines.filter((line) => line.length > 80)).toEqual([])
  })

  test('a start after that names the command that makes another key, which works', async () => {
    const stderr = await startAndStop('--data', data)
    expect(stderr).not.toMatch(KEY)
    const command = `key create demo --models 'sim-*' --data ${data}`
    // The same program that runs here: from source, or as an executable.
    expect(stderr).toMatch(/^ {2}(?:npx bun@1\.4\.5 src\/main\.ts|tollgate) key create/m)
    expect(stderr).toContain(` ${command}\n`)
    const { out } = await tollgate(...command.replaceAll("'", '').split(' '))
    expect(out).toMatch(KEY)
  })

  test('a start with another account does not mention the demo account', async () => {
    await tollgate('account', 'create', 'anna', '--data', data)
    expect(await startAndStop('--data', data)).not.toContain('demo')
  })

  test('with --json a start prints the same as data', async () => {
    const [line = ''] = (await startAndStop('--data', dir.at('json'), '--json')).split('\n')
    expect(JSON.parse(line).started).toMatchObject({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      demo: { key: expect.stringMatching(KEY), model: 'sim-flash' },
    })
  })
})

test('a start on an address of another machine is refused', async () => {
  const { status, err } = await tollgate('serve', '--data', dir.at('far'), '--listen', '192.0.2.1:8080')
  expect([status, err]).toEqual([1, expect.stringContaining('this machine has no such address')])
})

test('a start without the variable of a key continues, with a warning above its banner', async () => {
  const data = dir.at('unset')
  mkdirSync(data)
  writeFileSync(
    join(data, 'tollgate.toml'),
    `[[providers]]
name = "one"
protocol = "openai"
base_url = "https://one.example"
api_keys = ["env:NOT_SET_HERE"]
[[models]]
id = "m"
kind = "text"
routes = [{ provider = "one", model = "x" }]
price = { input = 1, output = 1 }
`,
  )
  const stderr = await startAndStop('--data', data)
  expect(stderr.split('\n').slice(0, 3)).toEqual([
    `warning: ${data}/tollgate.toml:4: providers[0].base_url: has no version, which most servers of this protocol want: write "https://one.example/v1"`,
    `warning: ${data}/tollgate.toml:5: providers[0].api_keys[0]: needs the environment variable NOT_SET_HERE, which is not set: the provider "one" is disabled. Set it, and start again`,
    expect.stringContaining('listens on'),
  ])
})

describe('a data folder that is a file', () => {
  const file = dir.at('tollgate.db')
  beforeAll(() => writeFileSync(file, ''))

  const COMMANDS =
    'serve, account list, account create x, audit, models, config check, backup b.db, restore b.db'
  test.each(COMMANDS.split(', '))('tollgate %s', async (line) => {
    const args = [...line.split(' '), '--data', file]
    // Only the gateway is a process: this process runs any other command with the same output.
    const { status, out, err } = await (line === 'serve' ? tollgate(...args) : endedHere(args))
    expect([status, out]).toEqual([1, ''])
    expect(err).toBe(
      `error: ${file} is a file. Set --data or TOLLGATE_DATA to the folder with tollgate.toml and tollgate.db, such as ${dir.path}.`,
    )
  })
})

describe('a backup', () => {
  const data = dir.at('backed-up')
  beforeAll(async () => {
    await startAndStop('--data', data)
    mkdirSync(dir.at('target'))
  })

  test.each([
    ['into a missing folder', 'no/such/b.db', 'Folder not found: no/such. Create it first, or name another.'],
    ['onto a folder', 'target', 'target is a folder: name a file in it, such as target/tollgate.tar.zst.'],
    [
      'onto a file',
      'backed-up/tollgate.toml',
      'File backed-up/tollgate.toml already exists: name another one.',
    ],
  ])('%s', async (_, target, message) => {
    const { status, err } = await tollgate('backup', target, '--data', data)
    expect([status, err]).toEqual([1, `error: ${message}`])
    expect(readdirSync(dir.at('target'))).toEqual([])
  })

  test('cannot be restored from a folder', async () => {
    const { status, err } = await tollgate('restore', 'target', '--data', data)
    expect([status, err]).toEqual([
      1,
      'error: target is a folder: name the file that `tollgate backup` wrote.',
    ])
  })
})
