// kill -9 of a real server at each step between the hold and the stored, paid image, over one folder that accumulates.
// After each restart the audits of the ledger and of the files are clean, and every answer that a caller got is true.
//
// The long run: TOLLGATE_CRASH_CYCLES=1000 bun test test/images/crash.test.ts --timeout 3600000
import { afterAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { auditLibrary } from '../../src/library/audit.ts'
import { foldersIn, openLibrary } from '../../src/library/library.ts'
import { audit } from '../../src/money/ledger/audit.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import type { Generation } from '../../src/store/schema.ts'
import { type ServerProcess, startServer } from '../crash/process.ts'
import { randomFrom } from '../money/ledger/random.ts'
import { prepareDataFolder } from '../support/data-folder.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { SEED } from '../support/seed.ts'
import { COMPOSE, dataUri, EDITS, GENERATIONS, type ImagesAnswer, PNG } from './support.ts'

const CYCLES = Number(process.env.TOLLGATE_CRASH_CYCLES ?? 10)

/** Where the server kills itself; `outside` is a kill by another process, at any moment. */
const POINTS = [
  'held',
  'file.stored',
  'images.started',
  'dispatched',
  'image.written',
  'images.stored',
  'settling',
  'batch.written',
  'settled',
  'outside',
] as const
const CALLERS = 3
/** Two images a request, so that a server can die between them. */
const IMAGES = 2
const PRICE_NANOS = 40_000_000
const MAX_PASSINGS = 5
const MAX_CALLS = 25
/** A server that lives this long has not killed itself. */
const OUTLIVED_AFTER_MS = 60_000

const random = randomFrom(SEED)

const provider = Bun.serve({
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

const folder = await prepareDataFolder(
  `[server]
listen = "127.0.0.1:0"
${providerSection('provider', 'gemini', provider.url.origin, 'cooldown_ms = 0', ['the-key-of-the-provider'])}
${modelSection('crash', { provider: 'crash' }, { kind: 'image', price: 'per_image = 0.04', more: `max_n_per_request = ${IMAGES}` })}
`,
  { accounts: CALLERS, balance_usd: '100000' },
)

afterAll(async () => {
  await provider.stop(true)
  folder[Symbol.dispose]()
})

/** The images that callers received: the SHA-256 of their bytes, by UUID. */
const answered = new Map<string, string>()

/** Inconsistencies on the disk after a server has started. */
async function complaintsAfterRestart(): Promise<string[]> {
  const connection = openDatabase(folder.database_path)
  const db = dbOver(connection)
  const library = openLibrary({
    db,
    now: Date.now,
    gateway_id: 1,
    probe: () => {},
    ...foldersIn(folder.path),
  })
  const findings = [...(await audit(db)).findings, ...(await auditLibrary(library))]
  const rows = connection.query<Generation, []>('SELECT * FROM generations').all()
  const costs = new Map(
    connection
      .query<{ id: number; cost_nanos: number }, []>('SELECT id, cost_nanos FROM calls')
      .all()
      .map(({ id, cost_nanos }) => [id, cost_nanos]),
  )
  const pending = connection
    .query<{ n: number }, []>("SELECT count(*) AS n FROM holds WHERE state = 'pending'")
    .get()
  connection.close()
  const byId = new Map(rows.map((row) => [row.uuid, row]))
  const untrue = [...answered].flatMap(([uuid, sha256]) => {
    const row = byId.get(uuid)
    if (row?.state !== 'stored' || row.sha256 !== sha256) return [`${uuid} was answered and is ${row?.state}`]
    return costs.get(row.call_id) === IMAGES * PRICE_NANOS ? [] : [`${uuid} was answered and not charged`]
  })
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

/** Calls as one of the callers, until the server has died. */
async function callUntilDeath({ url }: ServerProcess, key: string, goOn: () => boolean): Promise<void> {
  let last: string | undefined
  while (goOn()) {
    const answer = await call(url ?? '', key, last).catch(() => undefined)
    if (!answer) return
    for (const [index, uuid] of answer.svc_generation_ids.entries()) {
      const bytes = Buffer.from(answer.data[index]?.b64_json ?? '', 'base64')
      answered.set(uuid, createHash('sha256').update(bytes).digest('hex'))
    }
    last = answer.svc_generation_ids[0]
  }
}

/** One of the four kinds of request, at random. @throws if the server dies before the answer is complete */
async function call(url: string, key: string, last: string | undefined): Promise<ImagesAnswer> {
  const common = { model: 'crash', prompt: 'a house', n: IMAGES }
  const authorization = `Bearer ${key}`
  const kind = random.below(4)
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
    kind === 0
      ? await json(COMPOSE, { image_urls: [dataUri(PNG)] })
      : kind === 1 && last
        ? await json(EDITS, { generation_id: last })
        : kind === 2
          ? await json(GENERATIONS, {})
          : await sendForm()
  if (response.status !== 200) throw new Error(await response.text())
  return (await response.json()) as ImagesAnswer
}

/** One life of a server: it starts over what the last one left, is checked, is called, and dies at this point. */
async function live(point: string, passing: number): Promise<string[]> {
  const server = await startServer(folder.path, point, passing)
  const complaints = server.url === undefined ? [] : await complaintsAfterRestart()
  let calls = 0
  const goOn = () => {
    calls += 1
    if (point === 'outside' && calls > passing) server.child.kill('SIGKILL')
    return calls < MAX_CALLS * CALLERS
  }
  if (server.url !== undefined) await Promise.all(folder.keys.map((key) => callUntilDeath(server, key, goOn)))
  const outlived = await Promise.race([
    server.child.exited.then(() => false),
    Bun.sleep(OUTLIVED_AFTER_MS).then(() => true),
  ])
  if (outlived) server.child.kill('SIGKILL')
  await server.child.exited
  if (outlived || server.child.signalCode !== 'SIGKILL')
    complaints.push(
      `was not killed, but: ${await server.complaints} ${JSON.stringify(server.lines.slice(-3))}`,
    )
  return complaints
}

test(`${CYCLES} crashes leave no image without its row, no row without its image, and no answer untrue`, async () => {
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const point = POINTS[cycle % POINTS.length] ?? 'outside'
    const passing = 1 + random.below(MAX_PASSINGS)
    const complaints = await live(point, passing)
    const about = { seed: SEED, cycle, point, passing }
    expect({ ...about, complaints }).toEqual({ ...about, complaints: [] })
  }
  const last = await startServer(folder.path, 'none', 1)
  const complaints = await complaintsAfterRestart()
  last.child.kill('SIGTERM')
  expect({ seed: SEED, complaints, exit_code: await last.child.exited }).toEqual({
    seed: SEED,
    complaints: [],
    exit_code: 0,
  })
  // A run in which no caller got an answer would prove little.
  expect(answered.size).toBeGreaterThan(0)
}, 3_600_000)
