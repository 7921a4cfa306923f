// A gateway under load for the tests of backups: calls, images, uploads and responses that come and go while archives are made.
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts'

export interface Load extends AsyncDisposable {
  gateway: GatewayProcess
  /** Counts until now. */
  done: { calls: number; images: number; uploads: number; deleted: number; failed: string[] }
}

/** Each account may have 30 images a minute. */
const ACCOUNTS = 12

/** The pause of a worker. Something is always under way; more would only make each archive larger than the one before. */
const REST_MS = 50

/** Long enough that a response is kept in a file. */
const LONG = 'tide '.repeat(40_000)

/** @param more sections of the catalogue */
export async function startLoad(more = '', callers = 3): Promise<Load> {
  const gateway = await startGatewayProcess(`${FIRST_CATALOGUE}\n${more}`, {
    accounts: ACCOUNTS,
    balance_usd: '1000',
  })
  const done: Load['done'] = { calls: 0, images: 0, uploads: 0, deleted: 0, failed: [] }
  let is_running = true
  const ask = async (path: string, body: object | FormData, key: string) => {
    const response = await fetch(new URL(path, gateway.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'idempotency-key': crypto.randomUUID() },
      body: body instanceof FormData ? body : JSON.stringify(body),
    })
    const text = await response.text()
    // The limit of images holds for this load, too.
    if (response.status !== 200 && response.status !== 429)
      done.failed.push(`${path}: ${response.status} ${text.slice(0, 200)}`)
    return response.status === 200 ? JSON.parse(text) : undefined
  }
  const remove = async (path: string, key: string) => {
    const headers = { authorization: `Bearer ${key}` }
    const { ok } = await fetch(new URL(path, gateway.url), { method: 'DELETE', headers })
    if (ok) done.deleted++
  }
  const round = async (key: string) => {
    const chat = { model: 'sim-gpt', messages: [{ role: 'user', content: 'hi' }] }
    if (await ask('/v1/chat/completions', chat, key)) done.calls++
    const image = await ask(
      '/v1/images/generations',
      { model: 'sim-image', prompt: 'a tide', size: '256x256' },
      key,
    )
    if (image) {
      done.images++
      const form = new FormData()
      form.append(
        'files',
        new Blob([Buffer.from(image.data[0].b64_json, 'base64')], { type: 'image/png' }),
        'a.png',
      )
      if (await ask('/api/v1/upload', form, key)) done.uploads++
    }
    const response = await ask('/v1/responses', { model: 'sim-gpt', input: LONG }, key)
    const headers = { authorization: `Bearer ${key}` }
    const listed = await fetch(new URL('/api/images/history', gateway.url), { headers })
    const { images = [] } = (await listed.json()) as { images?: { id: string }[] }
    // One image of three is deleted, and one response of two.
    if (done.calls % 3 === 0 && images[0]) await remove(`/api/images/${images[0].id}`, key)
    if (done.calls % 2 === 0 && response) await remove(`/v1/responses/${response.id}`, key)
  }
  const work = async (first: number) => {
    for (let turn = first; is_running; turn++) {
      await round(gateway.keys[turn % ACCOUNTS] ?? '')
      await Bun.sleep(REST_MS)
    }
  }
  const workers = Array.from({ length: callers }, (_, index) => work(index))
  return {
    gateway,
    done,
    async [Symbol.asyncDispose]() {
      is_running = false
      await Promise.all(workers)
      await gateway[Symbol.asyncDispose]()
    },
  }
}
