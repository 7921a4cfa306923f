// kill -9 of a real server at each step between the hold and the stored, paid image, over one folder that accumulates.
// After each restart the ledger's audit and the comparison of files with rows are clean, and what any caller was told is true.
//
// The long run: TOLLGATE_CRASH_CYCLES=1000 bun test test/images/crash.test.ts --timeout 3600000
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccount } from '../../src/access/accounts.ts'
import { createKey } from '../../src/access/keys.ts'
import { openDatabase } from '../../src/db/open.ts'
import type { Generation } from '../../src/db/schema.ts'
import { NANOS_PER_USD } from '../../src/domain/money.ts'
import { audit } from '../../src/ledger/audit.ts'
import { createWriter } from '../../src/ledger/writer.ts'
import { auditLibrary } from '../../src/library/audit.ts'
import { openLibrary } from '../../src/library/library.ts'
import { type ServerProcess, startServer } from '../crash/process.ts'
import { randomFrom } from '../ledger/random.ts'
import { COMPOSE, dataUri, EDITS, GENERATIONS, type ImagesAnswer, PNG } from './world.ts'

const CYCLES = Number(process.env.TOLLGATE_CRASH_CYCLES ?? 60)
const SEED = Number(process.env.TOLLGATE_SEED ?? Math.floor(Math.random() * 2 ** 32))

/** Where the server ends itself; `outside` is a kill by another process, at any moment. */
const POINTS = [
  'held',
  'file.stored',
  'images.begun',
  'dispatched',
  'image.written',
  'images.stored',
  'settling',
  'commit.written',
  'settled',
  'outside',
] as const
const CALLERS = 3
/** Two images a call, so that a server can die between them. */
const IMAGES = 2
const PRICE_NANOS = 40_000_000
const MAX_PASSINGS = 5
const MAX_CALLS = 25

const random = randomFrom(SEED)
const folder = mkdtempSync(join(tmpdir(), 'tollgate-images-'))
const database_path = join(folder, 'tollgate.db')
const keys: string[] = []

const vendor = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: () =>
    Response.json({
      candidates: [
        {
          content: { parts: [{ inlineData: { mimeType: 'image/png', data: PNG.toString('base64') } }] },
          finishReason: 'STOP',
        },
      ],
    }),
})

beforeAll(async () => {
  await Bun.write(
    join(folder, 'tollgate.toml'),
    `[server]
listen = "127.0.0.1:0"
ledger_writer = "inline"

[[providers]]
name = "vendor"
protocol = "gemini"
base_url = "${vendor.url.origin}"
api_keys = ["the-key-of-the-vendor"]
cooldown_ms = 0

[[models]]
id = "crash"
kind = "image"
max_n_per_request = ${IMAGES}
routes = [{ provider = "vendor", model = "crash" }]
price = { per_image = 0.04 }
`,
  )
  const db = openDatabase(database_path)
  const now_ms = Date.now()
  const settings = { models: null, spend_limit_nanos: null, addresses: null, expires_at_ms: null }
  const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
  for (let caller = 0; caller < CALLERS; caller++) {
    const { id, name } = createAccount(db, { name: `caller-${caller}`, now_ms })
    keys.push(createKey(db, name, { name: 'key', ...settings }, { randomBytes, now_ms }).text)
    createWriter(db).commit([
      { op: 'top_up', account_id: id, amount_nanos: 100_000 * NANOS_PER_USD, note: '', now_ms },
    ])
  }
  db.close()
})

afterAll(async () => {
  await vendor.stop(true)
  rmSync(folder, { recursive: true, force: true })
})

/** What callers were told: each image that was answered, by its UUID, with the SHA-256 of its bytes. */
const told = new Map<string, string>()

