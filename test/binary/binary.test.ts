// The executable, alone in an empty folder with an empty environment: it starts, charges for a call, and its books are right.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Subprocess } from 'bun'
import { buildBinary, GATEWAY, START_ORDER } from '../../src/build/binary.ts'
import { gatherNotices } from '../../src/build/notices/notices.ts'
import { clientOf } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { executable } from '../support/programs.ts'
import { mayMount, mountSmallDisk } from '../support/small-disk.ts'
import { recordStart } from '../tools/start-order.ts'

/** An executable after its first start on a folder, with the content of its banner. */
interface Started {
  process: Subprocess<'ignore', 'ignore', 'pipe'>
  address: string
  demo_key: string
  demo_path: string
  /** The token of the operator's link. */
  token: string
}

let work_folder: string
let folder: string
let gateway: Started

async function start(...options: string[]): Promise<Started> {
  return startWith({}, ...options)
}

/** @param log the file for its standard output */
async function startWith(
  { env = {}, log }: { env?: Record<string, string>; log?: string },
  ...options: string[]
): Promise<Started> {
  const child = Bun.spawn(['./tollgate', 'serve', '--listen', '127.0.0.1:0', ...options], {
    cwd: folder,
    env,
    stdin: 'ignore',
    stdout: log === undefined ? 'ignore' : Bun.file(log),
    stderr: 'pipe',
  })
  const decoder = new TextDecoder()
  let banner = ''
  for await (const bytes of child.stderr) {
    banner += decoder.decode(bytes, { stream: true })
    if (banner.includes('GoogleGenAI')) break
  }
  return {
    process: child,
    address: /listens on (http:\S+)/.exec(banner)?.[1] ?? '',
    demo_key: /x-goog-api-key: (tg_[\w-]+)/.exec(banner)?.[1] ?? '',
    demo_path: /curl http:\/\/[^/]+(\/\S+)/.exec(banner)?.[1] ?? '',
    token: /\/console\/welcome#(\S+)/.exec(banner)?.[1] ?? '',
  }
}

async function stop({ process }: Started): Promise<number> {
  process.kill('SIGTERM')
  return await process.exited
}

beforeAll(async () => {
  work_folder = mkdtempSync(join(tmpdir(), 'tollgate-binary-'))
  folder = join(work_folder, 'empty')
  mkdirSync(folder)
  // In the suite, the executable of the tests' programs, which is built in the same way: a second build would take 7 seconds of CPU.
  if (executable) copyFileSync(executable, join(folder, 'tollgate'))
  else {
    await buildBinary({ ...GATEWAY, outfile: join(work_folder, 'dist/tollgate') })
    renameSync(join(work_folder, 'dist/tollgate'), join(folder, 'tollgate'))
  }
  gateway = await start()
})

afterAll(() => {
  gateway.process.kill('SIGKILL')
  rmSync(work_folder, { recursive: true, force: true })
})

const command = async (...words: string[]) => {
  const child = Bun.spawn(['./tollgate', ...words, '--json'], { cwd: folder, env: {}, stderr: 'pipe' })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { exit_code: await child.exited, stderr, answer: JSON.parse(stdout || 'null') }
}

