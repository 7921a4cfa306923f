// The program as a process: a first start, commands beside the gateway, signals, and the command line.
import { beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandOf } from '../../support/programs.ts'
import { folderOfFile } from '../../support/test-folder.ts'

const PROMPT = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] })

const dir = folderOfFile()
const data = dir.at('data')
const environment = (other: Record<string, string>) => ({ ...process.env, ...other })

async function tollgate(args: string[], env: Record<string, string> = { TOLLGATE_DATA: data }) {
  const ran = Bun.spawn([...commandOf('gateway'), ...args], {
    cwd: dir.path,
    env: environment(env),
    stderr: 'pipe',
  })
  const [out, err, status] = await Promise.all([ran.stdout.text(), ran.stderr.text(), ran.exited])
  return { status, out: out.trimEnd(), err: err.trimEnd() }
}

interface Serving {
  server: Bun.Subprocess<'ignore', 'pipe', 'pipe'>
  banner: string
  url: string
}

/** Starts a gateway and waits for its banner, after which it accepts calls. */
async function serve(): Promise<Serving> {
  const server = Bun.spawn([...commandOf('gateway'), 'serve', '--listen', '127.0.0.1:0', '--data', data], {
    cwd: dir.path,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let banner = ''
  for await (const chunk of server.stderr) {
    banner += new TextDecoder().decode(chunk)
    if (/ {2}data .*\n/.test(banner)) break
  }
  return { server, banner, url: /listens on (\S+)/.exec(banner)?.[1] ?? '' }
}

async function stop({ server }: Serving, signal: NodeJS.Signals = 'SIGTERM') {
  server.kill(signal)
  return { status: await server.exited, log: await server.stdout.text() }
}

const call = (url: string, key: string) =>
  fetch(`${url}/v1beta/models/sim-flash:generateContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': key, 'content-type': 'application/json' },
    body: PROMPT,
  })

describe('a first start', () => {
  let serving: Serving
  let demo_key: string
  beforeAll(async () => {
    serving = await serve()
    demo_key = /tg_[A-Za-z0-9_-]{43}/.exec(serving.banner)?.[0] ?? ''
  })

  test.skipIf(Bun.which('curl') === null)(
    'prints a key and a command to paste that makes a paid call',
    async () => {
      const line = serving.banner
        .slice(serving.banner.indexOf('  curl '), serving.banner.indexOf('Or with'))
        .trim()
      const pasted = Bun.spawn(['sh', '-c', `${line} --silent --fail`])
      expect(JSON.parse(await pasted.stdout.text())).toMatchObject({ candidates: [{ finishReason: 'STOP' }] })
      const { out } = await tollgate(['usage', '--json'])
      expect(JSON.parse(out).calls).toMatchObject([{ account: 'demo', outcome: 'completed', status: 200 }])
    },
  )

  test('stores its key in no file of the data folder', () => {
    for (const file of ['tollgate.db', 'tollgate.db-wal', 'tollgate.toml']) {
      expect(readFileSync(join(data, file)).includes(demo_key)).toBeFalse()
    }
  })

  test('commands work beside the gateway, which sees their changes', async () => {
    await tollgate(['account', 'create', 'anna'])
    const { out: key } = await tollgate(['key', 'create', 'anna', '--models', 'sim-*'])
    expect((await call(serving.url, key)).status).toBe(402)
    await tollgate(['credit', 'anna', '1'])
    expect((await call(serving.url, key)).status).toBe(200)
    expect((await tollgate(['audit'])).status).toBe(0)
    expect((await tollgate(['backup', 'b.db'])).status).toBe(0)
    expect((await tollgate(['account', 'invite', 'anna'])).out).toStartWith(
      `${serving.url}/console/invitation#`,
    )
  })

  test('a second gateway on the same folder is refused', async () => {
    const { status, err } = await tollgate(['serve', '--listen', '127.0.0.1:0'])
    expect(status).toBe(1)
    expect(err).toContain('Another gateway is serving')
  })

  test('a restore is refused while the gateway runs', async () => {
    const { status, err } = await tollgate(['restore', 'b.db'])
    expect(status).toBe(1)
    expect(err).toContain('stop it first')
  })

  test('SIGTERM ends the gateway with status 0; its log is JSON lines on standard output, without the key', async () => {
    const { status, log } = await stop(serving)
    expect(status).toBe(0)
    expect(existsSync(join(data, 'serve.address'))).toBe(false)
    expect(log).not.toContain(demo_key)
    const messages = log
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).message)
    expect(messages).toContain('call')
    expect(messages.at(-1)).toBe('stopped')
  })

  test('a second start creates no account, and shows no key', async () => {
    const again = await serve()
    expect(again.banner).not.toContain('tg_')
    expect((await call(again.url, demo_key)).status).toBe(200)
    expect((await stop(again, 'SIGINT')).status).toBe(0)
  })

  test('once it is stopped, `restore --to` fills a new folder, and the folder in use is unchanged', async () => {
    const balanceIn = async (...flags: string[]) =>
      JSON.parse((await tollgate(['account', 'show', 'demo', '--json', ...flags])).out).balance_nanos
    const before = await balanceIn()
    const { status } = await tollgate(['restore', 'b.db', '--to', 'restored'])
    expect(status).toBe(0)
    expect(await balanceIn()).toBe(before)
    expect(await balanceIn('--data', 'restored')).toBeGreaterThan(before)
    expect((await tollgate(['audit', '--data', 'restored'])).status).toBe(0)
  })
})

describe('the command line', () => {
  test('--data takes precedence over TOLLGATE_DATA, and both over ./data', async () => {
    const { err } = await tollgate(['--data', 'flag', 'account', 'list'], { TOLLGATE_DATA: 'variable' })
    expect(err).toContain(join('flag', 'tollgate.db'))
    expect((await tollgate(['account', 'list'], { TOLLGATE_DATA: 'variable' })).err).toContain('variable')
    expect((await tollgate(['account', 'list'], { TOLLGATE_DATA: '' })).out).toContain('demo')
    expect(existsSync(dir.at('flag'))).toBeFalse()
  })

  test.each([
    [['--help'], 'Usage: tollgate'],
    [['help', 'serve'], 'SIGTERM'],
    [['--version'], '.'],
  ])('%p answers on standard output, with status 0', async (args, text) => {
    const { status, out, err } = await tollgate(args)
    expect([status, err]).toEqual([0, ''])
    expect(out).toContain(text)
  })

  test('times are in the time zone of the process', async () => {
    const zoned = (zone: string) => tollgate(['account', 'list'], { TOLLGATE_DATA: data, TZ: zone })
    expect((await zoned('Asia/Kolkata')).out).toMatch(/T\d\d:\d\d:\d\d\+05:30/)
    expect((await zoned('America/St_Johns')).out).toMatch(/T\d\d:\d\d:\d\d-0[23]:30/)
  })

  test.each([
    [['serve', '--listen', '192.0.2.1:0', '--data', 'elsewhere']],
    [['serve', '--data', join('b.db', 'data')]],
  ])('%p: an error message without a stack, and status 1', async (args) => {
    const { status, err } = await tollgate(args)
    expect(status).toBe(1)
    expect(err).toStartWith('error: ')
    expect(err).not.toContain('    at ')
  })
})
