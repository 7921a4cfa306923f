// Rounds of calls that end while the disk is full, with counts of delivered and charged answers.
import { join } from 'node:path'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { paint } from '../media/support.ts'
import { catalogueOf, PICTURE } from './catalogue.ts'
import { prepareDataFolder } from './data-folder.ts'
import { eventually } from './eventually.ts'
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts'
import { answer, ask, piece, streamPath, usage, wholePath } from './native.ts'
import { mountSmallDisk, type SmallDisk } from './small-disk.ts'
import { type Answer, startUpstream, stream, type UpstreamRequest, whole } from './upstream.ts'

interface Rounds {
  /** Answers that reached the caller, at least in part. */
  delivered: number
  /** The request IDs of delivered answers without a charge. */
  unpaid: string[]
  /** Answers, or ends of answers, that the gateway withheld because it could not record them. */
  withheld: number
  /** Refusals other than with the surface's overload answer. */
  wrong: string[]
  /** The longest time in milliseconds from freeing the disk until the gateway was ready. */
  recovery_ms: number
  /** The number of audit findings at the end. */
  findings: number
}

const STREAMS = 3
const CALLS = STREAMS + 3
/** An account may request 30 images a minute, and a round can take less than two seconds. */
const ROUNDS_PER_ACCOUNT = 25

interface Round {
  gateway: GatewayProcess
  key: string
  disk: SmallDisk
  /** Resolves when all calls have reached the upstream. */
  allReceived: () => Promise<unknown>
  /** Lets all answers end. */
  release: () => void
}

interface CallResult {
  request_id: string
  status: number
  text: string
  delivered: boolean
  refused: boolean
}

/** Runs rounds against one gateway process whose data folder is on its own small disk. */
export async function fillDiskInRounds(rounds: number, writer: 'inline' | 'thread'): Promise<Rounds> {
  using disk = mountSmallDisk()
  const picture = whole(drawing(await paint('png')))
  let released = Promise.withResolvers<void>()
  const script = async ({ path, body }: UpstreamRequest): Promise<Answer> => {
    const { promise } = released
    if (path.includes(':stream'))
      return stream(
        { event: piece('Once', { usageMetadata: usage(10, 1) }) },
        { wait: promise },
        { event: answer() },
      )
    await promise
    return body.includes('Draw') ? picture : whole(answer())
  }
  await using upstream = await startUpstream(script)
  const catalogue = catalogueOf({ upstream_url: upstream.url }).replace('"inline"', `"${writer}"`)
  const folder = await prepareDataFolder(catalogue, {
    parent_folder: disk.path,
    accounts: Math.ceil(rounds / ROUNDS_PER_ACCOUNT),
  })
  await using gateway = await startGatewayProcess(catalogue, folder)
  const total: Rounds = { delivered: 0, unpaid: [], withheld: 0, wrong: [], recovery_ms: 0, findings: 0 }
  for (let at = 0; at < rounds; at++) {
    released = Promise.withResolvers<void>()
    const { resolve: release } = released
    const total_calls = upstream.requests.length + CALLS
    const key = folder.keys[Math.floor(at / ROUNDS_PER_ACCOUNT)] ?? ''
    await playRound(
      { gateway, key, disk, allReceived: () => upstream.waitForRequest(total_calls), release },
      total,
    )
  }
  total.findings = (await gateway.findings()).length
  return total
}

async function playRound(round: Round, total: Rounds): Promise<void> {
  const { gateway, disk, allReceived, release } = round
  const first_bytes = Array.from({ length: STREAMS }, () => Promise.withResolvers<void>())
  const calls = [
    ...first_bytes.map(({ resolve }) => call(round, streamPath(), ask(), {}, resolve)),
    call(round, wholePath(), ask()),
    call(round, wholePath(), ask(), { 'idempotency-key': crypto.randomUUID() }),
    call(round, '/v1/images/generations', { model: PICTURE, prompt: 'Draw a cat.' }),
  ]
  await allReceived()
  await Promise.all(first_bytes.map(({ promise }) => promise))
  truncateLog(gateway)
  await disk.fill()
  release()
  const results = await Promise.all(calls)
  // New calls; each starts with a different write.
  const new_calls = [
    call(round, wholePath(), ask()),
    call(round, wholePath(), ask(), { 'idempotency-key': crypto.randomUUID() }),
  ]
  const later = await Promise.all(new_calls)
  disk.free()
  const freed_ms = performance.now()
  await eventually('ready again', async () => (await fetch(new URL('/readyz', gateway.url))).ok)
  total.recovery_ms = Math.max(total.recovery_ms, performance.now() - freed_ms)
  await eventually('all is settled', () => gateway.books().holds.every(({ state }) => state !== 'pending'))
  const paid = new Set(
    gateway.books().calls.flatMap(({ request_id, cost_nanos }) => (cost_nanos > 0 ? [request_id] : [])),
  )
  for (const { request_id, status, text, delivered, refused } of [...results, ...later]) {
    if (delivered) total.delivered += 1
    if (delivered && !paid.has(request_id)) total.unpaid.push(request_id)
    if (refused) total.withheld += 1
    if (status !== 200 && status !== 503) total.wrong.push(`${request_id}: ${status} ${text}`)
  }
}

/** Truncates the log, so that the next commit needs disk space. SQLite would overwrite a longer log in place. */
function truncateLog({ data_folder }: GatewayProcess): void {
  const db = openDatabase(join(data_folder, 'tollgate.db'))
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

async function call(
  { gateway: { url }, key }: Pick<Round, 'gateway' | 'key'>,
  path: string,
  body: object,
  headers: Record<string, string> = {},
  onFirstBytes = () => {},
): Promise<CallResult> {
  const response = await fetch(new URL(path, url), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  let text = ''
  for await (const bytes of response.body ?? []) {
    text += Buffer.from(bytes).toString()
    onFirstBytes()
  }
  const { status } = response
  return {
    request_id: response.headers.get('x-request-id') ?? '',
    status,
    text,
    delivered: status === 200,
    refused: status === 503 || /cannot record/.test(text),
  }
}

const drawing = (png: Uint8Array) => ({
  candidates: [
    {
      content: {
        role: 'model',
        parts: [{ inlineData: { mimeType: 'image/png', data: Buffer.from(png).toString('base64') } }],
      },
      finishReason: 'STOP',
    },
  ],
})
