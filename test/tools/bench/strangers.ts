// Strangers who sign up: a process that sends the form so often a minute, takes the mails, and follows their links where it is told to.
import { clientOf } from '../../support/console-session.ts'
import { startSmtp } from '../../support/smtp.ts'
import { type Spread, spreadOf } from './report.ts'

export interface StrangersOptions {
  /** The gateway's. */
  readonly port: number
  /** Where the gateway sends its mails. */
  readonly smtp_port: number
  readonly per_minute: number
  readonly for_ms: number
  /** True where they open the link of their mail, and choose a name and a password. */
  readonly finish: boolean
}

export interface StrangersResult {
  /** Forms that were sent, and that were taken. */
  readonly asked: number
  readonly taken: number
  readonly mails: number
  readonly accounts: number
  /** Passwords that the gateway refused to hash (503), since too many waited: it is meant to. */
  readonly refused: number
  /** The start of the first answer that was no success; empty if there was none. */
  readonly first_failure: string
  /** From the form to its answer, which the gateway holds back for 400 ms. */
  readonly answer_ms: Spread
}

const LINK = /\/console\/sign-up\/confirm#([\w-]{32})/
const LOOK_EVERY_MS = 20
/** For what is under way at the end: all of it counts, so that the next round begins with a gateway at rest. */
const MAX_REST_MS = 30_000

async function run(options: StrangersOptions): Promise<StrangersResult> {
  const { port, smtp_port, per_minute, for_ms, finish } = options
  await using smtp = await startSmtp({ port: smtp_port })
  const client = clientOf({ url: new URL(`http://127.0.0.1:${port}`) })
  const run_id = Date.now().toString(36)
  const answers_ms: number[] = []
  let [asked, taken, accounts, refused, finished, seen] = [0, 0, 0, 0, 0, 0]
  let first_failure = ''

  async function send(path: string, body: object, nth: number): Promise<number> {
    // Each from a network of its own.
    const headers = { 'x-forwarded-for': `10.${(nth >> 16) & 255}.${(nth >> 8) & 255}.${nth & 255}` }
    const answer = await client.send('POST', `/sign-up${path}`, { body, headers })
    const text = await answer.text()
    if (!answer.ok && answer.status !== 503) first_failure ||= `${answer.status} ${text.slice(0, 500)}`
    return answer.status
  }

  async function ask(nth: number): Promise<void> {
    const began_ms = performance.now()
    if ((await send('', { email: `${run_id}-${nth}@mail.example.org` }, nth)) === 200) taken++
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
  const asking: Promise<void>[] = []
  const began_ms = performance.now()
  const every_ms = 60_000 / per_minute
  while (performance.now() - began_ms < for_ms) {
    // The pace is the load: each form has its time, however long the answer to the one before takes.
    await Bun.sleep(Math.max(0, began_ms + asked * every_ms - performance.now()))
    asking.push(ask(asked++))
  }
  await Promise.all(asking)
  const ended_ms = performance.now()
  const isAtRest = () => smtp.received.length >= taken && (!finish || finished >= smtp.received.length)
  while (!isAtRest() && performance.now() - ended_ms < MAX_REST_MS) await Bun.sleep(LOOK_EVERY_MS)
  clearInterval(reading)
  return {
    asked,
    taken,
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
