// The test of the webhook: one message in the format of alerts, marked as a test, and its result with advice.
import { conflict } from '../../src/domain/errors.ts'
import type { PostWebhook } from '../../src/media/webhook-post.ts'
import type { Logger } from '../../src/observe/log.ts'
import type { AlertSettings } from './settings.ts'
import { type Delivery, deliver, GONE, testBody, webhookOf } from './webhook.ts'

export interface TestResult extends Delivery {
  /** The result in words, and what to do. */
  sentence: string
}

interface TestParts {
  settings: () => AlertSettings
  post: PostWebhook
  now: () => number
  log: Pick<Logger, 'info' | 'warn'>
}

/**
 * Creates the function that sends a test. It sends one test at a time: a call during a test returns the result of that test.
 *
 * @returns a function that throws GatewayError conflict if no webhook is set
 */
export function createWebhookTest({ settings, post, now, log }: TestParts): () => Promise<TestResult> {
  let running: Promise<TestResult> | undefined

  async function send(): Promise<TestResult> {
    const webhook = webhookOf(settings())
    if (!webhook)
      throw conflict(
        'No webhook is set. Set webhook_url and webhook_secret in [alerts] of the catalogue. If the secret is read from a variable, set that, too.',
        { code: 'no_webhook' },
      )
    const at_ms = now()
    const webhook_id = `msg_${crypto.randomUUID()}`
    const result = await deliver(post, { webhook, webhook_id, body: testBody(at_ms), at_ms })
    const about = { webhook_id, event: 'test', status: result.status }
    if (result.failure === null) log.info(about, 'a test alert was sent')
    else log.warn({ ...about, cause: result.failure }, 'a test alert could not be sent')
    return { ...result, sentence: sentenceOf(new URL(webhook.url).host, result) }
  }

  return () => {
    running ??= send().finally(() => {
      running = undefined
    })
    return running
  }
}

function sentenceOf(host: string, { status, failure }: Delivery): string {
  if (failure === null) return `${host} received the test alert (status ${status}).`
  if (status === null) return `${failure} Check webhook_url in [alerts].`
  return `${host} answered ${status}. ${adviceFor(status)}`
}

function adviceFor(status: number): string {
  if (status >= 300 && status < 400)
    return 'Redirects are not followed: set webhook_url to the final address.'
  if (status === 401 || status === 403)
    return 'It did not accept the signature: check that webhook_secret is the one that the receiver verifies with.'
  if (status === 404 || status === 405) return 'Check the path of webhook_url.'
  if (status === GONE) return 'It wants no more messages: set webhook_url to another receiver.'
  if (status === 429) return 'It is busy: try again in a minute.'
  return status >= 500
    ? 'The receiver failed: look in its log.'
    : 'It did not accept the message: look in its log for what it expects.'
}