const generate = ({ address }: Started, path: string, api_key: string) =>
  fetch(`${address}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-goog-api-key': api_key },
    body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }),
  })

describe('the executable in an empty folder', () => {
  test('prints its address, a demo key and a command to paste', () => {
    expect(gateway.address).toStartWith('http://127.0.0.1:')
    expect(gateway.demo_key).toStartWith('tg_')
    expect(gateway.demo_path).toEndWith(':generateContent')
  })

  test('creates a data folder, and nothing else beside itself', () => {
    expect(readdirSync(folder).sort()).toEqual(['data', 'tollgate'])
    expect(existsSync(join(folder, 'data/tollgate.toml'))).toBe(true)
  })

  test('takes no variables from a .env in the working directory', async () => {
    writeFileSync(join(folder, '.env'), 'TOLLGATE_DATA=elsewhere\n')
    const { stderr, answer } = await command('account', 'list')
    rmSync(join(folder, '.env'))
    expect({ stderr, names: answer?.accounts.map(({ name }: { name: string }) => name) }).toEqual({
      stderr: '',
      names: ['demo'],
    })
  })

  test('refuses a call without a key', async () => {
    const response = await generate(gateway, gateway.demo_path, '')
    expect(response.status).toBe(401)
  })

  test('makes a paid call with the demo key', async () => {
    const response = await generate(gateway, gateway.demo_path, gateway.demo_key)
    expect(response.status).toBe(200)
    const { candidates, usageMetadata } = (await response.json()) as {
      candidates: { finishReason: string }[]
      usageMetadata: { promptTokenCount: number; candidatesTokenCount: number }
    }
    expect(candidates[0]?.finishReason).toBe('STOP')
    expect(usageMetadata.promptTokenCount).toBeGreaterThan(0)
    expect(usageMetadata.candidatesTokenCount).toBeGreaterThan(0)
  })

  test('streams a paid call with the demo key', async () => {
    const path = gateway.demo_path.replace(':generateContent', ':streamGenerateContent?alt=sse')
    const response = await generate(gateway, path, gateway.demo_key)
    expect(response.status).toBe(200)
    const records = (await response.text()).trim().split(/\r?\n\r?\n/)
    expect(records.length).toBeGreaterThan(1)
    expect(records.at(-1)).toContain('usageMetadata')
  })

  test('has the pages of the console, with their compressed copies', async () => {
    const get = (path: string, coding = 'identity') =>
      fetch(`${gateway.address}${path}`, { headers: { 'accept-encoding': coding }, decompress: false })
    const page = await get('/console/calls')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    const script = /src="(\/console\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1] ?? ''
    const plain = await (await get(script)).bytes()
    const packed = await get(script, 'br')
    expect(packed.headers.get('content-encoding')).toBe('br')
    expect(packed.headers.get('cache-control')).toContain('immutable')
    expect(Buffer.compare(brotliDecompressSync(await packed.bytes()), plain)).toBe(0)
    expect((await get('/console/assets/nothing-00000000.js')).status).toBe(404)
  })

  test('has the thread that parses large bodies', async () => {
    const { address, demo_path, demo_key } = gateway
    const response = await fetch(`${address}${demo_path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': demo_key },
      body: JSON.stringify({ contents: [], unknown: Array(60_000).fill(1) }),
    })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('contents: must be an array that is not empty')
  })

  test('has the API reference, in each encoding that browsers accept', async () => {
    const page = await (await fetch(`${gateway.address}/docs`)).text()
    const [address = ''] = /\/docs\/scalar\.js\?v=\w+/.exec(page) ?? []
    const scripts = await Promise.all(
      ['br, gzip', 'gzip', 'identity'].map(async (accepted) => {
        const headers = { 'accept-encoding': accepted }
        const response = await fetch(gateway.address + address, { headers, decompress: false })
        return { encoding: response.headers.get('content-encoding'), bytes: await response.bytes() }
      }),
    )
    expect(scripts.map(({ encoding }) => encoding)).toEqual(['br', 'gzip', null])
    const [br, gzip, plain] = scripts.map(({ bytes }) => bytes)
    if (!br || !gzip || !plain) throw new Error('a copy is missing')
    expect(Buffer.from(plain.subarray(0, 1e7)).toString()).toContain('createApiReference')
    expect(Buffer.from(brotliDecompressSync(br)).equals(plain)).toBe(true)
    expect(Buffer.from(gunzipSync(gzip)).equals(plain)).toBe(true)
    expect(br.length).toBeLessThan(gzip.length)
    const document = await (await fetch(`${gateway.address}/docs/openapi.json`)).json()
    expect(document).toMatchObject({ openapi: '3.1.1' })
  })

  test('re-rates calls, and audits in a process, for the operator of the link', async () => {
    const url = new URL(gateway.address)
    const body = { token: gateway.token, password: 'a few words in a row' }
    const welcome = await clientOf({ url }).send('POST', '/links/accept', { body })
    const [cookie] = welcome.headers.get('set-cookie')?.split(';') ?? []
    const operator = clientOf({ url }, cookie)
    const price = (name: string, value: string) => ({ op: 'set', path: ['models', 0, 'price', name], value })
    const edits = [price('input', '3.00'), price('output', '25.00')]
    const { rating } = await operator.json('POST', '/catalogue/previews', { edits })
    expect(rating.all).toMatchObject({ calls: 2, unrated_calls: 0 })
    await operator.json('POST', '/books/audit')
    let books = { running_since_at_ms: 0, last: {} }
    await eventually('the audit is done', async () => {
      books = await operator.json('GET', '/books')
      return books.running_since_at_ms === null
    })
    expect(books).toMatchObject({ failure: null, last: { report: { clean: true, totals: { calls: 2 } } } })
  })

  test('has recorded both calls, which a command sees beside it', async () => {
    const { exit_code, answer } = await command('audit')
    expect(exit_code).toBe(0)
    expect(answer).toMatchObject({ clean: true, findings: [], totals: { calls: 2, pending_holds: 0 } })
    expect(answer.totals.charged_nanos).toBeGreaterThan(0)
  })

  test('ends with status 0 on SIGTERM, and leaves clean books', async () => {
    expect(await stop(gateway)).toBe(0)
    const { answer } = await command('audit')
    expect(answer).toMatchObject({ clean: true, totals: { calls: 2, pending_holds: 0, held_nanos: 0 } })
  })

  test('keeps its account after it has ended', async () => {
    const { exit_code, answer } = await command('account', 'list')
    expect(exit_code).toBe(0)
    expect(JSON.stringify(answer)).toContain('"name":"demo"')
  })

  test('has the notices of its third-party code', async () => {
    const { exit_code, answer } = await command('licenses')
    expect(exit_code).toBe(0)
    expect(answer).toEqual(JSON.parse(JSON.stringify(gatherNotices())))
  })

  test('orders most functions that a start uses: otherwise run `bun test/tools/start-order.ts`', async () => {
    const ordered = new Set(readFileSync(START_ORDER, 'utf8').split('\n'))
    const functions = (await recordStart(join(folder, 'tollgate'))).filter((line) => line.startsWith('F '))
    expect(functions.length).toBeGreaterThan(1_000)
    expect(functions.filter((line) => ordered.has(line)).length / functions.length).toBeGreaterThan(0.7)
  })

  test('refuses an unknown command with status 2', async () => {
    const { exit_code } = await command('nonsense')
    expect(exit_code).toBe(2)
  })
})

