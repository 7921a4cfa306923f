// The callers of the crash tests: they call and top up until the server dies, and record all that was acknowledged.
import { openLedger } from '../../src/money/ledger/ledger.ts'
import type { Random } from '../money/ledger/random.ts'
import { costOf, type Wish } from './provider.ts'

/** Outcomes that the callers of one cycle have seen. */
export interface Acknowledged {
  /** Complete answers: request id → the exact charge. */
  charges: Map<string, number>
  /** Request ids of failures: nothing may be charged for them. */
  failures: Set<string>
  /** Request ids of answers that had started: money was held for them. */
  holds: Set<string>
  /** Confirmed top-ups: note → amount. */
  top_ups: Map<string, number>
  /** Calls whose end is unknown because the server died, and the highest charge that is possible for them. */
  unanswered: { count: number; max_nanos: number }
  /** Top-ups whose end is unknown: note → amount. */
  unconfirmed_top_ups: Map<string, number>
  /** Whole refunds of charges, by request id: whether they were confirmed. */
  refunds: Map<string, 'confirmed' | 'unknown'>
}

export const nothingAcknowledged = (): Acknowledged => ({
  charges: new Map(),
  failures: new Set(),
  holds: new Set(),
  top_ups: new Map(),
  unanswered: { count: 0, max_nanos: 0 },
  unconfirmed_top_ups: new Map(),
  refunds: new Map(),
})

interface CallerOptions {
  url: string
  api_key: string
  account_id: number
  /** The database for top-ups by a process other than the server, like those of the command line. */
  database_path: string
  random: Random
  /** Makes tags and notes unique. */
  newTag: () => string
  /** Checked before each call; false ends the caller. */
  goesOn: () => boolean
}

/** Calls until the server is dead. Does not throw when it dies. */
export async function callUntilDeath(options: CallerOptions, book: Acknowledged): Promise<void> {
  let alive = true
  while (alive && options.goesOn()) {
    const kind = options.random.below(10)
    if (kind === 0) alive = await topUpInside(options, book)
    else if (kind === 1) await topUpBeside(options, book)
    else if (kind === 2) alive = await refundInside(options, book)
    else alive = await call(options, book, kind < 7)
  }
}

async function call(options: CallerOptions, book: Acknowledged, streams: boolean): Promise<boolean> {
  const { random, url, api_key } = options
  const wish: Wish = {
    tag: options.newTag(),
    prompt_tokens: 100 + random.below(100),
    cached_tokens: random.below(100),
    output_tokens: random.below(300),
    thinking_tokens: random.below(50),
    fails: random.chance(0.1),
  }
  const cost_nanos = costOf(wish)
  const action = streams ? 'streamGenerateContent?alt=sse' : 'generateContent'
  try {
    const answer = await fetch(`${url}v1beta/models/crash:${action}`, {
      method: 'POST',
      headers: { 'x-api-key': api_key },
      body: JSON.stringify({
        contents: [{ parts: [{ text: JSON.stringify(wish) }] }],
        generationConfig: { maxOutputTokens: 400 },
      }),
    })
    const request_id = answer.headers.get('x-request-id') ?? 'none'
    if (answer.status === 200) book.holds.add(request_id)
    const text = await readUntilDeath(answer)
    if (answer.status !== 200) book.failures.add(request_id)
    // A whole answer is charged before its headers are sent, a stream before its last event is.
    else if (!streams || text.includes('"STOP"')) book.charges.set(request_id, cost_nanos)
    else return unanswered(book, cost_nanos)
    return true
  } catch {
    // The server died before it answered.
    return unanswered(book, cost_nanos)
  }
}

async function readUntilDeath(answer: Response): Promise<string> {
  let text = ''
  try {
    for await (const bytes of answer.body ?? []) text += Buffer.from(bytes).toString()
  } catch {
    // The server died. What had arrived until then counts.
  }
  return text
}

function unanswered({ unanswered }: Acknowledged, cost_nanos: number): false {
  unanswered.count += 1
  unanswered.max_nanos += cost_nanos
  return false
}

async function topUpInside(options: CallerOptions, book: Acknowledged): Promise<boolean> {
  const { url, account_id, newTag, random } = options
  const note = newTag()
  const amount_nanos = 1 + random.below(1_000_000)
  book.unconfirmed_top_ups.set(note, amount_nanos)
  try {
    const answer = await fetch(`${url}test/top-up/${account_id}/${amount_nanos}/${note}`, { method: 'POST' })
    const { ok } = (await answer.json()) as { ok: boolean }
    if (ok) confirm(book, note)
    return true
  } catch {
    // The server died: whether the top-up was written is unknown.
    return false
  }
}

/** Refunds a call whose whole answer arrived; several callers may choose the same one. */
async function refundInside(
  { url, random }: CallerOptions,
  { charges, refunds }: Acknowledged,
): Promise<boolean> {
  const [request_id] = [...charges].filter(([, nanos]) => nanos > 0)[random.below(charges.size + 1)] ?? []
  if (request_id === undefined) return true
  if (!refunds.has(request_id)) refunds.set(request_id, 'unknown')
  try {
    const answer = await fetch(`${url}test/refund/${request_id}`, { method: 'POST' })
    const { ok } = (await answer.json()) as { ok: boolean }
    if (ok) refunds.set(request_id, 'confirmed')
    return true
  } catch {
    // The server died: whether the refund was written is unknown.
    return false
  }
}

async function topUpBeside(options: CallerOptions, book: Acknowledged): Promise<void> {
  const { account_id, newTag, random, database_path } = options
  const note = newTag()
  const amount_nanos = 1 + random.below(1_000_000)
  book.unconfirmed_top_ups.set(note, amount_nanos)
  const ledger = openLedger({ path: database_path })
  const { ok } = await ledger.submit({ op: 'top_up', account_id, amount_nanos, note, now_ms: Date.now() })
  if (ok) confirm(book, note)
  await ledger.close()
}

function confirm({ unconfirmed_top_ups, top_ups }: Acknowledged, note: string): void {
  top_ups.set(note, unconfirmed_top_ups.get(note) ?? 0)
  unconfirmed_top_ups.delete(note)
}
