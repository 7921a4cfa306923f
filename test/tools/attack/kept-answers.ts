// Huge embeddings for almost nothing, each under an Idempotency-Key of its own: their space on the disk.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { catalogueOf } from '../../support/catalogue.ts'
import { answer, ask, streamPath } from '../../support/native.ts'
import { type Restarts, type Run, restarts } from '../../support/restarts.ts'
import { modelSection, providerSection } from '../../support/sections.ts'
import { events, startUpstream, whole } from '../../support/upstream.ts'
import type { Attack } from './attack.ts'

const MEGABYTE = 1024 * 1024
const ANSWER_BYTES = 6 * MEGABYTE
const ACCOUNTS = 3
const KEYS_PER_ACCOUNT = 12
const AT_ONCE = 6
const IN_ALL_MB = 64
const PER_ACCOUNT_MB = 32
/** A file is listed until it is unlinked, and an answer counts before it is written. */
const SLACK_MB = 1

const models = (url: string) =>
  providerSection('speaks-openai', 'openai', `${url}/v1`) +
  modelSection('embedding', { 'speaks-openai': 'embedding' }, { kind: 'embedding', price: 'input = 0.02' })

/** A vector with this number of bytes in base64. */
const EMBEDDED = JSON.stringify({
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: 'AAAA'.repeat(ANSWER_BYTES / 4) }],
  model: 'embedding',
  usage: { prompt_tokens: 1, total_tokens: 1 },
})

/** The bytes of the files below a folder, complete or not. */
async function bytesIn(folder: string): Promise<number> {
  // The folder does not exist before the first answer; a file may vanish between its listing and its look-up.
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const sizes = await Promise.all(
    files.map((path) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((total, size) => total + size, 0)
}

interface KeyedRequest {
  account: number
  idempotency_key: string
  streams: boolean
}

/** @returns the status, and whether it was a replay */
async function sendAs(run: Run, { account, idempotency_key, streams }: KeyedRequest): Promise<string> {
  const headers = { 'idempotency-key': idempotency_key, 'content-type': 'application/json' }
  const body = streams ? ask() : { model: 'embedding', input: 'a' }
  const path = streams ? streamPath() : '/v1/embeddings'
  const response = await run.call(path, { method: 'POST', account, headers, body: JSON.stringify(body) })
  await response.bytes()
  return response.headers.has('idempotent-replayed') ? 'replayed' : String(response.status)
}

/** Sends all requests, several at once. @returns the largest size of the folder of answers in bytes */
async function fill(gateway: Restarts, run: Run, requests: readonly KeyedRequest[]): Promise<number> {
  const folder = join(gateway.folder.path, 'answers')
  const waiting = [...requests]
  let [peak_bytes, working] = [0, AT_ONCE]
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await sendAs(run, next)
    working -= 1
  }
  const watch = async () => {
    while (working > 0) peak_bytes = Math.max(peak_bytes, await bytesIn(folder))
  }
  await Promise.all([watch(), ...Array.from({ length: AT_ONCE }, work)])
  return Math.max(peak_bytes, await bytesIn(folder))
}

function countOf(results: readonly string[]): string {
  const groups = Map.groupBy(results, (result) => result)
  return [...groups].map(([result, of_it]) => `${of_it.length} ${result}`).join(', ')
}

export const keptAnswers: Attack = {
  name: 'kept-answers',
  description: 'answers of 6 MB for next to nothing, under many keys',
  async run({ rounds }) {
    const large = answer('x'.repeat(ANSWER_BYTES))
    await using upstream = await startUpstream(({ path }) =>
      path.includes(':stream') ? events([large]) : whole(EMBEDDED),
    )
    const { url } = upstream
    const server = `kept_answers_mb = ${IN_ALL_MB}\nkept_answers_mb_per_account = ${PER_ACCOUNT_MB}`
    const catalogue = catalogueOf({ upstream_url: url, server, more: models(url) })
    using gateway = await restarts(catalogue, ACCOUNTS)
    const requests = Array.from({ length: ACCOUNTS * KEYS_PER_ACCOUNT * rounds }, (_, at) => ({
      account: at % ACCOUNTS,
      idempotency_key: `key-${at}`,
      streams: at % 4 === 3,
    }))
    const half = requests.length / 2
    const first = await gateway.start()
    const peaks = [await fill(gateway, first, requests.slice(0, half))]
    await first.stop()
    await using second = await gateway.start()
    peaks.push(await fill(gateway, second, requests.slice(half)))
    const [oldest, newest] = await Promise.all(
      [requests.slice(0, 3), requests.slice(-3)].map((some) =>
        Promise.all(some.map((one) => sendAs(second, one))),
      ),
    )
    const peak_mb = Math.max(...peaks) / MEGABYTE
    return {
      tried: `${requests.length} answers, ${(requests.length * ANSWER_BYTES) / MEGABYTE} MB`,
      held:
        peak_mb <= IN_ALL_MB + SLACK_MB &&
        oldest?.every((result) => result === '409') === true &&
        newest?.every((result) => result === 'replayed') === true,
      figures: `at most ${peak_mb.toFixed(1)} MB on the disk, bound ${IN_ALL_MB} MB, across a restart; sent again: oldest ${countOf(oldest ?? [])}, newest ${countOf(newest ?? [])}`,
    }
  },
}