/** Expects refused images; the catalogue of a first start has image models. */
async function expectImagesRefused(name: string, env: Record<string, string>): Promise<void> {
  const data = join(work_folder, name)
  const log = join(work_folder, `${name}.log`)
  const started = await startWith({ env, log }, '--data', data)
  const post = (path: string, body: object) =>
    fetch(`${started.address}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${started.demo_key}` },
      body: JSON.stringify(body),
    })
  const refused = await post('/v1/images/generations', { model: 'sim-image', prompt: 'a house' })
  expect([refused.status, await refused.json()]).toMatchObject([
    503,
    { error: { code: 'images_unavailable' } },
  ])
  expect((await generate(started, started.demo_path, started.demo_key)).status).toBe(200)
  await eventually('the log names it', async () =>
    (await Bun.file(log).text()).includes('images cannot be decoded'),
  )
  const child = Bun.spawn(['./tollgate', 'doctor', '--only', 'images', '--json', '--data', data], {
    cwd: folder,
    env,
  })
  const report = JSON.parse(await child.stdout.text())
  expect([await child.exited, report.findings.at(-1)]).toMatchObject([1, { check: 'images', level: 'fail' }])
  expect(report.findings.at(-1).found).toContain(join(env.XDG_CACHE_HOME ?? '', 'tollgate'))
  expect(await stop(started)).toBe(0)
  const { answer } = await command('audit', '--data', data)
  expect(answer).toMatchObject({ clean: true, totals: { calls: 1, pending_holds: 0 } })
}

describe('without its image library, the executable refuses images before any request to a provider, and serves text', () => {
  test('no folder is writable', () =>
    expectImagesRefused('unwritable', { XDG_CACHE_HOME: '/dev/null', TMPDIR: '/dev/null' }))

  const NOT_TRIED = mayMount ? '' : ' (not tried: no file system may be mounted here)'
  test.skipIf(!mayMount)(`the folders forbid to run programs${NOT_TRIED}`, async () => {
    using disk = mountSmallDisk(',noexec')
    const [cache, temporary] = ['cache', 'tmp'].map((name) => join(disk.path, name))
    mkdirSync(temporary ?? '')
    // One after the other, since both do not fit on the disk.
    await expectImagesRefused('noexec', { XDG_CACHE_HOME: cache ?? '', TMPDIR: '/dev/null' })
    rmSync(cache ?? '', { recursive: true })
    await expectImagesRefused('noexec-tmp', { XDG_CACHE_HOME: '/dev/null', TMPDIR: temporary ?? '' })
  })
})
