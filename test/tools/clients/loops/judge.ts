// The rules by which a tool loop counts as served: the client's output, the requests to its provider, and the costs of the calls.
import type { Call } from '../../../../src/store/schema.ts'
import type { ProgramResult } from '../process.ts'
import { type CurrentModel, PRICE } from './models.ts'
import type { Exchange } from './strict-providers.ts'

/** The record of one loop after its end. */
export interface Loop {
  readonly model: CurrentModel
  /** True if the client never sends signatures back. */
  readonly loses_signatures: boolean
  /** The contents of the files for the tools, one for each call. */
  readonly secrets: readonly string[]
  readonly ended: ProgramResult
  readonly exchanges: readonly Exchange[]
  /** The calls that the gateway recorded. */
  readonly calls: readonly Pick<Call, 'outcome' | 'estimated' | 'cost_nanos'>[]
  /** Lines of the gateway's log about a refusal or a failure. */
  readonly failures: readonly string[]
}

type Rule = (loop: Loop) => string | false

const RULES: readonly Rule[] = [
  ({ ended }) => ended.status !== 0 && `it ended with status ${ended.status}`,
  ({ ended, secrets }) =>
    !`${ended.stdout}\n${ended.stderr}`.includes(secrets.at(-1) ?? '') && 'it did not print the final answer',
  ({ exchanges }) => firstOf(exchanges, refused),
  ({ failures }) => failures.length > 0 && `the gateway refused or failed: ${failures.join('\n')}`,
  wrongCalls,
  (loop) => firstOf(loop.secrets, (secret, at) => wrongResult(loop, secret, at)),
  lostSignature,
  wrongCharges,
]

/** @returns the faults; empty if the loop was served */
export const findLoopFaults = (loop: Loop): string[] =>
  RULES.flatMap((rule) => {
    const fault = rule(loop)
    return fault === false ? [] : [fault]
  })

const firstOf = <Item>(items: readonly Item[], find: (item: Item, at: number) => string | false) =>
  items.map(find).find((found) => found !== false) ?? false

const refused = ({ status, path, answer }: Exchange): string | false =>
  status >= 400 && `the provider refused ${path}: ${status} ${answer.slice(0, 300)}`

/** The last request of the loop, which has all calls and results. */
const lastOf = ({ model, exchanges }: Loop): Exchange | undefined =>
  exchanges.findLast(({ body }) => model.callsIn(body).length > 0)

function wrongCalls(loop: Loop): string | false {
  const last = lastOf(loop)
  const ids = last ? loop.model.callsIn(last.body).map(({ id }) => id) : []
  if (ids.length !== loop.secrets.length)
    return `${ids.length} calls came back to the provider, not ${loop.secrets.length}`
  return new Set(ids).size !== ids.length && ids.some((id) => id !== '') && `ids are not unique: ${ids}`
}

function wrongResult(loop: Loop, secret: string, at: number): string | false {
  const { body = {} } = lastOf(loop) ?? {}
  const call = loop.model.callsIn(body)[at]
  const result = loop.model.resultsIn(body)[at]
  if (!result?.text.includes(secret)) return `result ${at + 1} is not what the tool read: ${result?.text}`
  if (result.id !== call?.id) return `result ${at + 1} has the id "${result.id}", its call "${call?.id}"`
  return result.name !== '' && result.name !== call.name && `result ${at + 1} is named ${result.name}`
}

const SIGNATURES = /"(?:encrypted_content|signature|thoughtSignature)": ?"([^"]+)"/g
const VISIBLE_THINKING = /"reasoning_content": ?("(?:[^"\\]|\\.)*")/g

/** The signatures of an answer, which must come back in the same JSON. */
const signaturesIn = ({ answer }: Exchange): string[] =>
  [...answer.matchAll(SIGNATURES)].map(([, signature = '']) => signature)

/** The visible thinking of an answer, likewise. */
function visibleThinkingIn({ answer }: Exchange): string[] {
  const thinking = [...answer.matchAll(VISIBLE_THINKING)].map(([, json = '""']) => JSON.parse(json)).join('')
  return thinking === '' ? [] : [JSON.stringify(thinking)]
}

/** The turns of the loop that called a tool: an answer names a call's id, or its name alone. */
function turnsOf(loop: Loop): Exchange[] {
  const last = lastOf(loop)
  const called = last ? loop.model.callsIn(last.body).flatMap(({ id, name }) => [id, name]) : []
  return loop.exchanges
    .slice(0, last && loop.exchanges.indexOf(last))
    .filter(({ answer }) => called.some((word) => word !== '' && answer.includes(`"${word}"`)))
}

function lostSignature(loop: Loop): string | false {
  const { body = {} } = lastOf(loop) ?? {}
  const returned = JSON.stringify(body)
  const turns = turnsOf(loop)
  if (turns.length < loop.secrets.length) return `the provider called a tool in ${turns.length} turns only`
  return firstOf(turns, (turn, at) => {
    const returnable = [...signaturesIn(turn), ...visibleThinkingIn(turn)]
    if (returnable.length === 0) return loop.model.always_thinks && `turn ${at + 1} has no thinking to return`
    const required = loop.loses_signatures ? visibleThinkingIn(turn) : returnable
    const lost = required.find((each) => !returned.includes(each))
    return lost !== undefined && `the thinking of turn ${at + 1} did not come back: ${lost.slice(0, 80)}`
  })
}

function wrongCharges(loop: Loop): string | false {
  const { calls, exchanges, model } = loop
  if (calls.some(({ outcome, estimated }) => outcome !== 'completed' || estimated !== 0))
    return `not all calls are completed and charged by their usage: ${JSON.stringify(calls)}`
  const charged = calls.map(({ cost_nanos }) => cost_nanos).sort(rising)
  const billed = exchanges.map((exchange) => costOf(exchange, model)).sort(rising)
  return !Bun.deepEquals(charged, billed) && `charged ${charged}, but by the provider's usage it is ${billed}`
}

const rising = (one: number, other: number): number => one - other

/** The cost in nano-dollars of the provider's counts. */
function costOf({ totals }: Exchange, { bills_writes }: CurrentModel): number {
  if (!totals) return 0
  const { prompt, cached, thinking, output } = totals
  const [written_5m, written_1h] = bills_writes ? [totals.written_5m, totals.written_1h] : [0, 0]
  const micro_usd =
    (prompt - cached - written_5m - written_1h) * PRICE.input +
    cached * PRICE.cache_read +
    written_5m * PRICE.cache_write_5m +
    written_1h * PRICE.cache_write_1h +
    (output + thinking) * PRICE.output
  return Math.round(micro_usd * 1_000)
}
