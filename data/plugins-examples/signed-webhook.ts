// A signed webhook: posts the record of each settled call to an address, and tries again where that fails.
//
// TOLLGATE_WEBHOOK_URL      where to
// TOLLGATE_WEBHOOK_SECRET   what the signature is made with, 16 characters or more
//
// The receiver checks `x-tollgate-signature`: "sha256=" and the HMAC-SHA256, in hex, of the header `x-tollgate-timestamp`,
// a full stop, and the body as it came. It refuses timestamps that are some minutes old, and takes a `request_id` only once,
// since what was received and not answered in time is sent again. A gateway that stops waits for 5 seconds: what was not sent by
// then is in the log as `left`, and its calls are in `GET /api/v1/usage` and `tollgate usage`.
import { createHmac } from 'node:crypto'
import type { PluginRecord, TollgatePlugin } from './tollgate.d.ts'

/** In all they take less than the 60 seconds that a hook has. */
const MAX_TRIES = 5
const TRY_LIMIT_MS = 5_000
const FIRST_DELAY_MS = Number(process.env.TOLLGATE_WEBHOOK_FIRST_DELAY_MS ?? 500)

const plugin: TollgatePlugin = ({ gateway }) => {
  const { TOLLGATE_WEBHOOK_URL: url = '', TOLLGATE_WEBHOOK_SECRET: secret = '' } = process.env
  if (!URL.canParse(url)) throw new Error('TOLLGATE_WEBHOOK_URL must be the address to post to')
  if (secret.length < 16) throw new Error('TOLLGATE_WEBHOOK_SECRET must have 16 characters or more')

  gateway.afterSettle(async (record) => {
    const { request_id } = record
    for (let tries = 1; ; tries++) {
      const failure = await post(url, secret, record)
      if (failure === undefined) return
      if (failure.is_final || tries === MAX_TRIES)
        throw new Error(`the webhook was given up after ${tries} tries: ${failure.why}`)
      gateway.log.debug('the webhook failed and is tried again', { request_id, tries, why: failure.why })
      await Bun.sleep(delayMs(tries))
    }
  })
}

interface Failure {
  why: string
  /** The same would fail again. */
  is_final: boolean
}

async function post(url: string, secret: string, record: PluginRecord): Promise<Failure | undefined> {
  const body = JSON.stringify(record)
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-tollgate-timestamp': timestamp,
        'x-tollgate-signature': `sha256=${signature}`,
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TRY_LIMIT_MS),
    })
    // What it says is not read, and its connection is free again.
    await answer.body?.cancel()
    const { ok, status } = answer
    if (ok) return undefined
    const may_pass = status >= 500 || status === 408 || status === 429
    return { why: `status ${status}`, is_final: !may_pass }
  } catch (thrown) {
    return { why: thrown instanceof Error ? thrown.message : String(thrown), is_final: false }
  }
}

/** Twice as long each time, and at random between half of it and all: receivers that were down are not met by all at once. */
function delayMs(tries: number): number {
  return FIRST_DELAY_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2)
}

export default plugin