/** Looks at what a server that has just started found and left on the disk. */
async function complaintsAfterRestart(): Promise<string[]> {
  const db = openDatabase(database_path)
  const library = openLibrary({ db, now: Date.now, probe: () => {}, data_folder: folder })
  const findings = [...audit(db).findings, ...(await auditLibrary(library))]
  const rows = db.query<Generation, []>('SELECT * FROM generations').all()
  const costs = new Map(
    db
      .query<{ id: number; cost_nanos: number }, []>('SELECT id, cost_nanos FROM calls')
      .all()
      .map(({ id, cost_nanos }) => [id, cost_nanos]),
  )
  const pending = db.query<{ n: number }, []>("SELECT count(*) AS n FROM holds WHERE state = 'pending'").get()
  db.close()
  const byId = new Map(rows.map((row) => [row.uuid, row]))
  const untrue = [...told].flatMap(([uuid, sha256]) => {
    const row = byId.get(uuid)
    if (row?.state !== 'stored' || row.sha256 !== sha256) return [`told ${uuid}, which is ${row?.state}`]
    return costs.get(row.call_id) === IMAGES * PRICE_NANOS ? [] : [`told ${uuid}, which was not charged`]
  })
  // Paid for, and yet not there.
  const lost = rows
    .filter(({ state, call_id }) => state !== 'stored' && (costs.get(call_id) ?? 0) > 0)
    .map(({ uuid }) => `${uuid} was charged and is not stored`)
  const unfinished = rows
    .filter(({ state }) => state === 'generating')
    .map(({ uuid }) => `${uuid} is under way`)
  return [
    ...findings.map((finding) => JSON.stringify(finding)),
    ...untrue,
    ...lost,
    ...unfinished,
    ...(pending?.n === 0 ? [] : [`${pending?.n} holds are pending`]),
  ]
}

/** Calls as one of the callers, until the server is gone. */
async function callUntilDeath({ url }: ServerProcess, key: string, goOn: () => boolean): Promise<void> {
  let last: string | undefined
  while (goOn()) {
    const answer = await call(url ?? '', key, last).catch(() => undefined)
    if (!answer) return
    for (const [index, uuid] of answer.svc_generation_ids.entries()) {
      const bytes = Buffer.from(answer.data[index]?.b64_json ?? '', 'base64')
      told.set(uuid, createHash('sha256').update(bytes).digest('hex'))
    }
    last = answer.svc_generation_ids[0]
  }
}

/** One of the four sorts of request. @throws where the server dies before the answer is whole */
async function call(url: string, key: string, last: string | undefined): Promise<ImagesAnswer> {
  const common = { model: 'crash', prompt: 'a house', n: IMAGES }
  const authorization = `Bearer ${key}`
  const sort = random.below(4)
  const json = (path: string, body: object) =>
    fetch(new URL(path, url), {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ ...common, ...body }),
    })
  const sendForm = () => {
    const form = new FormData()
    for (const [name, value] of Object.entries(common)) form.set(name, String(value))
    form.set('image', new File([PNG], 'house.png'))
    return fetch(new URL(EDITS, url), { method: 'POST', headers: { authorization }, body: form })
  }
  const response =
    sort === 0
      ? await json(COMPOSE, { image_urls: [dataUri(PNG)] })
      : sort === 1 && last
        ? await json(EDITS, { generation_id: last })
        : sort === 2
          ? await json(GENERATIONS, {})
          : await sendForm()
  if (response.status !== 200) throw new Error(await response.text())
  return (await response.json()) as ImagesAnswer
}

/** One life of a server: it starts over what the last one left, is checked, is called, and dies at the point. */
async function live(point: string, passing: number): Promise<string[]> {
  const server = await startServer(folder, point, passing)
  const complaints = server.url === undefined ? [] : await complaintsAfterRestart()
  let calls = 0
  const goOn = () => {
    calls += 1
    if (point === 'outside' && calls > passing) server.child.kill('SIGKILL')
    return calls < MAX_CALLS * CALLERS
  }
  if (server.url !== undefined) await Promise.all(keys.map((key) => callUntilDeath(server, key, goOn)))
  const outlived = await Promise.race([
    server.child.exited.then(() => false),
    Bun.sleep(20_000).then(() => true),
  ])
  if (outlived) server.child.kill('SIGKILL')
  await server.child.exited
  if (outlived || server.child.signalCode !== 'SIGKILL')
    complaints.push(
      `was not killed, but: ${await server.complaints} ${JSON.stringify(server.lines.slice(-3))}`,
    )
  return complaints
}

test(`${CYCLES} crashes leave no image without its row, no row without its image, and nothing untrue`, async () => {
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const point = POINTS[cycle % POINTS.length] ?? 'outside'
    const passing = 1 + random.below(MAX_PASSINGS)
    const complaints = await live(point, passing)
    const about = { seed: SEED, cycle, point, passing }
    expect({ ...about, complaints }).toEqual({ ...about, complaints: [] })
  }
  const last = await startServer(folder, 'none', 1)
  const complaints = await complaintsAfterRestart()
  last.child.kill('SIGTERM')
  expect({ seed: SEED, complaints, exit_code: await last.child.exited }).toEqual({
    seed: SEED,
    complaints: [],
    exit_code: 0,
  })
  // A run in which nobody was ever answered would prove little.
  expect(told.size).toBeGreaterThan(CYCLES / 4)
}, 3_600_000)
