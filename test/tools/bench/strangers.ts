// Strangers who sign up: a process that sends the form at a rate per minute, receives the mails, and follows their links if the options say so.
import { clientOf } from '../../support/console-session.ts'
import { startSmtp } from '../../support/smtp.ts'
import { type Spread, spreadOf } from './report.ts'

export interface StrangersOptions {
  /** The gateway's port. */
  readonly port: number
  /** The port that the gateway sends its mails to. */
  readonly smtp_port: number
  readonly per_minute: number
  readonly for_ms: number
  /** True if they open the link of their mail, and choose a name and a password. */
  readonly finish: boolean
}

export interface StrangersResult {
  /** The numbers of sent and of accepted forms. */
  readonly sent: number
  readonly accepted: number
  readonly mails: number
  readonly accounts: number
  /** Passwords that the gateway refused to hash (503), since too many waited, as intended. */
  readonly refused: number
  /** The beginning of the first failed answer; empty without one. */
  readonly first_failure: string
  /** From the form to its answer, which the gateway holds back for 400 ms. */
  readonly answer_ms: Spread
}

const LINK = /\/console\/sign-up\/confirm#([\w-]{32})/
const LOOK_EVERY_MS = 20
/** The time for work under way at the end, all of which counts, so that the next round begins with an idle gateway. */
const MAX_REST_MS = 30_000

async function run(options: StrangersOptions): Promise<StrangersResult> {
  const { port, smtp_port, per_minute, for_ms, finish } = options
  await using smtp = await startSmtp({ port: smtp_port })
  const client = clientOf({ url: new URL(`http://127.0.0.1:${port}`) })
  const run_id = Date.now().toString(36)
  const answers_ms: number[] = []
  let [sent, accepted, accounts, refused, finished, seen] = [0, 0, 0, 0, 0, 0]
  let first_failure = ''

  async function send(path: string, body: object, nth: number): Promise<number> {
    // Each request comes from a network of its own.
    const headers = { 'x-forwarded-for': `10.${(nth >> 16) & 255}.${(nth >> 8) & 255}.${nth & 255}` }
    const answer = await client.send('POST', `/sign-up${path}`, { body, headers })
    const text = await answer.text()
    if (!answer.ok && answer.status !== 503) first_failure ||= `${answer.status} ${text.slice(0, 500)}`
    return answer.status
  }

  async function ask(nth: number): Promise<void> {
    const began_ms = performance.now()
    if ((await send('', { email: `${run_id}-${nth}@mail.example.org` }, nth)) === 200) accepted++
    answers_ms.push(performance.now() - began_ms)
  }

  async function follow(text: string, nth: number): Promise<void> {
    const [, token] = LINK.exec(text) ?? []
    const choice = { token, name: `s${run_id}-${nth}`, password: `a long password ${nth}`, terms: null }
    const status = await send('/finish', choice, nth)
    if (status === 200) accounts++
    if (status === 503) refused++
    finished++
  }

  function readMails(): void {
    for (; seen < smtp.received.length; seen++) if (finish) void follow(smtp.received[seen]?.text ?? '', seen)
  }

  const reading = setInterval(readMails, LOOK_EVERY_MS)
  const forms: Promise<void>[] = []
  const began_ms = performance.now()
  const every_ms = 60_000 / per_minute
  while (performance.now() - began_ms < for_ms) {
    // The pace is the load: each form is sent at its time, even if the previous answer takes long.
    await Bun.sleep(Math.max(0, began_ms + sent * every_ms - performance.now()))
    forms.push(ask(sent++))
  }
  await Promise.all(forms)
  const ended_ms = performance.now()
  const isAtRest = () => smtp.received.length >= accepted && (!finish || finished >= smtp.received.length)
  while (!isAtRest() && performance.now() - ended_ms < MAX_REST_MS) await Bun.sleep(LOOK_EVERY_MS)
  clearInterval(reading)
  return {
    sent,
    accepted,
    mails: smtp.received.length,
    accounts,
    refused,
    first_failure,
    answer_ms: spreadOf(answers_ms),
  }
}

if (import.meta.main) {
  process.stdout.write(JSON.stringify(await run(await Bun.stdin.json())))
  process.exit(0)
}
