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
import { type Answer, type Seen, startUpstream, stream, whole } from './upstream.ts'

/** What the rounds came to. */
interface Rounds {
  /** Answers of which the caller got something. */
  delivered: number
  /** Those of them that nothing was charged for, by their request ids. */
  unpaid: string[]
  /** Answers, or their ends, that were refused because they could not be recorded. */
  withheld: number
  /** Refusals other than with the surface's overload answer. */
  wrong: string[]
  /** The longest time from the moment when there was room again until the gateway was ready, in milliseconds. */
  recovery_ms: number
  /** What the audit found at the end. */
  findings: number
}

const STREAMS = 3
const CALLS = STREAMS + 3
/** An account may ask for 30 images in a minute, and a round may take less than two seconds. */
const ROUNDS_PER_ACCOUNT = 25

interface Round {
  gateway: GatewayProcess
  key: string
  disk: SmallDisk
  /** Resolves when all calls have come to the upstream. */
  allAsked: () => Promise<unknown>
  /** Makes all answers end. */
  release: () => void
}

/** What one caller got. */
interface Got {
  request_id: string
  status: number
  text: string
  delivered: boolean
  refused: boolean
}

/** Runs rounds over one gateway process, whose data folder is on a small disk of its own. */
export async function fillDiskInRounds(rounds: number, writer: 'inline' | 'thread'): Promise<Rounds> {
  using disk = mountSmallDisk()
  const picture = whole(drawing(await paint('png')))
  let released = Promise.withResolvers<void>()
  const script = async ({ path, body }: Seen): Promise<Answer> => {
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
    const asked = upstream.seen.length + CALLS
    const key = folder.keys[Math.floor(at / ROUNDS_PER_ACCOUNT)] ?? ''
    await playRound({ gateway, key, disk, allAsked: () => upstream.sees(asked), release }, total)
  }
  total.findings = (await gateway.findings()).length
  return total
}

async function playRound(round: Round, total: Rounds): Promise<void> {
  const { gateway, disk, allAsked, release } = round
  const begun = Array.from({ length: STREAMS }, () => Promise.withResolvers<void>())
  const calls = [
    ...begun.map(({ resolve }) => call(round, streamPath(), ask(), {}, resolve)),
    call(round, wholePath(), ask()),
    call(round, wholePath(), ask(), { 'idempotency-key': crypto.randomUUID() }),
    call(round, '/v1/images/generations', { model: PICTURE, prompt: 'Draw a cat.' }),
  ]
  await allAsked()
  await Promise.all(begun.map(({ promise }) => promise))
  truncateLog(gateway)
  await disk.fill()
  release()
  const got = await Promise.all(calls)
  // New calls, each of which begins with another write.
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
  for (const { request_id, status, text, delivered, refused } of [...got, ...later]) {
    if (delivered) total.delivered += 1
    if (delivered && !paid.has(request_id)) total.unpaid.push(request_id)
    if (refused) total.withheld += 1
    if (status !== 200 && status !== 503) total.wrong.push(`${request_id}: ${status} ${text}`)
  }
}

/** So that the next commit needs room on the disk: a log that was once longer is written over. */
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
  onBegun = () => {},
): Promise<Got> {
  const response = await fetch(new URL(path, url), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  let text = ''
  for await (const bytes of response.body ?? []) {
    text += Buffer.from(bytes).toString()
    onBegun()
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
